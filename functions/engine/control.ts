/**
 * What operators and deployments have decided about a pipeline: a document each in the collection `control`, changed under
 * its version, so that two who decide at once do not overwrite each other unseen. Sweeps obey.
 */
import { OutdatedError, ReadingEndedError } from '../model/errors.ts';
import type { EpochMillis } from '../model/time.ts';
import type { StoredShape } from '../plan/stored-shape.ts';
import type { Precondition, Store, StoredDocument, Version } from '../ports/store.ts';

/** `control/topology`: what is deployed. */
export interface TopologyControl {
  /** Rises with each admitted change. */
  readonly topology: number;
  /** Rises with each fresh start after a drain: watermarks begin anew, and panes are newer than all before. */
  readonly epoch: number;
  readonly shape: StoredShape;
  readonly admittedAt: EpochMillis;
  /** A fresh start has begun and is not through; whoever deploys next goes on with it. The shape is that of before until then. */
  readonly startingAfresh?: true;
}

/** `control/paused`: the stages that get nothing. What is sent to them waits, and holds its watermarks. */
export interface PausedControl {
  readonly stages: Readonly<Record<string, PausedStage>>;
}

export interface PausedStage {
  readonly since: EpochMillis;
  /** What it takes to start the delivery again, noted before any of it is stopped. Plain JSON. */
  readonly delivery: unknown;
  /** What is under way, or broke off, so that a part of the delivery may be on; absent: it is off. */
  readonly step?: PauseStep;
}

export type PauseStep = 'pausing' | 'resuming';

/** `control/drain`: the pipeline reads no more, and comes to its end. */
export interface DrainControl {
  readonly since: EpochMillis;
  /** Until then what was being read may still be committed; the sources' watermarks stand. */
  readonly readingEnds: EpochMillis;
  /** A sweep has ended the reading: no ingest instance begins a root any more. */
  readonly closed?: true;
  /** Watermarks go on with the clock until every window has closed by itself, at the latest until then; absent: they go to the end at once. */
  readonly closingEnds?: EpochMillis;
}

export interface Controls {
  readonly topology: TopologyControl;
  readonly paused: PausedControl;
  readonly drain: DrainControl;
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
  return asControl(stored);
}

/** What is deployed and whether it drains, both of one moment: a fresh start ends a drain. */
export async function readDeployment(store: Store): Promise<{
  readonly topology: StoredControl<TopologyControl> | undefined;
  readonly drain: StoredControl<DrainControl> | undefined;
}> {
  const [topology, drain] = await store.get('control', ['topology', 'drain']);
  return { topology: asControl(topology), drain: asControl(drain) };
}

/** What sweeps obey, in one read. */
export async function readOrders(
  store: Store,
): Promise<{ readonly paused: ReadonlySet<string>; readonly drain: StoredControl<DrainControl> | undefined }> {
  const [paused, drain] = await store.get('control', ['paused', 'drain']);
  const stages = (paused?.body as PausedControl | undefined)?.stages ?? {};
  return {
    paused: new Set(Object.keys(stages)),
    drain: asControl(drain),
  };
}

function asControl<T>(stored: StoredDocument | undefined): StoredControl<T> | undefined {
  return stored === undefined ? undefined : { body: stored.body as T, version: stored.version };
}

/**
 * What the first commit of a root that is named by chance (an ingest instance's, a replay's) asks beside its absence: that
 * no later epoch has begun, since nobody of that would ever look for it.
 * @throws {OutdatedError} when one has
 */
export async function epochFence(store: Store, epoch: number): Promise<Precondition> {
  const stored = await readControl(store, 'topology');
  if (stored !== undefined && stored.body.epoch > epoch)
    throw new OutdatedError(
      `the pipeline was started afresh, as epoch ${stored.body.epoch}; this is of epoch ${epoch}`,
    );
  return { collection: 'control', id: 'topology', version: stored?.version ?? 'absent' };
}

/**
 * What the first commit of an ingest instance's root asks besides: that no drain has ended the reading since this was read,
 * since the watermark of its source may be at the end then.
 * @throws {ReadingEndedError} when one has
 */
export async function readingFence(store: Store): Promise<Precondition> {
  const stored = await readControl(store, 'drain');
  if (stored?.body.closed)
    throw new ReadingEndedError(
      'the pipeline drains and reads no more; its source keeps the message for what is deployed after the drain',
    );
  return { collection: 'control', id: 'drain', version: stored?.version ?? 'absent' };
}

/**
 * @returns what is stored now
 * @throws {ContentionError} when somebody else has decided in the meantime
 */
export async function writeControl<N extends keyof Controls>(
  store: Store,
  name: N,
  body: Controls[N],
  before: StoredControl<Controls[N]> | undefined,
): Promise<StoredControl<Controls[N]>> {
  const document = { collection: 'control', id: name } as const;
  const precondition = { ...document, version: before?.version ?? ('absent' as const) };
  const [version] = await store.commit({ preconditions: [precondition], sets: [{ ...document, body }], deletes: [] });
  return { body, version: version! };
}
