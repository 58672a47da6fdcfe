import { Firestore } from '@google-cloud/firestore';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Emulators, startEmulators } from '../../emulators/launch.ts';
import { firestoreLookUp } from '../../functions/cloud/lookup/firestore.ts';

const projectId = 'demo-lookup';
let emulators: Emulators<{ pubsub: false }>;

beforeAll(async () => {
  emulators = await startEmulators({ pubsub: false, projectId });
  const firestore = new Firestore({ projectId, host: emulators.firestoreHost, ssl: false });
  await firestore.doc('merchants/m1').set({ name: 'One', category: 'food' });
  await firestore.doc('merchants/2').set({ name: 'Two', category: 'fuel' });
  await firestore.terminate();
});
afterAll(() => emulators?.stop());

describe('firestoreLookUp', () => {
  it('gives the fields of each document, in the order of the keys, and undefined where there is none', async () => {
    const make = firestoreLookUp<string | number>({
      collection: 'merchants',
      projectId,
      emulatorHost: emulators.firestoreHost,
    });
    const client = await make();
    expect(await client.get([2, 'none', 'm1'])).toEqual([
      { name: 'Two', category: 'fuel' },
      undefined,
      { name: 'One', category: 'food' },
    ]);
    await client.close?.();
  });

  it('reads only the fields that are asked for, under the names that the author makes of keys', async () => {
    const make = firestoreLookUp<number>({
      collection: 'merchants',
      projectId,
      emulatorHost: emulators.firestoreHost,
      id: (key) => `m${key}`,
      fields: ['category'],
    });
    const client = await make();
    expect(await client.get([1])).toEqual([{ category: 'food' }]);
    await client.close?.();
  });

  it('a key that can be no document is a bad answer, and the others are read', async () => {
    const make = firestoreLookUp<string>({ collection: 'merchants', projectId, emulatorHost: emulators.firestoreHost });
    const client = await make();
    const [bad, good] = await client.get(['a/b', 'm1']);
    expect(bad).toMatchObject({
      code: 'POISON',
      message:
        'the key "a/b" gives the document name "a/b", which Firestore does not take; give firestoreLookUp an id function',
    });
    expect(good).toEqual({ name: 'One', category: 'food' });
    await client.close?.();
  });
});
