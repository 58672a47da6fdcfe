// See google-auth.ts.
export { credentials } from '@grpc/grpc-js';
