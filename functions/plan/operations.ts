/**
 * How many operations a deployed pipeline makes each second under a load, by the engine's own rules: an instance
 * commits at once when quiet and at most about every 700 ms under load; a bundle writes its root, its outbox and the
 * cells that changed. An estimate before anything runs; `infra/scripts/cost-table.ts` counts real runs, and a test holds
 * the two together.
 */
import type { Shape } from './deployed-functions.ts';
import { type Operations, OperationTally } from './operation-tally.ts';
import type { Plan, Stage } from './plan.ts';
import { distinct, stageOperations } from './stage-operations.ts';

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
/** Envelopes above so many bytes are compressed, to about a tenth: elements of one pipeline are much alike. */
const COMPRESS_ABOVE = 4_096;
const COMPRESSED = 0.1;

/** What flows on an edge, per second. */
interface Flow {
  readonly envelopes: number;
  readonly elements: number;
}

/** What a sender's bundles send, per second. */
interface Sent {
  readonly bundles: number;
  readonly elements: number;
}

const NOTHING: Flow = { envelopes: 0, elements: 0 };

export function operationsOf(plan: Plan, load: Load, shape: Shape): Operations {
  const tally = new OperationTally(shape);
  const sent = new Map<string, Sent>();
  let roots = 0;
  for (const source of plan.sources) {
    const instances = Math.max(1, Math.ceil(load.eventsPerSecond / EVENTS_AN_INSTANCE));
    roots += instances;
    sent.set(source.id, ingest(source.id, instances, load, tally));
  }
  for (const stage of plan.stages) {
    const flows = stage.inputs.map((input) => edge(sent.get(input)!, stage, tally));
    roots += stage.shards;
    sent.set(stage.id, bundles(plan, stage, sum(flows), load, tally));
  }
  sweeps(load.eventsPerSecond > 0, roots, plan.sources.length, tally);
  return tally.result();
}

function sum(flows: readonly Flow[]): Flow {
  return flows.reduce(
    (total, each) => ({
      envelopes: total.envelopes + each.envelopes,
      elements: total.elements + each.elements,
    }),
    NOTHING,
  );
}

function bundlesOf(arrivals: number): number {
  return Math.min(arrivals, 1 / COMMIT_INTERVAL);
}

/** How long a request waits for its commit. */
function latency(arrivals: number): number {
  return arrivals > 1 / COMMIT_INTERVAL ? COMMIT_INTERVAL : QUIET_REQUEST;
}

function ingest(source: string, instances: number, load: Load, tally: OperationTally): Sent {
  const { eventsPerSecond: events, bytesPerEvent } = load;
  const bundles = instances * bundlesOf(events / instances);
  tally.requests({ kind: 'ingest', source, instances }, events, latency(events / instances));
  tally.transported(events * Math.max(LEAST_BYTES, bytesPerEvent));
  tally.store({ writes: 2 * bundles, deletes: bundles });
  return { bundles, elements: events };
}

/** What a sender puts on the edge to a stage: a publish request a bundle and topic, an envelope a shard that gets something. */
function edge(from: Sent, stage: Stage, tally: OperationTally): Flow {
  if (from.bundles === 0) return NOTHING;
  const perBundle = from.elements / from.bundles;
  const envelopes = from.bundles * distinct(stage.shards, perBundle);
  const bytes = envelopes * (ENVELOPE_BYTES + packed((from.elements / envelopes) * ELEMENT_BYTES));
  tally.transported(Math.max(bytes, from.bundles * distinct(stage.slots, perBundle) * LEAST_BYTES));
  tally.transported(Math.max(bytes, envelopes * LEAST_BYTES));
  for (let slot = 0; slot < stage.slots; slot++)
    tally.requests(
      { kind: 'stage', stage: stage.id, slot },
      envelopes / stage.slots,
      latency(envelopes / stage.shards),
    );
  return { envelopes, elements: from.elements };
}

function packed(bytes: number): number {
  return bytes > COMPRESS_ABOVE ? bytes * COMPRESSED : bytes;
}

function bundles(plan: Plan, stage: Stage, flow: Flow, load: Load, tally: OperationTally): Sent {
  const { keys, partitionBytes } = load;
  const made = stage.shards * bundlesOf(flow.envelopes / stage.shards);
  if (made === 0) return { bundles: 0, elements: 0 };
  const taken = { bundles: made, elements: flow.elements, keys, partitionBytes };
  const elements = stageOperations(plan, stage, taken, tally);
  const sends = plan.stages.some(({ inputs }) => inputs.includes(stage.id)) ? Math.min(made, elements) : 0;
  // The outbox document.
  tally.store({ writes: sends, deletes: sends });
  return { bundles: sends, elements };
}

/** Cloud Scheduler's call each minute; while data flows, instances that are busy anyway sweep in turns. */
function sweeps(flowing: boolean, roots: number, sources: number, tally: OperationTally): void {
  tally.requests({ kind: 'sweep' }, 1 / IDLE_SWEEP, SWEEP_SECONDS);
  const each = 1 / (flowing ? BUSY_SWEEP : IDLE_SWEEP);
  // Every root and the pipeline's document are read, that is written, and what each source may drop.
  tally.store({ reads: each * (roots + 1), writes: each * (1 + (flowing ? sources : 0)) });
  // Whose turn it is: read and written once a sweep.
  if (flowing) tally.store({ reads: each, writes: each });
}
