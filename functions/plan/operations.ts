/**
 * How many operations a deployed pipeline makes each second under a load, by the engine's own rules: an instance
 * commits at once when quiet and at most about every 700 ms under load; a bundle writes its root, its outbox and the
 * cells that changed. An estimate before anything runs; `infra/scripts/cost-table.ts` counts real runs, and a test holds
 * the two together.
 */
import type { ReduceNode } from '../model/graph.ts';
import type { Trigger } from '../model/triggers.ts';
import type { Shape } from './deployed-functions.ts';
import type { Plan, PlannedSource, Stage } from './plan.ts';

export interface Load {
  /** Of each source. */
  readonly eventsPerSecond: number;
  /** Of one event's message. Default 300. */
  readonly bytesPerEvent: number;
  /** Keys of a keyed stage that are in use at a time. Default 300. */
  readonly keys: number;
  /** What a day's partition of a table holds. Default 64 MiB. */
  readonly partitionBytes: number;
}

export const DEFAULT_LOAD: Load = {
  eventsPerSecond: 100,
  bytesPerEvent: 300,
  keys: 300,
  partitionBytes: 64 * 2 ** 20,
};

/** Per second. */
export interface Operations {
  readonly requests: number;
  /** Instances that have a request open, on average. */
  readonly busyInstances: number;
  /** Published and delivered, each request counted with its minimum. */
  readonly pubSubBytes: number;
  readonly reads: number;
  readonly writes: number;
  readonly deletes: number;
  readonly bytesScanned: number;
}

/** Between two commits of one root under load. */
export const COMMIT_INTERVAL = 0.7;
/** A request's time when quiet: one commit. */
const QUIET_REQUEST = 0.15;
/** A root's worth of events that one ingest instance takes. */
export const EVENTS_AN_INSTANCE = 700;
/** Between two sweeps while data flows; one a minute when it does not. */
const BUSY_SWEEP = 5;
const IDLE_SWEEP = 60;
const SWEEP_SECONDS = 0.5;
/** Of a message or request; each counts at least so much. */
const LEAST_BYTES = 1_000;
/** An envelope's own fields, and an element in it. */
const ENVELOPE_BYTES = 250;
const ELEMENT_BYTES = 150;
const LEAST_SCAN = 10 * 2 ** 20;

/** What flows on an edge, per second. */
interface Flow {
  readonly envelopes: number;
  readonly elements: number;
}

const NOTHING: Flow = { envelopes: 0, elements: 0 };

export function operationsOf(plan: Plan, load: Load, shape: Shape): Operations {
  const tally = new Tally(shape);
  const flowsOut = new Map<string, { bundles: number; elements: number }>();
  let roots = 0;
  for (const source of plan.sources) {
    const { bundles, instances } = ingest(load.eventsPerSecond, load.bytesPerEvent, tally);
    roots += instances;
    flowsOut.set(source.id, { bundles, elements: load.eventsPerSecond });
  }
  for (const stage of plan.stages) {
    const sent = stage.inputs.map((input) => edge(flowsOut.get(input)!, stage, tally));
    const flow = sent.reduce(
      (sum, each) => ({ envelopes: sum.envelopes + each.envelopes, elements: sum.elements + each.elements }),
      NOTHING,
    );
    roots += stage.shards;
    flowsOut.set(stage.id, stageBundles(plan, stage, flow, load, tally));
  }
  tally.sweep(load.eventsPerSecond > 0, roots, plan.sources.length);
  return tally.result();
}

/** Expected number of different ones among `draws` from `kinds`. */
function distinct(kinds: number, draws: number): number {
  return kinds <= 1 ? Math.min(1, draws) : kinds * (1 - (1 - 1 / kinds) ** draws);
}

function bundlesOf(arrivals: number): number {
  return Math.min(arrivals, 1 / COMMIT_INTERVAL);
}

/** How long a request waits for its commit. */
function latency(arrivals: number): number {
  return arrivals > 1 / COMMIT_INTERVAL ? COMMIT_INTERVAL : QUIET_REQUEST;
}

function ingest(events: number, bytes: number, tally: Tally): { bundles: number; instances: number } {
  const instances = Math.max(1, Math.ceil(events / EVENTS_AN_INSTANCE));
  const bundles = instances * bundlesOf(events / instances);
  tally.pushed('ingest', events, Math.max(LEAST_BYTES, bytes), latency(events / instances), instances);
  tally.store({ writes: 2 * bundles, deletes: bundles });
  return { bundles, instances };
}

