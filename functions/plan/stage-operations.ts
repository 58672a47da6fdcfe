/** What the bundles of a stage do each second, by what stands at its head. */
import type { EnrichNode, ReduceNode, WriteBigQueryNode } from '../model/graph.ts';
import type { Trigger } from '../model/triggers.ts';
import type { OperationTally } from './operation-tally.ts';
import type { Plan, PlannedSource, Stage } from './plan.ts';

/** What arrives at a stage, and how it is used, per second. */
export interface StageFlow {
  readonly bundles: number;
  readonly elements: number;
  /** In use at a time. */
  readonly keys: number;
  /** What a day's partition of a table holds, in bytes. */
  readonly partitionBytes: number;
}

/** A MERGE, for which a request is held open. */
const MERGE_SECONDS = 5;
const MODEL_CALL_SECONDS = 1;
const LEAST_SCAN = 10 * 2 ** 20;
/** Where windows have no end of their own. */
const ENDLESS_WINDOW_MS = 3_600_000;

/** Tallies the bundles. @returns the elements that leave, per second */
export function stageOperations(plan: Plan, stage: Stage, flow: StageFlow, tally: OperationTally): number {
  const { head } = stage;
  switch (head.kind) {
    case 'writeBigQuery':
      sink(stage, head, flow, tally);
      return 0;
    case 'view':
      // Root, chunk and pointer; the chunk is deleted when the next version is out.
      tally.store({ writes: 3 * flow.bundles, deletes: flow.bundles });
      return 0;
    case 'reduce':
      keyed(plan, stage, flow, tally);
      return panes(head, flow);
    case 'stateful':
      keyed(plan, stage, flow, tally);
      return flow.elements;
    case 'enrich':
      model(stage, head, flow, tally);
      return flow.elements;
    case 'deduplicate':
    case 'reshuffle':
    case 'sideParDo':
      // Root, and one document of ids at most.
      tally.store({ writes: 2 * flow.bundles });
      return flow.elements;
  }
}

/** Expected number of different ones among `draws` from `kinds`. */
export function distinct(kinds: number, draws: number): number {
  return kinds <= 1 ? Math.min(1, draws) : kinds * (1 - (1 - 1 / kinds) ** draws);
}

/** The root, the cells that change, and in the first keyed stage the ids that were taken. */
function keyed(plan: Plan, stage: Stage, { bundles, elements, keys }: StageFlow, tally: OperationTally): void {
  const cells = bundles * distinct(keys / stage.shards, elements / bundles);
  const remembersIds = stage.inputs.some((input) => isExactlyOnceSource(plan.sources.find(({ id }) => id === input)));
  // A bundle's ids are added to a document that others are in already, so few are ever deleted.
  tally.store({ writes: bundles + cells + (remembersIds ? bundles : 0) });
}

function isExactlyOnceSource(source: PlannedSource | undefined): boolean {
  return source?.node.source.exactlyOnce === true && source.reader === 'messages';
}

/** Root and run a bundle; claim and settle a flush; each run is read and deleted by its flush. */
function sink({ id }: Stage, { flush }: WriteBigQueryNode, flow: StageFlow, tally: OperationTally): void {
  const { bundles, partitionBytes } = flow;
  const flushes = Math.min(bundles, 1_000 / flush.every);
  tally.store({ writes: 2 * bundles + 2 * flushes, reads: bundles, deletes: bundles });
  tally.open({ kind: 'stage', stage: id, slot: 0 }, flushes * MERGE_SECONDS);
  tally.scanned(flushes * Math.max(LEAST_SCAN, partitionBytes));
}

/** Root and waiting elements a bundle; claim and settle a call. */
function model({ id }: Stage, { batch, requestsPerMinute }: EnrichNode, flow: StageFlow, tally: OperationTally): void {
  const { bundles, elements } = flow;
  const full = elements / batch.instances;
  const waited = Math.min(elements, 1_000 / Math.max(1, batch.wait));
  const calls = Math.min(requestsPerMinute / 60, Math.max(full, waited));
  tally.store({ writes: 2 * bundles + 2 * calls, deletes: bundles });
  tally.open({ kind: 'stage', stage: id, slot: 0 }, calls * MODEL_CALL_SECONDS);
}

/** Panes a second: at most one an element, else as often as the trigger fires for each key that is in use. */
function panes({ strategy }: ReduceNode, { elements, keys }: StageFlow): number {
  const { windowFn } = strategy;
  const window =
    windowFn.kind === 'fixed' ? windowFn.size : windowFn.kind === 'sliding' ? windowFn.every : ENDLESS_WINDOW_MS;
  return Math.min(elements, firings(strategy.trigger, elements, keys) + (keys * 1_000) / window);
}

/** Firings a second before the window's end. */
function firings(trigger: Trigger, elements: number, keys: number): number {
  switch (trigger.kind) {
    case 'afterCount':
      return elements / trigger.count;
    case 'afterProcessingTime':
      return Math.min(elements, (keys * 1_000) / Math.max(1, trigger.delay));
    case 'afterWatermark':
      return trigger.early === undefined ? 0 : firings(trigger.early, elements, keys);
    case 'repeatedly':
    case 'orFinally':
      return firings(trigger.trigger, elements, keys);
    case 'afterFirst':
      return Math.max(...trigger.triggers.map((each) => firings(each, elements, keys)));
    case 'afterAll':
    case 'afterEach':
      return Math.min(...trigger.triggers.map((each) => firings(each, elements, keys)));
    default:
      return 0;
  }
}
