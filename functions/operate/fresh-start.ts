/**
 * A fresh start of a drained pipeline: a new epoch under the same name, whose watermarks begin anew and whose panes are newer
 * than all before, whatever its stages are now.
 *
 * Invariants, in this order, each step of which may be done again when it broke off:
 * 1. The epoch is raised first. From then on nobody of an earlier one creates an ingest or replay root (`epochFence`).
 * 2. Then those roots go, each under its version and only when all that it sent was taken, so nobody sends any more.
 * 3. Then the shards' roots are written anew, each under its version, under a topology that those before refuse to work on
 *    (`openRoot`), and none before all are known to be settled: a new root does not know what was taken. So what a shard has
 *    sent was taken, and an envelope of an earlier epoch that comes later is a repetition.
 * 4. Only then what was stored beside is removed. Dead letters stay; and the ids of elements, where their shards stay.
 * All of it under the version of the control document that says that a fresh start is under way: whoever stood still until
 * somebody else has ended it, or gone on with it, changes nothing of what is there by then.
 */
import { readControl, type StoredControl, type TopologyControl, writeControl } from '../engine/control.ts';
import { MAX_DELETES } from '../engine/protocol/commit-limits.ts';
import { earliestHold } from '../engine/protocol/holds.ts';
import { isShardRoot, parseShardId, type RootId } from '../engine/protocol/names.ts';
import { newRoot, type Root } from '../engine/protocol/root.ts';
import { sinkState } from '../engine/sink/sink-work.ts';
import { isSettled, outboxOf } from '../engine/sweep/retire.ts';
import { ConfigurationError } from '../model/errors.ts';
import { describeInstant, type EpochMillis, MAX_TIMESTAMP } from '../model/time.ts';
import type { Plan } from '../plan/plan.ts';
import { storedShape } from '../plan/stored-shape.ts';
import type { Collection, DocumentName, ListingStore, Precondition, Version } from '../ports/store.ts';
import { drainProgress, describeProgress } from './drain.ts';
import { survey } from './status/survey.ts';
import { isUntouched } from './untouched.ts';

/** There is something left that a fresh start would lose. */
export class NotDrained extends ConfigurationError {
  override readonly code = 'NOT_DRAINED';

  /** @param since when it was told to drain; absent: it was not, or is through but for this */
  constructor(pipeline: string, left: string, since?: EpochMillis) {
    const drains =
      since === undefined
        ? `'${pipeline}' is not drained, and a fresh start would lose what is left`
        : `'${pipeline}' drains since ${describeInstant(since)}, and until it is through nothing is deployed or started afresh, which would lose what is left`;
    const mend =
      since === undefined
        ? ''
        : '; a version that mends what keeps it from its end is deployed with --draining (the gcloud script: DRAINING=yes)';
    super(`${drains}: ${left}; wait for the end of millrace drain, or give the new version a name of its own${mend}`);
  }
}

const TOPOLOGY = { collection: 'control', id: 'topology' } as const;
/** What an epoch leaves behind that the next must not find. */
const LEFT_BEHIND: readonly Collection[] = ['outbox', 'cells', 'parts', 'runs', 'views', 'settled'];
/** Deletes of one commit of views, whose documents have up to half a MiB. */
const VIEWS_AT_ONCE = 12;

/**
 * @param stored the topology upon which it was decided; default: what is stored now
 * @returns what is admitted: a higher topology and a higher epoch
 * @throws {NotDrained} when something is left; nothing is lost, and it may be tried again
 * @throws {ContentionError} when somebody else decides or works at the same moment; it may be tried again
 */
export async function startAfresh(
  store: ListingStore,
  plan: Plan,
  now: EpochMillis,
  stored?: StoredControl<TopologyControl>,
): Promise<TopologyControl> {
  const { body: before, version } = await begun(store, plan, now, stored ?? (await readControl(store, 'topology')));
  const underWay: Precondition = { ...TOPOLOGY, version };
  await endSenders(store, plan.pipeline, before.topology, underWay);
  const kept = await renewShards(store, plan, before, underWay);
  for (const collection of LEFT_BEHIND) await clear(store, collection, underWay);
  await clear(store, 'ids', underWay, (id) => kept.has(id.slice(0, id.lastIndexOf('~'))));
  const drained = await readControl(store, 'drain');
  const { startingAfresh: _, ...numbers } = before;
  const admitted: TopologyControl = { ...numbers, shape: storedShape(plan) };
  const drain = { collection: 'control', id: 'drain' } as const;
  await store.commit({
    preconditions: [underWay, ...(drained === undefined ? [] : [{ ...drain, version: drained.version }])],
    sets: [{ ...TOPOLOGY, body: admitted }],
    deletes: drained === undefined ? [] : [drain],
  });
  return admitted;
}

/** Raises the epoch, or goes on with the one that was begun. */
async function begun(
  store: ListingStore,
  plan: Plan,
  now: EpochMillis,
  stored: StoredControl<TopologyControl> | undefined,
): Promise<StoredControl<TopologyControl>> {
  let next: TopologyControl;
  if (stored?.body.startingAfresh) next = { ...stored.body, admittedAt: now };
  else {
    const surveyed = await survey(store, plan.pipeline, now, stored === undefined ? plan : undefined);
    const progress = drainProgress(surveyed);
    if (!progress.drained && !isUntouched(surveyed))
      throw new NotDrained(plan.pipeline, describeProgress(progress), surveyed.drain?.since);
    const { topology = 1, epoch = 1, shape = storedShape(plan) } = stored?.body ?? {};
    next = { topology: topology + 1, epoch: epoch + 1, shape, admittedAt: now, startingAfresh: true };
  }
  return writeControl(store, 'topology', next, stored);
}