/** What a sender's bundles put on the edge to a stage: one publish request a bundle, an envelope a shard that gets something. */
function edge(from: { bundles: number; elements: number }, stage: Stage, tally: Tally): Flow {
  if (from.bundles === 0) return NOTHING;
  const perBundle = from.elements / from.bundles;
  const envelopes = from.bundles * distinct(stage.shards, perBundle);
  const bytes = envelopes * ENVELOPE_BYTES + from.elements * ELEMENT_BYTES;
  tally.published(Math.max(bytes, from.bundles * LEAST_BYTES * Math.min(stage.slots, perBundle)));
  const each = bytes / envelopes;
  const perSlot = envelopes / stage.slots;
  for (let slot = 0; slot < stage.slots; slot++)
    tally.pushed(
      `${stage.id}--${slot}`,
      perSlot,
      Math.max(LEAST_BYTES, each),
      latency(envelopes / stage.shards),
      1,
      slot,
    );
  return { envelopes, elements: from.elements };
}

function stageBundles(
  plan: Plan,
  stage: Stage,
  flow: Flow,
  load: Load,
  tally: Tally,
): { bundles: number; elements: number } {
  const bundles = stage.shards * bundlesOf(flow.envelopes / stage.shards);
  if (bundles === 0) return { bundles: 0, elements: 0 };
  if (stage.head.kind === 'writeBigQuery') {
    const flushes = Math.min(bundles, 1_000 / stage.head.flush.every);
    // Root and run a bundle; claim and settle a flush; each run is read and deleted by its flush.
    tally.store({ writes: 2 * bundles + 2 * flushes, reads: bundles, deletes: bundles });
    tally.scanned(flushes * Math.max(LEAST_SCAN, load.partitionBytes));
    return { bundles, elements: 0 };
  }
  const cells = bundles * distinct(load.keys / stage.shards, flow.elements / bundles);
  const remembersIds = stage.inputs.some((input) => isExactlyOnceSource(plan.sources.find(({ id }) => id === input)));
  const elements = panes(stage.head as ReduceNode, flow.elements, load.keys);
  const sends = plan.stages.some(({ inputs }) => inputs.includes(stage.id)) ? Math.min(bundles, elements) : 0;
  const ids = remembersIds ? bundles : 0;
  tally.store({ writes: bundles + cells + sends + ids, deletes: sends + ids });
  return { bundles: sends, elements };
}

function isExactlyOnceSource(source: PlannedSource | undefined): boolean {
  return source?.node.source.exactlyOnce === true && source.reader === 'messages';
}

/** Panes a second: at most one an element, else as often as the trigger fires for each key that is in use. */
function panes({ strategy }: ReduceNode, elements: number, keys: number): number {
  const { windowFn } = strategy;
  const window = windowFn.kind === 'fixed' ? windowFn.size : windowFn.kind === 'sliding' ? windowFn.every : 3_600_000;
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

class Tally {
  readonly #shape: Shape;
  /** By function: how many requests are open on average, and its instances. */
  readonly #open = new Map<string, { requests: number; instances: number }>();
  #requests = 0;
  #bytes = 0;
  #reads = 0;
  #writes = 0;
  #deletes = 0;
  #scanned = 0;

  constructor(shape: Shape) {
    this.#shape = shape;
  }

  pushed(id: string, requests: number, bytes: number, seconds: number, instances: number, slot?: number): void {
    this.#bytes += requests * bytes;
    this.#request(
      this.#shape === 'services' && slot !== undefined ? `service--${slot}` : id,
      requests,
      seconds,
      instances,
    );
  }

  published(bytes: number): void {
    this.#bytes += bytes;
  }

  store({ reads = 0, writes = 0, deletes = 0 }: { reads?: number; writes?: number; deletes?: number }): void {
    this.#reads += reads;
    this.#writes += writes;
    this.#deletes += deletes;
  }

  scanned(bytes: number): void {
    this.#scanned += bytes;
  }

  /** Cloud Scheduler's call each minute; while data flows also instances that are busy anyway. */
  sweep(flowing: boolean, roots: number, sources: number): void {
    const sweeps = 1 / (flowing ? BUSY_SWEEP : IDLE_SWEEP);
    // Every root, and the pipeline's document written; what ingest may drop, a document a source.
    this.store({ reads: sweeps * (roots + 1), writes: sweeps * (1 + (flowing ? sources : 0)) });
    this.#request(this.#shape === 'services' ? 'service--0' : 'sweep', 1 / IDLE_SWEEP, SWEEP_SECONDS, 1);
  }

  result(): Operations {
    let busyInstances = 0;
    for (const { requests, instances } of this.#open.values())
      busyInstances += instances * (1 - Math.exp(-requests / instances));
    return {
      requests: this.#requests,
      busyInstances,
      pubSubBytes: this.#bytes,
      reads: this.#reads,
      writes: this.#writes,
      deletes: this.#deletes,
      bytesScanned: this.#scanned,
    };
  }

  #request(id: string, requests: number, seconds: number, instances: number): void {
    this.#requests += requests;
    const open = this.#open.get(id) ?? { requests: 0, instances };
    this.#open.set(id, {
      requests: open.requests + requests * seconds,
      instances: Math.max(instances, open.instances),
    });
  }
}
