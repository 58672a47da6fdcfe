import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Emulators, startEmulators } from '../../emulators/launch.ts';
import { FirestoreStore } from '../../functions/cloud/firestore/store.ts';
import { ContentionError, RetryableError, TooLargeError } from '../../functions/model/errors.ts';
import { storeSuite } from '../ports/store-suite.ts';

// Of its own, since the emulator may be somebody's that runs already.
const projectId = `demo-store-${process.pid}`;
let emulators: Emulators<{ pubsub: false }>;
const open: FirestoreStore[] = [];
let pipelines = 0;

beforeAll(async () => {
  emulators = await startEmulators({ pubsub: false, projectId });
});
afterAll(async () => {
  await Promise.all(open.map((store) => store.close()));
  await emulators?.stop();
});

/** A pipeline of its own for each test is an empty store. */
async function emptyStore(more: { timeoutMillis?: number } = {}): Promise<FirestoreStore> {
  const pipeline = `store-${pipelines++}`;
  const store = new FirestoreStore({ projectId, pipeline, emulatorHost: emulators.firestoreHost, ...more });
  open.push(store);
  return store;
}

/** A text that compresses to about so many bytes. */
function randomText(bytes: number): string {
  return randomBytes(bytes).toString('base64');
}

storeSuite('the store on Firestore', () => emptyStore());

describe('the store on Firestore', () => {
  it('keeps its documents under millrace/{pipeline}, readable as text beside the fields that queries use', async () => {
    const store = await emptyStore();
    await store.commit({
      preconditions: [],
      sets: [{ collection: 'cells', id: 'a~0~1', body: { key: 'k' }, index: { shard: 'a~0', eventDue: 5 } }],
      deletes: [],
    });
    const path = `v1/projects/${projectId}/databases/(default)/documents/millrace/store-${pipelines - 1}/cells/a~0~1`;
    const answer = await fetch(`http://${emulators.firestoreHost}/${path}`);
    expect(((await answer.json()) as { fields: unknown }).fields).toEqual({
      body: { stringValue: '{"key":"k"}' },
      shard: { stringValue: 'a~0' },
      eventDue: { integerValue: '5' },
    });
  });

  it('refuses a document above 1 MiB before it is sent, and names it', async () => {
    const store = await emptyStore();
    const body = randomText(1_060_000);
    const set = { collection: 'cells', id: 'big~0~k', body } as const;
    const commit = store.commit({ preconditions: [], sets: [set], deletes: [] });
    await expect(commit).rejects.toThrow(TooLargeError);
    await expect(commit).rejects.toThrow(/^document cells\/big~0~k has \d+ bytes, above the limit of 1048487$/);
    expect(store.counts.commits).toBe(0);
  });

  it('takes a large document that is small when compressed', async () => {
    const store = await emptyStore();
    const body = 'abc'.repeat(1_000_000);
    await store.commit({ preconditions: [], sets: [{ collection: 'cells', id: 'c', body }], deletes: [] });
    expect((await store.get('cells', ['c']))[0]?.body).toBe(body);
  });

  it('takes documents nearly as large as Firestore does', async () => {
    const store = await emptyStore();
    const body = randomText(1_040_000);
    await store.commit({ preconditions: [], sets: [{ collection: 'cells', id: 'c', body }], deletes: [] });
    expect((await store.get('cells', ['c']))[0]?.body).toBe(body);
  });

  it('refuses a commit above 3 MiB, on which the emulator would hang', async () => {
    const store = await emptyStore();
    const body = 'x'.repeat(60_000);
    const sets = Array.from({ length: 60 }, (_, i) => ({ collection: 'cells', id: `c${i}`, body }) as const);
    await expect(store.commit({ preconditions: [], sets, deletes: [] })).rejects.toThrow(
      /^the commit of c0 with 60 writes has \d+ bytes, above the limit of 3145728$/,
    );
    await store.commit({ preconditions: [], sets: sets.slice(0, 50), deletes: [] });
    expect(store.counts).toMatchObject({ commits: 1, writes: 50 });
  });

  it('says that trying again may help when nobody answers, and does not try by itself', async () => {
    const store = new FirestoreStore({ projectId, pipeline: 'down', emulatorHost: '127.0.0.1:9', timeoutMillis: 500 });
    open.push(store);
    const commit = store.commit({ preconditions: [], sets: [{ collection: 'roots', id: 'a', body: 1 }], deletes: [] });
    await expect(commit).rejects.toThrow(RetryableError);
    await expect(commit).rejects.not.toThrow(ContentionError);
    await expect(commit).rejects.toThrow(/^Firestore: commit of a: /);
  });

  it('keeps up a chain of 300 commits of 22 documents, each on the version of the one before', async () => {
    const store = await emptyStore();
    let version: string | number = 'absent';
    for (let n = 0; n < 300; n++) {
      const cells = Array.from({ length: 21 }, (_, i) => ({ collection: 'cells', id: `c${i}`, body: { n } }) as const);
      const batch = {
        preconditions: [{ collection: 'roots', id: 'a~0', version }] as const,
        sets: [{ collection: 'roots', id: 'a~0', body: { n } } as const, ...cells],
        deletes: [],
      };
      [version] = (await store.commit(batch)) as [string | number];
    }
    expect((await store.roots())[0]?.body).toEqual({ n: 299 });
    expect(store.counts).toEqual({ reads: 1, writes: 6_600, deletes: 0, commits: 300 });
  });
});
