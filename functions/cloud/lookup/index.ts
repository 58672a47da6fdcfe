/** `millrace/lookup`: clients for `lookUp`. Clients of Google's are loaded when they are first asked for something. */
export { type FirestoreFields, firestoreLookUp, type FirestoreLookUpOptions } from './firestore.ts';
export {
  httpBatchLookUp,
  type HttpBatchLookUpOptions,
  httpLookUp,
  type HttpLookUpOptions,
  HttpRefusedError,
  type LookUpRequest,
} from './http.ts';
