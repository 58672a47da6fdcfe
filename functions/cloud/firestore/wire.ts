import type { protos } from '@google-cloud/firestore-api';

export type WireWrite = protos.google.firestore.v1.IWrite;
export type Condition = protos.google.firestore.v1.IPrecondition;
export type StructuredQuery = protos.google.firestore.v1.IStructuredQuery;
