/**
 * Draws what was added to scenarios since they were first drawn, from streams of its own: so what a seed meant before, it
 * means still.
 */
import { afterCount, afterWatermark, repeatedly } from '../../../functions/model/triggers.ts';
import type { KeeperSpec, PipelineSpec, Scenario, SideSpec, WorldSpec } from '../scenario.ts';
import { Random } from '../world/random.ts';

type MoreBranches = Pick<PipelineSpec, 'stored' | 'refreshed'>;

export function refinePipeline(pipeline: PipelineSpec, seed: number): PipelineSpec {
  const { keeper, side } = pipeline;
  return {
    ...pipeline,
    ...(keeper === undefined ? {} : { keeper: refineKeeper(keeper, new Random(seed, 'keeper')) }),
    ...(side === undefined ? {} : { side: refineSide(side, new Random(seed, 'side')) }),
    ...drawMore(pipeline, new Random(seed, 'more')),
  };
}

/** Beside what has no other step beside its groupings, now and then one of those that came later. */
function drawMore({ sources: _, stages: __, shards: ___, ...branches }: PipelineSpec, random: Random): MoreBranches {
  if (Object.keys(branches).length > 0 || random.chance(0.7)) return {};
  if (random.chance(0.5))
    return {
      stored: { hasKey: random.chance(0.5), refuses: random.pick([1, 2, 5]), flushRows: random.pick([1, 4, 100]) },
    };
  return {
    refreshed: {
      refreshEvery: random.pick([5_000, 20_000]),
      changesEvery: random.pick([1_000, 10_000]),
      lines: random.pick([1, 3, 5]),
    },
  };
}

export function refineWorld(world: WorldSpec, seed: number): WorldSpec {
  const attempts = new Random(seed, 'attempts');
  return {
    ...world,
    ...(new Random(seed, 'cells').chance(0.5) ? { smallCells: true } : {}),
    ...(attempts.chance(0.15) ? { sourceAttempts: attempts.pick([1, 2, 4]) } : {}),
  };
}

/** Enough for a story that is told twice. */
const RECORDS_OF_TWO_EPOCHS = 8;
const STAGES_OF_TWO_EPOCHS = 2;

/** Now and then a pipeline is started afresh, a small one, as a rule with as many shards as before. */
export function drawAfresh({ seed, pipeline, records, world, faults }: Scenario): Partial<Scenario> {
  const random = new Random(seed, 'two epochs');
  // What cannot be read, and was given up as well, has two letters: replayed for long enough, it would count twice.
  if (world.drainAt !== undefined || world.sourceAttempts !== undefined || random.chance(0.93)) return {};
  const few = records.slice(0, RECORDS_OF_TWO_EPOCHS);
  const rates = { ...faults, deployerStands: random.pick([0.01, 0.03, 0.1]) };
  const isReplayed = random.chance(0.4);
  return {
    pipeline: { ...pipeline, stages: pipeline.stages.slice(0, STAGES_OF_TWO_EPOCHS) },
    // What has failed early is often replayed late.
    records: isReplayed ? few.map((record) => (random.chance(0.3) ? { ...record, flaw: 'step' } : record)) : few,
    faults: isReplayed ? { ...rates, replayed: random.pick([0.01, 0.05, 0.2]) } : rates,
    afresh: {
      shards: random.chance(0.6) ? pipeline.shards : random.pick([1, 2, 4]),
      slots: random.pick([1, 2]),
      reshaped: random.chance(0.3),
    },
  };
}

function refineKeeper(keeper: KeeperSpec, random: Random): KeeperSpec {
  return {
    ...keeper,
    ...(random.chance(0.25) ? { keeps: 'combining' } : {}),
    ...(random.chance(0.5) ? { forgetsAfter: random.pick([1_000, 10_000, 60_000]) } : {}),
    marks: random.chance(0.5),
    failsFirings: random.chance(0.3),
    ...(keeper.windows !== undefined && random.chance(0.3) ? { sees: random.pick([5_000, 20_000]) } : {}),
  };
}

function refineSide(side: SideSpec, random: Random): SideSpec {
  if (random.chance(0.5)) return side;
  const count = afterCount(random.pick([1, 2, 3]));
  const trigger = random.chance(0.6) ? afterWatermark({ early: count, late: afterCount(1) }) : repeatedly(count);
  return { ...side, panes: { trigger, accumulating: random.chance(0.5), lateness: random.pick([0, 5_000, 60_000]) } };
}
