// See google-auth.ts.
export { FirestoreClient } from '@google-cloud/firestore-api/client_v1';
