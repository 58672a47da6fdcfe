/**
 * Draws what was added to scenarios since they were first drawn, from streams of its own: so what a seed meant before, it
 * means still.
 */
import type { KeeperSpec, PipelineSpec, WorldSpec } from '../scenario.ts';
import { Random } from '../world/random.ts';

export function refinePipeline(pipeline: PipelineSpec, seed: number): PipelineSpec {
  const { keeper } = pipeline;
  return { ...pipeline, ...(keeper === undefined ? {} : { keeper: refineKeeper(keeper, new Random(seed, 'keeper')) }) };
}

export function refineWorld(world: WorldSpec, seed: number): WorldSpec {
  return new Random(seed, 'cells').chance(0.5) ? { ...world, smallCells: true } : world;
}

function refineKeeper(keeper: KeeperSpec, random: Random): KeeperSpec {
  return {
    ...keeper,
    ...(random.chance(0.25) ? { keeps: 'combining' } : {}),
    ...(random.chance(0.5) ? { forgetsAfter: random.pick([1_000, 10_000, 60_000]) } : {}),
    marks: random.chance(0.5),
  };
}
