/** Small documents that one commit deletes: Firestore counts what is deleted as part of a commit's size. */
export const MAX_DELETES = 100;
