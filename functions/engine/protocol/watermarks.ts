/**
 * The watermark of every stage, from one consistent snapshot of all roots.
 *
 * Invariants (design: "Watermarks"), each of which a random model has shown to be needed to the letter:
 * - The whole chain is computed from one snapshot. Nothing stored takes part in the computation; only its results are
 *   merged with what is stored, each by maximum.
 * - A stage's input watermark is the SMALLER of the output watermarks of the stages before it and the earliest of all
 *   open ranges for its shards that the target's `done` does not cover completely.
 * - A stage's output watermark is the smaller of its input watermark and its earliest hold.
 */
import { type EpochMillis, earlier, later, MAX_TIMESTAMP, MIN_TIMESTAMP } from '../../model/time.ts';
import { earliestHold } from './holds.ts';
import { parseShardId, type RootId } from './names.ts';
import { covers } from './ranges.ts';
import type { Root } from './root.ts';

/** A stage as the watermark sees it. */
export interface WatermarkStage {
  readonly id: string;
  /** The stages (`stage id`) and sources (`source id`) that it reads; both live in one name space. */
  readonly inputs: readonly string[];
}

/** The watermarks of a pipeline; a stage or source that is missing stands at the beginning of time. */
export interface Watermarks {
  readonly input: Readonly<Record<string, EpochMillis>>;
  readonly output: Readonly<Record<string, EpochMillis>>;
}

export const NO_WATERMARKS: Watermarks = { input: {}, output: {} };

/**
 * @param stages in topological order: a stage comes after everything that it reads
 * @param roots every root of the pipeline, read at one instant
 * @param sources the watermark of each source, computed from the same snapshot
 */
export function computeWatermarks(
  stages: readonly WatermarkStage[],
  roots: ReadonlyMap<RootId, Root>,
  sources: Readonly<Record<string, EpochMillis>>,
): Watermarks {
  const { inFlight, held } = surveyRoots(roots);
  const input: Record<string, EpochMillis> = {};
  const output: Record<string, EpochMillis> = { ...sources };
  for (const stage of stages) {
    let watermark: EpochMillis = inFlight.get(stage.id) ?? MAX_TIMESTAMP;
    for (const upstream of stage.inputs) watermark = earlier(watermark, output[upstream] ?? MIN_TIMESTAMP);
    input[stage.id] = watermark;
    output[stage.id] = earlier(watermark, held.get(stage.id) ?? MAX_TIMESTAMP);
  }
  return { input, output };
}

/** Merges newly computed watermarks into stored ones: each only ever moves forward. */
export function advance(stored: Watermarks, computed: Watermarks): Watermarks {
  return { input: maximum(stored.input, computed.input), output: maximum(stored.output, computed.output) };
}

/** One pass over all roots: for each stage the earliest open timestamp on its way there, and its earliest hold. */
function surveyRoots(roots: ReadonlyMap<RootId, Root>): {
  inFlight: Map<string, EpochMillis>;
  held: Map<string, EpochMillis>;
} {
  const inFlight = new Map<string, EpochMillis>();
  const held = new Map<string, EpochMillis>();
  const lower = (map: Map<string, EpochMillis>, stage: string, at: EpochMillis): void => {
    map.set(stage, earlier(map.get(stage) ?? MAX_TIMESTAMP, at));
  };
  for (const root of roots.values()) {
    if (root.holds.length > 0) lower(held, parseShardId(root.id).stage, earliestHold(root.holds));
    for (const target in root.open) {
      const done = roots.get(target)?.done[root.id];
      for (const range of root.open[target]!)
        if (!covers(done, range.from, range.to)) lower(inFlight, parseShardId(target).stage, range.earliest);
    }
  }
  return { inFlight, held };
}

function maximum(
  a: Readonly<Record<string, EpochMillis>>,
  b: Readonly<Record<string, EpochMillis>>,
): Record<string, EpochMillis> {
  const result: Record<string, EpochMillis> = { ...a };
  for (const name in b) result[name] = later(result[name] ?? MIN_TIMESTAMP, b[name]!);
  return result;
}
