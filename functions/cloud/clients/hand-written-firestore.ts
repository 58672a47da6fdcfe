// See google-auth.ts.
export { Firestore } from '@google-cloud/firestore';
