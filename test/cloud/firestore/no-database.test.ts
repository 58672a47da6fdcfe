import { expect, it, vi } from 'vitest';
import { FirestoreStore } from '../../../functions/cloud/firestore/store.ts';
import { ConfigurationError } from '../../../functions/model/errors.ts';
import { DEAD_LETTERS_BY_TIME } from '../../../functions/ports/queries.ts';

/** As Firestore answers where a database is not there. */
function refuses(): never {
  const database = '5 NOT_FOUND: The database millrace-sales does not exist for project p';
  throw Object.assign(new Error(database), { code: 5 });
}

vi.mock('../../../functions/cloud/firestore/client.ts', () => ({
  openFirestore: async () => ({ batchGetDocuments: refuses, runQuery: refuses, close: async () => {} }),
}));

const store = new FirestoreStore({ projectId: 'p', databaseId: 'millrace-sales', pipeline: 'sales' });

it.each([
  ['a read', () => store.get('control', ['topology'])],
  ['a query', () => store.query(DEAD_LETTERS_BY_TIME, { status: 'dead' }, { limit: 1 })],
])('%s of a database that is not there says which names may be wrong', async (_, call) => {
  const error = await call().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigurationError);
  expect((error as Error).message).toBe(
    "Firestore: there is no database 'millrace-sales' in project 'p'; is 'sales' deployed there, and are the names of pipeline, project and database right?",
  );
});
