/**
 * Which functions a plan is deployed as, in either shape. Invariant: in both shapes the same handlers stand behind the
 * same paths; a shape only says which function has which.
 */
import { ConfigurationError } from '../model/errors.ts';
import { sidesOf } from '../model/graph.ts';
import { MANIFEST_VARIABLES } from './environment.ts';
import type { Plan, Stage } from './plan.ts';
import { functionName } from './resource-names.ts';

/**
 * `functions`: a function a stage and slot, one a source, one for the sweep.
 * `services`: one a slot for all stages and the sweep, and one for all sources; cheaper while small.
 */
export const SHAPES = ['functions', 'services'] as const;
export type Shape = (typeof SHAPES)[number];

/** Something that a function answers for, and the path on which it does. */
export interface Served {
  readonly kind: 'source' | 'stage' | 'sweep' | 'undelivered';
  /** The source or stage; of `sweep` and `undelivered` the kind again. */
  readonly id: string;
  readonly path: string;
}

export interface DeployedFunction {
  /** Unique in the manifest: `ingest--{source}`, `{stage}--{slot}`, `sweep`; or `service--{slot}`, `ingest`. */
  readonly id: string;
  readonly name: string;
  readonly role: 'ingest' | 'stage' | 'sweep';
  readonly serves: readonly Served[];
  readonly slot: number | null;
  readonly memoryMiB: number;
  readonly cpu: number;
  /** Requests that one instance works on at once. */
  readonly concurrency: number;
  readonly minInstances: number;
  /** One where shards run: what keeps caches warm and commits free of contention. */
  readonly maxInstances: number;
  /** Below the acknowledgement deadline of whatever pushes to it. */
  readonly timeoutSeconds: number;
  readonly environment: Readonly<Record<string, string>>;
}

/** What functions may be told apart by; see `DeployOptions`. */
export interface FunctionOptions {
  readonly shape: Shape;
  readonly topology: number;
  /** Rises with each fresh start after a drain. */
  readonly epoch: number;
  /** Most instances of an ingest function. */
  readonly ingestInstances: number;
}

/** Functions-framework's name of the one function in `functions/main.ts`; what it serves, it is told by variables. */
export const ENTRY_POINT = 'millrace';
export const RUNTIME = 'nodejs24';

/** Envelopes have at most 256 KiB, so that these stay far below the memory. */
const CONCURRENCY = 250;
const MEMORY_MIB = 512;
const SERVICE_MEMORY_MIB = 1_024;
/** What a view's bytes take as JavaScript values, and what memory is rounded up to. */
const VALUES_A_BYTE = 4;
const MEMORY_STEP_MIB = 256;
const MIB = 2 ** 20;
/** Of so many vCPUs; see https://cloud.google.com/run/docs/configuring/services/memory-limits. */
const MOST_MEMORY_MIB: readonly (readonly [vcpus: number, memoryMiB: number])[] = [
  [1, 4_096],
  [2, 8_192],
  [4, 16_384],
  [8, 32_768],
];
/** How much of the memory JavaScript's values may have; the rest is for code, buffers and the clients. */
const HEAP_SHARE = 0.75;
const TIMEOUT_SECONDS = 120;
/** Where a call to the outside is made within the request: a MERGE may take minutes. */
const CALLING_TIMEOUT_SECONDS = 540;
const SWEEP_TIMEOUT_SECONDS = 170;

export function servedSource(source: string): Served {
  return { kind: 'source', id: source, path: `/sources/${source}` };
}

export function servedStage(stage: string): Served {
  return { kind: 'stage', id: stage, path: `/stages/${stage}` };
}

export const SWEEP: Served = { kind: 'sweep', id: 'sweep', path: '/sweep' };
export const UNDELIVERED: Served = { kind: 'undelivered', id: 'undelivered', path: '/undelivered' };

/** @throws {ConfigurationError} when a source has nothing that pushes to it, be it a view's own */
export function deployedFunctions(plan: Plan, options: FunctionOptions): readonly DeployedFunction[] {
  for (const source of plan.sources)
    if (source.reader === 'splits')
      throw new ConfigurationError(
        `source '${source.id}' of pipeline '${plan.pipeline}' reads a file; deployed pipelines read topics, so use readPubSub and publish the file's records`,
      );
  for (const { head, loads } of plan.stages)
    if (loads !== undefined)
      throw new ConfigurationError(
        `view '${head.name}' of pipeline '${plan.pipeline}' has refreshEvery and reads the file of '${loads.id}' again and again; deployed pipelines read topics, so use readPubSub and publish what has changed, or ask the store itself with lookUp`,
      );
  return options.shape === 'functions' ? aFunctionEach(plan, options) : aServiceASlot(plan, options);
}

function aFunctionEach(plan: Plan, options: FunctionOptions): DeployedFunction[] {
  const ingest = plan.sources.map((source) =>
    make(plan, options, {
      id: `ingest--${source.id}`,
      role: 'ingest',
      serves: [servedSource(source.id)],
      slot: null,
    }),
  );
  const stages = plan.stages.flatMap((stage) =>
    slotsOf(stage).map((slot) =>
      make(plan, options, { id: `${stage.id}--${slot}`, role: 'stage', serves: [servedStage(stage.id)], slot }),
    ),
  );
  const sweep = make(plan, options, { id: 'sweep', role: 'sweep', serves: [SWEEP, UNDELIVERED], slot: null });
  return [...ingest, ...stages, sweep];
}

