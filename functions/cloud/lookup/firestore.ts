/** Look-ups in a Firestore collection: one `getAll` a batch. The client is loaded in `setup`, so that who looks nothing up does not pay for it. */
import { optionalFunction } from '../../model/author-function.ts';
import type { Firestore, ReadOptions, Settings } from '@google-cloud/firestore';
import { PoisonError } from '../../model/errors.ts';
import { type Key, keyText } from '../../model/key.ts';
import { checkOptions } from '../../model/options.ts';
import type { LookUpClient } from '../../model/transforms/look-up.ts';
import { classifyGrpc } from '../grpc-errors.ts';

export interface FirestoreLookUpOptions<K extends Key> {
  /** The collection's path, such as `merchants`. */
  readonly collection: string;
  /** The name of a key's document. Default: the key itself, which must be a text or number then. */
  readonly id?: (key: K) => string;
  /** Only these fields are read. Default: all. */
  readonly fields?: readonly string[];
  /** Default: the project that the function runs in. */
  readonly projectId?: string;
  /** Default: `(default)`. */
  readonly databaseId?: string;
  /** `host:port` of an emulator; absent: Google's own. */
  readonly emulatorHost?: string;
}

/** The fields of a document, as Firestore's client gives them. */
export type FirestoreFields = Readonly<Record<string, unknown>>;

/** @example client: firestoreLookUp({ collection: 'merchants', fields: ['name', 'category'] }) */
export function firestoreLookUp<K extends Key>(
  options: FirestoreLookUpOptions<K>,
): () => Promise<LookUpClient<K, FirestoreFields>> {
  checkOptions<FirestoreLookUpOptions<K>>('firestoreLookUp(options)', options, {
    collection: true,
    id: true,
    fields: true,
    projectId: true,
    databaseId: true,
    emulatorHost: true,
  });
  const { collection, fields, projectId, databaseId, emulatorHost } = options;
  const id = optionalFunction('firestoreLookUp id', options.id) ?? plainId;
  const settings: Settings = {
    ...(projectId === undefined ? {} : { projectId }),
    ...(databaseId === undefined ? {} : { databaseId }),
    ...(emulatorHost === undefined ? {} : { host: emulatorHost, ssl: false }),
  };
  return async () => {
    // Else the client looks for a metadata server, for seconds, before the first call.
    if (emulatorHost !== undefined) process.env['METADATA_SERVER_DETECTION'] ??= 'none';
    const { Firestore } = await import('../clients/hand-written-firestore.ts');
    const firestore = new Firestore(settings);
    return {
      get: (keys) =>
        getAll(
          firestore,
          collection,
          keys.map((key) => named(key, id)),
          fields,
        ),
      close: () => firestore.terminate(),
    };
  };
}

async function getAll(
  firestore: Firestore,
  collection: string,
  ids: readonly (string | PoisonError)[],
  fields: readonly string[] | undefined,
): Promise<readonly (FirestoreFields | PoisonError | undefined)[]> {
  const wanted = ids.filter((id) => typeof id === 'string');
  if (wanted.length === 0) return ids as PoisonError[];
  const references = wanted.map((id) => firestore.collection(collection).doc(id));
  const options: ReadOptions[] = fields === undefined ? [] : [{ fieldMask: [...fields] }];
  let found: Map<string, FirestoreFields | undefined>;
  try {
    const snapshots = await firestore.getAll(...references, ...options);
    found = new Map(snapshots.map((snapshot) => [snapshot.id, snapshot.data()]));
  } catch (error) {
    throw classifyGrpc(error, `Firestore: look-up of ${wanted.length} documents of ${collection}`);
  }
  return ids.map((id) => (typeof id === 'string' ? found.get(id) : id));
}

/** The document's name, or why the key has none. */
function named<K extends Key>(key: K, id: (key: K) => string): string | PoisonError {
  const name = id(key);
  if (typeof name === 'string' && name !== '' && name !== '.' && name !== '..' && !/[/]|^__.*__$/.test(name))
    return name;
  return new PoisonError(
    `the key ${keyText(key).slice(0, 200)} gives the document name ${JSON.stringify(name)}, which Firestore does not take; give firestoreLookUp an id function`,
  );
}

function plainId(key: Key): string {
  return typeof key === 'string' ? key : typeof key === 'number' ? String(key) : '';
}
