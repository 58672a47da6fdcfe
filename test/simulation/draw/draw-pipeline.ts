/** Draws pipelines, within what the model admits. */
import { millis } from '../../../functions/model/time.ts';
import type { Trigger } from '../../../functions/model/triggers.ts';
import type { KeeperSpec, PipelineSpec, SourceSpec, StageSpec, WindowsSpec } from '../scenario.ts';
import type { Random } from '../world/random.ts';

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

/** At most one, so that a run stays small. */
function drawBranch(random: Random): Partial<PipelineSpec> {
  switch (random.pick(['none', 'none', 'none', 'none', 'keeper', 'keeper', 'batches', 'side', 'enriched'])) {
    case 'keeper':
      return { keeper: drawKeeper(random) };
    case 'batches':
      return {
        batches: {
          windows: random.pick([5_000, 30_000]),
          keys: random.pick([1, 2]),
          size: random.pick([1, 2, 5, 100]),
          ...(random.chance(0.5) ? { maxBuffering: random.pick([1_000, 20_000]) } : {}),
          spread: random.pick([1, 1, 2]),
        },
      };
    case 'side':
      return { side: { mainWindows: random.pick([5_000, 20_000]), sideWindows: random.pick([5_000, 20_000]) } };
    case 'enriched':
      return {
        enriched: {
          requestsPerMinute: random.pick([6, 60, 600]),
          maxInstances: random.pick([1, 5, 50]),
          wait: random.pick([100, 2_000]),
          cache: random.chance(0.5),
        },
      };
    default:
      return {};
  }
}

function drawKeeper(random: Random): KeeperSpec {
  return {
    ...(random.chance(0.7) ? { windows: random.pick([5_000, 30_000]) } : {}),
    lateness: random.pick([0, 5_000]),
    keys: random.pick([1, 2, 5]),
    ...(random.chance(0.8) ? { eventDelay: random.pick([0, 1_000, 10_000]) } : {}),
    processingDelay: random.pick([0, 1_000, 20_000]),
    timeSorted: random.chance(0.3),
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

function drawTrigger(random: Random, lateness: number, windows: WindowsSpec | undefined): Trigger {
  switch (
    random.pick(['default', 'afterWatermark', 'afterWatermark', 'repeatedly', 'orFinally', 'afterEach', 'never'])
  ) {
    case 'afterWatermark': {
      const early = random.chance(0.6) ? { early: drawOnce(random) } : {};
      const late = lateness > 0 || random.chance(0.5) ? { late: drawOnce(random) } : {};
      return { kind: 'afterWatermark', ...early, ...late };
    }
    case 'repeatedly':
      return { kind: 'repeatedly', trigger: drawOnce(random) };
    case 'orFinally':
      return {
        kind: 'repeatedly',
        trigger: { kind: 'orFinally', trigger: drawOnce(random), until: { kind: 'afterWatermark' } },
      };
    case 'afterEach':
      return { kind: 'repeatedly', trigger: { kind: 'afterEach', triggers: [drawOnce(random), drawOnce(random)] } };
    case 'never':
      return { kind: 'never' };
    default:
      // An unbounded collection in the global window would never emit by it.
      return windows?.kind === 'global' ? { kind: 'never' } : { kind: 'default' };
  }
}

/** A trigger that fires once and may be repeated. */
function drawOnce(random: Random): Trigger {
  switch (random.pick(['count', 'count', 'delay', 'first', 'all'])) {
    case 'delay':
      return { kind: 'afterProcessingTime', delay: millis('delay', random.pick([0, 1_000, 10_000])) };
    case 'first':
      return {
        kind: 'repeatedly',
        trigger: { kind: 'afterFirst', triggers: [drawOnce(random), { kind: 'afterCount', count: 3 }] },
      };
    case 'all':
      return {
        kind: 'repeatedly',
        trigger: { kind: 'afterAll', triggers: [drawOnce(random), { kind: 'afterCount', count: 2 }] },
      };
    default:
      return { kind: 'afterCount', count: random.pick([1, 1, 2, 3]) };
  }
}