interface Snapshot {
  readonly roots: ReadonlyMap<RootId, Root>;
  readonly versions: ReadonlyMap<RootId, Version>;
}

async function snapshotOf(store: ListingStore): Promise<Snapshot> {
  const stored = await store.roots();
  return {
    roots: new Map(stored.map(({ id, body }) => [id, body as Root])),
    versions: new Map(stored.map(({ id, version }) => [id, version])),
  };
}

/** Removes the roots of readers and replays of earlier epochs; nobody creates new ones. */
async function endSenders(
  store: ListingStore,
  pipeline: string,
  topology: number,
  underWay: Precondition,
): Promise<void> {
  const { roots, versions } = await snapshotOf(store);
  for (const root of roots.values()) {
    if (isShardRoot(root.id) || root.topology >= topology) continue;
    refuseUnsettled(pipeline, root, roots, topology);
    const fence = { collection: 'roots', id: root.id, version: versions.get(root.id)! } as const;
    const documents = outboxOf(root).slice(0, MAX_DELETES);
    const own: DocumentName[] = [{ collection: 'roots', id: root.id }];
    await store.commit({ preconditions: [underWay, fence], sets: [], deletes: [...own, ...documents] });
  }
}

/** Writes the shards' roots anew. @returns the shards that keep the ids of their elements */
async function renewShards(
  store: ListingStore,
  plan: Plan,
  { topology, epoch, shape }: TopologyControl,
  underWay: Precondition,
): Promise<Set<RootId>> {
  const { roots, versions } = await snapshotOf(store);
  const kept = new Set<RootId>();
  const sinks = new Set(shape.stages.filter(({ kind }) => kind === 'writeBigQuery').map(({ id }) => id));
  for (const root of roots.values())
    if (root.topology < topology) refuseUnsettled(plan.pipeline, root, roots, topology, sinks);
  for (const root of roots.values()) {
    const keeps = keepsIds(plan, root);
    if (keeps) kept.add(root.id);
    if (root.topology >= topology) continue;
    const renewed: Root = {
      ...newRoot(root.id, topology),
      nonce: `epoch ${epoch}`,
      // Nothing else is due in a shard without keys; one that gets nothing any more has to be told.
      ...(keeps && root.ids !== undefined ? { ids: root.ids, processingDue: root.processingDue } : {}),
    };
    const name = { collection: 'roots', id: root.id } as const;
    const preconditions = [underWay, { ...name, version: versions.get(root.id)! }];
    await store.commit({ preconditions, sets: [{ ...name, body: renewed }], deletes: [] });
  }
  return kept;
}

/** Whether a shard holds the same elements as before, so that it goes on to know their repetitions. */
function keepsIds({ stages }: Plan, { id, ids }: Root): boolean {
  if (ids === undefined || !isShardRoot(id)) return false;
  const { stage, shard } = parseShardId(id);
  return stages.some((each) => each.id === stage && shard < each.shards);
}

/**
 * @param topology of the fresh start: a shard that it has written anew had taken everything
 * @param sinks the stages whose rows wait for a table
 */
function refuseUnsettled(
  pipeline: string,
  root: Root,
  roots: ReadonlyMap<RootId, Root>,
  topology: number,
  sinks: ReadonlySet<string> = new Set(),
): void {
  const open = Object.entries(root.open).filter(([target]) => (roots.get(target)?.topology ?? 0) < topology);
  const left = [
    ...(isSettled({ ...root, open: Object.fromEntries(open) }, roots) ? [] : ['envelopes']),
    ...(root.outside.length === 0 ? [] : ['messages for topics outside']),
    ...(root.cells === 0 && earliestHold(root.holds) >= MAX_TIMESTAMP ? [] : ['open keys']),
    // What is replayed may have come to a sink since it seemed drained.
    ...(isShardRoot(root.id) && sinks.has(parseShardId(root.id).stage) && hasRows(root) ? ['rows'] : []),
  ];
  if (left.length > 0)
    throw new NotDrained(pipeline, `${left.join(' and ')} of ${root.id}, which sweeps bring to their end`);
}

function hasRows(root: Root): boolean {
  const { rows, claim } = sinkState(root);
  return rows > 0 || claim !== null;
}

/** Deletes what a collection holds, but what is kept. */
async function clear(
  store: ListingStore,
  collection: Collection,
  underWay: Precondition,
  isKept: (id: string) => boolean = () => false,
): Promise<void> {
  const atOnce = collection === 'views' ? VIEWS_AT_ONCE : MAX_DELETES;
  let limit = atOnce;
  for (;;) {
    const found = await store.list(collection, limit);
    const gone = found.filter((id) => !isKept(id));
    if (gone.length > 0) {
      const deletes = gone.slice(0, atOnce).map((id): DocumentName => ({ collection, id }));
      await store.commit({ preconditions: [underWay], sets: [], deletes });
    } else if (found.length < limit) return;
    // What is kept comes again each time.
    limit = found.length - gone.length + atOnce;
  }
}
