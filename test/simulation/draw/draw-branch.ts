/** Draws what stands beside the groupings of a pipeline. */
import { afterCount, afterWatermark, type Trigger } from '../../../functions/model/triggers.ts';
import type { JoinedSpec, KeeperSpec, PipelineSpec } from '../scenario.ts';
import type { Random } from '../world/random.ts';

type Branch = Exclude<keyof PipelineSpec, 'sources' | 'stages' | 'shards' | 'stored' | 'refreshed'>;

const BRANCHES: readonly Branch[] = [
  'keeper',
  'keeper',
  'batches',
  'side',
  'side',
  'enriched',
  'joined',
  'spread',
  'distinct',
  'told',
];

/** At most one, so that a run stays small. */
export function drawBranch(random: Random): Partial<PipelineSpec> {
  if (random.chance(0.35)) return {};
  const branch = random.pick(BRANCHES);
  return { [branch]: DRAW[branch](random) };
}

const DRAW: { readonly [branch in Branch]: (random: Random) => NonNullable<PipelineSpec[branch]> } = {
  keeper: drawKeeper,
  batches: (random) => ({
    windows: random.pick([5_000, 30_000]),
    keys: random.pick([1, 2]),
    size: random.pick([1, 2, 5, 100]),
    ...(random.chance(0.5) ? { maxBuffering: random.pick([1_000, 20_000]) } : {}),
    spread: random.pick([1, 1, 2]),
  }),
  side: (random) => ({
    mainWindows: random.pick([5_000, 20_000]),
    sideWindows: random.pick([5_000, 20_000]),
    shape: random.pick(['singleton', 'list', 'iterable', 'map', 'multimap']),
  }),
  enriched: (random) => ({
    requestsPerMinute: random.pick([6, 60, 600]),
    maxInstances: random.pick([1, 5, 50]),
    wait: random.pick([100, 2_000]),
    cache: random.chance(0.5),
  }),
  joined: drawJoined,
  spread: (random) => ({ ...drawJoined(random), fanout: random.pick([1, 2, 3]) }),
  distinct: (random) => {
    const clock = random.pick(['event', 'processing'] as const);
    // On processing time it has to be longer than whatever holds up an element.
    const horizon = clock === 'event' ? random.pick([60_000, 600_000]) : 10_800_000;
    return { windows: random.pick([5_000, 30_000]), keys: random.pick([1, 2, 5]), clock, horizon };
  },
  told: (random) => ({
    keys: random.pick([1, 3, 7]),
    batch: random.pick([1, 2, 100]),
    entries: random.pick([0, 1, 100]),
    ttl: random.pick([0, 10_000]),
  }),
};

function drawKeeper(random: Random): KeeperSpec {
  return {
    ...(random.chance(0.7) ? { windows: random.pick([5_000, 30_000]) } : {}),
    lateness: random.pick([0, 5_000]),
    keys: random.pick([1, 2, 5]),
    ...(random.chance(0.8) ? { eventDelay: random.pick([0, 1_000, 10_000]) } : {}),
    processingDelay: random.pick([0, 1_000, 20_000]),
    timeSorted: random.chance(0.3),
    keeps: random.pick(['bag', 'set', 'map']),
    throws: random.pick([0, 0, 1, 3]),
  };
}

function drawJoined(random: Random): JoinedSpec {
  const trigger: Trigger = random.chance(0.5)
    ? { kind: 'default' }
    : afterWatermark({ early: afterCount(random.pick([1, 2])), late: afterCount(1) });
  return {
    windows: random.pick([5_000, 30_000]),
    lateness: random.pick([0, 5_000]),
    keys: random.pick([1, 2, 5]),
    trigger,
  };
}
