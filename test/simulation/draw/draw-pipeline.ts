/** Draws pipelines, within what the model admits. */
import type { PipelineSpec, SourceSpec, StageSpec, WindowsSpec } from '../scenario.ts';
import type { Random } from '../world/random.ts';
import { drawBranch } from './draw-branch.ts';
import { drawTrigger } from './draw-trigger.ts';

export function drawPipeline(random: Random): PipelineSpec {
  const shards = random.pick([1, 2, 3]);
  const sources = Array.from({ length: random.pick([1, 1, 1, 2]) }, (_, i) => drawSource(random, `source-${i}`));
  const stages: StageSpec[] = [];
  for (let i = random.pick([1, 1, 2, 3]); i > 0; i--) stages.push(drawStage(random, stages));
  return { sources, stages, shards, ...drawBranch(random) };
}

function drawSource(random: Random, name: string): SourceSpec {
  const maxAhead = random.pick([0, 1_000, 60_000]);
  const delay = random.pick([0, 1_000, 5_000, 20_000]);
  if (random.chance(0.5))
    return { kind: 'splits', name, splits: random.pick([1, 1, 2]), maxAhead, ...(random.chance(0.1) ? {} : { delay }) };
  return {
    kind: 'messages',
    name,
    delay,
    maxAhead,
    named: random.chance(0.5),
    idHorizon: random.pick([1_200_000, 3_600_000]),
    advancesWhenIdle: random.chance(0.5),
  };
}

function drawStage(random: Random, before: readonly StageSpec[]): StageSpec {
  const windows = before.length === 0 || random.chance(0.5) ? drawWindows(random) : undefined;
  const lateness = Math.max(random.pick([0, 0, 5_000, 60_000]), ...before.map((stage) => stage.lateness));
  return {
    name: `stage-${before.length}`,
    ...(windows === undefined ? {} : { windows }),
    trigger: drawTrigger(random, lateness, windows),
    accumulating: random.chance(0.5),
    lateness,
    timestamps: random.pick(['endOfWindow', 'endOfWindow', 'earliest', 'latest']),
    emptyOnTime: random.chance(0.5),
    emptyLast: random.chance(0.3),
    lifted: random.chance(0.6),
    readsLate: random.chance(0.3),
    keepsNewest: random.chance(0.3),
    keys: random.pick([1, 2, 5]),
    flushEvery: random.pick([1, 1_000, 20_000, 60_000]),
    flushRows: random.pick([1, 10, 1_000]),
  };
}

function drawWindows(random: Random): WindowsSpec {
  const size = random.pick([5_000, 10_000, 30_000]);
  switch (random.pick(['fixed', 'fixed', 'sliding', 'sessions', 'global'])) {
    case 'sliding':
      return { kind: 'sliding', size, every: random.pick([size / 5, size / 2, size]) };
    case 'sessions':
      return { kind: 'sessions', gap: random.pick([500, 2_000, 10_000]) };
    case 'global':
      return { kind: 'global' };
    default:
      return { kind: 'fixed', size, offset: random.pick([0, 1_000]) };
  }
}