function aServiceASlot(plan: Plan, options: FunctionOptions): DeployedFunction[] {
  const ingest = make(plan, options, {
    id: 'ingest',
    role: 'ingest',
    serves: plan.sources.map((source) => servedSource(source.id)),
    slot: null,
  });
  const most = Math.max(1, ...plan.stages.map((stage) => stage.slots));
  const services = Array.from({ length: most }, (_, slot) => {
    const stages = plan.stages.filter((stage) => slot < stage.slots).map((stage) => servedStage(stage.id));
    // The sweep runs where an instance is warm anyway.
    const serves = slot === 0 ? [...stages, SWEEP, UNDELIVERED] : stages;
    return make(plan, options, { id: `service--${slot}`, role: 'stage', serves, slot });
  });
  return [ingest, ...services];
}

type Placed = Pick<DeployedFunction, 'id' | 'role' | 'serves' | 'slot'>;

function make(plan: Plan, options: FunctionOptions, placed: Placed): DeployedFunction {
  const memoryMiB = memory(plan, options, placed);
  return {
    ...placed,
    name: functionName(plan.pipeline, placed.id),
    memoryMiB,
    cpu: vcpus(plan, placed, memoryMiB),
    concurrency: CONCURRENCY,
    minInstances: 0,
    maxInstances: placed.role === 'ingest' ? options.ingestInstances : 1,
    timeoutSeconds: timeout(plan, placed),
    environment: environment(plan, options, placed, memoryMiB),
  };
}

/** As few as Cloud Run gives so much memory to. @throws {ConfigurationError} when it gives so much to nobody */
function vcpus({ pipeline }: Plan, { id }: Placed, memoryMiB: number): number {
  const most = MOST_MEMORY_MIB.find(([, memory]) => memoryMiB <= memory);
  if (most !== undefined) return most[0];
  throw new ConfigurationError(
    `function '${id}' of pipeline '${pipeline}' needs ${Math.ceil(memoryMiB / 1_024)} GiB of memory for its views, and Cloud Run gives 32; lower maxBytes of the views, or deploy with --shape functions, where each stage has memory of its own`,
  );
}

/** A common base, and room for the views that are written or read there, up to their byte budgets. */
function memory(plan: Plan, { shape }: FunctionOptions, { role, serves }: Placed): number {
  const base = shape === 'services' && role === 'stage' ? SERVICE_MEMORY_MIB : MEMORY_MIB;
  const views = serves.reduce((sum, { kind, id }) => (kind === 'stage' ? sum + viewBytes(plan.stage(id)) : sum), 0);
  return base + MEMORY_STEP_MIB * Math.ceil((views * VALUES_A_BYTE) / MIB / MEMORY_STEP_MIB);
}

function viewBytes({ head }: Stage): number {
  if (head.kind === 'view') return head.maxBytes;
  return sidesOf(head).reduce((sum, { view }) => sum + view.maxBytes, 0);
}

function timeout(plan: Plan, { role, serves }: Placed): number {
  if (role === 'sweep') return SWEEP_TIMEOUT_SECONDS;
  return serves.some(({ kind, id }) => kind === 'stage' && callsOutside(plan.stage(id)))
    ? CALLING_TIMEOUT_SECONDS
    : TIMEOUT_SECONDS;
}

/** Whether a stage makes calls that may take minutes within its requests. */
export function callsOutside(stage: Stage): boolean {
  return stage.head.kind === 'writeBigQuery' || callsModel(stage);
}

export function callsModel(stage: Stage): boolean {
  return stage.head.kind === 'enrich';
}

export function slotsOf(stage: Stage): readonly number[] {
  return Array.from({ length: stage.slots }, (_, slot) => slot);
}

function environment(
  plan: Plan,
  options: FunctionOptions,
  { serves, slot }: Placed,
  memoryMiB: number,
): Record<string, string> {
  const most = (of: (stage: Stage) => number): string => String(Math.max(1, ...plan.stages.map(of)));
  return {
    [MANIFEST_VARIABLES.pipeline]: plan.pipeline,
    [MANIFEST_VARIABLES.serves]: serves.map(({ kind, id }) => (kind === id ? kind : `${kind}:${id}`)).join(','),
    ...(slot === null ? {} : { [MANIFEST_VARIABLES.slot]: String(slot) }),
    [MANIFEST_VARIABLES.shards]: most((stage) => stage.shards),
    [MANIFEST_VARIABLES.slots]: most((stage) => stage.slots),
    [MANIFEST_VARIABLES.topology]: String(options.topology),
    [MANIFEST_VARIABLES.epoch]: String(options.epoch),
    [MANIFEST_VARIABLES.nodeOptions]: `--max-old-space-size=${Math.floor(memoryMiB * HEAP_SHARE)}`,
  };
}
