/**
 * One look at a pipeline: everything that operators' commands say comes from one snapshot of its roots, and from what was
 * published before it was taken.
 */
import { readPublished } from '../../engine/pipeline-document.ts';
import { isShardRoot, parseShardId, type RootId, sourceOf } from '../../engine/protocol/names.ts';
import type { Root } from '../../engine/protocol/root.ts';
import { advance, computeWatermarks, type Watermarks } from '../../engine/protocol/watermarks.ts';
import { ConfigurationError } from '../../model/errors.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Plan } from '../../plan/plan.ts';
import { type StoredShape, type StoredStage, storedShape } from '../../plan/stored-shape.ts';
import type { Store } from '../../ports/store.ts';
import { type DrainControl, type PausedControl, readControl, type TopologyControl } from '../../engine/control.ts';

export interface Survey {
  readonly pipeline: string;
  readonly shape: StoredShape;
  readonly topology: TopologyControl | undefined;
  readonly paused: PausedControl['stages'];
  readonly drain: DrainControl | undefined;
  readonly roots: ReadonlyMap<RootId, Root>;
  /** The newest watermarks that are safe: published, or computed from this snapshot. */
  readonly watermarks: Watermarks;
  /** As the snapshot alone has them, with published source watermarks; what holds a watermark is found by these. */
  readonly computed: Watermarks;
  /** When each output watermark last moved. */
  readonly moved: Readonly<Record<string, EpochMillis>>;
  readonly lastSweep: EpochMillis;
  readonly now: EpochMillis;
}

/**
 * @param plan of the code, where it is at hand; asked only where it is not noted what was deployed
 * @throws {ConfigurationError} when nothing is stored
 */
export async function survey(store: Store, pipeline: string, now: EpochMillis, plan?: Plan): Promise<Survey> {
  const topology = (await readControl(store, 'topology'))?.body;
  const paused = (await readControl(store, 'paused'))?.body.stages ?? {};
  const drain = (await readControl(store, 'drain'))?.body;
  const { watermarks: published, lastSweep, moved } = await readPublished(store, topology?.epoch);
  const roots = new Map((await store.roots()).map(({ id, body }) => [id, body as Root]));
  if (roots.size === 0 && topology === undefined) throw nothingStored(pipeline);
  // The code at hand may be of another version than what runs; the doctor says so.
  const shape = topology?.shape ?? (plan === undefined ? undefined : storedShape(plan));
  if (shape === undefined)
    throw new ConfigurationError(
      `it is not noted which stages pipeline '${pipeline}' has; name its module with --pipeline`,
    );
  const sources = Object.fromEntries(
    shape.sources.flatMap(({ id }) => (published.output[id] === undefined ? [] : [[id, published.output[id]]])),
  );
  const computed = computeWatermarks(shape.stages, roots, sources);
  const watermarks = advance(published, computed);
  return { pipeline, shape, topology, paused, drain, roots, watermarks, computed, moved, lastSweep, now };
}

/** For commands that need no look at the whole. @throws {ConfigurationError} when nothing is stored of a pipeline */
export async function requireStored(store: Store, pipeline: string): Promise<void> {
  if ((await readControl(store, 'topology')) === undefined && (await store.roots()).length === 0)
    throw nothingStored(pipeline);
}

function nothingStored(pipeline: string): ConfigurationError {
  return new ConfigurationError(
    `nothing is stored of pipeline '${pipeline}': it has not run here yet, or it has another name or project`,
  );
}

/** @throws {ConfigurationError} naming the stages there are */
export function stageOf({ shape, pipeline }: Survey, id: string): StoredStage {
  const stage = shape.stages.find((candidate) => candidate.id === id);
  if (stage === undefined)
    throw new ConfigurationError(
      `pipeline '${pipeline}' has no stage '${id}'; its stages are ${shape.stages.map((each) => each.id).join(', ')}`,
    );
  return stage;
}

/** The roots of a stage's shards, by number. */
export function rootsOfStage({ roots }: Survey, stage: string): Root[] {
  return [...roots.values()]
    .filter(({ id }) => isShardRoot(id) && parseShardId(id).stage === stage)
    .sort((a, b) => parseShardId(a.id).shard - parseShardId(b.id).shard);
}

export function rootsOfSource({ roots }: Survey, source: string): Root[] {
  return [...roots.values()].filter(({ id }) => sourceOf(id) === source);
}
