/** Draws a scenario from a seed: a pipeline, its input, the world it runs in, and what goes wrong there. */
import { type Scenario, START } from '../scenario.ts';
import { Random } from '../world/random.ts';
import { drawFaults } from './draw-faults.ts';
import { drawPipeline } from './draw-pipeline.ts';
import { drawRecords } from './draw-records.ts';
import { drawAfresh, refinePipeline, refineWorld } from './draw-refinements.ts';

export function drawScenario(seed: number): Scenario {
  const random = new Random(seed, 'scenario');
  const pipeline = drawPipeline(random);
  const faults = drawFaults(random);
  const records = drawRecords(random, pipeline, START, faults.replayed !== undefined);
  const scenario: Scenario = {
    seed,
    pipeline: refinePipeline(pipeline, seed),
    records,
    world: refineWorld(
      {
        services: random.pick(['one', 'perStage']),
        slots: random.pick([1, 1, 2]),
        sweepEvery: Math.round(random.spread(3_000, 60_000)),
        storeLatency: random.pick([5, 20, 200]),
        busLatency: random.pick([5, 50, 500]),
        ackDeadline: random.pick([10_000, 30_000, 60_000]),
        maxAttempts: random.pick([1, 3, 100]),
        readBundle: random.pick([1, 5, 20]),
        strictStore: random.chance(0.05),
        slice: random.pick([1_000, 10_000]),
        sampleEvery: random.pick([1_000, 10_000, 60_000]),
        sampleDelay: random.pick([0, 10_000, 180_000]),
        retireAfter: random.pick([30_000, 600_000]),
        republishAfter: random.pick([5_000, 60_000]),
        cadence: random.pick([0, 0, 700]),
        stormAfter: random.whole(0, 90_000),
        ...(random.chance(0.1) ? { drainAt: random.whole(2_000, 60_000) } : {}),
      },
      seed,
    ),
    faults,
  };
  const whole = { ...scenario, ...drawAfresh(scenario) };
  if (scenario.world.sourceAttempts === undefined) return whole;
  // Of two messages of the same content one may be given up, and the other taken: no one could say which ended how.
  return { ...whole, records: whole.records.map(({ publishedAgain: _, ...record }) => record) };
}
