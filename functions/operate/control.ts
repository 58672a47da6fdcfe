/**
 * What operators and deployments have decided about a pipeline: a document each in the collection `control`, changed under
 * its version, so that two who decide at once do not overwrite each other unseen.
 */
import type { EpochMillis } from '../model/time.ts';
import type { StoredShape } from '../plan/stored-shape.ts';
import type { Store, Version } from '../ports/store.ts';

/** `control/topology`: what is deployed. */
export interface TopologyControl {
  /** Rises with each admitted change. */
  readonly topology: number;
  /** Rises with each fresh start. */
  readonly epoch: number;
  readonly shape: StoredShape;
  readonly admittedAt: EpochMillis;
}

export interface Controls {
  readonly topology: TopologyControl;
}

export interface StoredControl<T> {
  readonly body: T;
  readonly version: Version;
}

export async function readControl<N extends keyof Controls>(
  store: Store,
  name: N,
): Promise<StoredControl<Controls[N]> | undefined> {
  const [stored] = await store.get('control', [name]);
  return stored === undefined ? undefined : { body: stored.body as Controls[N], version: stored.version };
}

/** @throws {ContentionError} when somebody else has decided in the meantime */
export async function writeControl<N extends keyof Controls>(
  store: Store,
  name: N,
  body: Controls[N],
  before: StoredControl<Controls[N]> | undefined,
): Promise<void> {
  const document = { collection: 'control', id: name } as const;
  const precondition = { ...document, version: before?.version ?? ('absent' as const) };
  await store.commit({ preconditions: [precondition], sets: [{ ...document, body }], deletes: [] });
}
