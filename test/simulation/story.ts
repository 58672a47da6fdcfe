/** Tells a failing scenario for people: what it is about, and what happened. */
import { runScenario } from './run.ts';
import type { Scenario, StageSpec } from './scenario.ts';

export async function tellStory(scenario: Scenario): Promise<string> {
  const lines: string[] = [];
  const { problem } = await runScenario(scenario, (line) => lines.push(line));
  return [...describeScenario(scenario), ...lines, `it ends: ${problem?.message ?? 'well'}`].join('\n');
}

function describeScenario({ seed, pipeline, records, world }: Scenario): string[] {
  return [
    `seed ${seed}`,
    ...pipeline.sources.map((source) => `source ${JSON.stringify(source)}`),
    ...pipeline.stages.map(describeStage),
    `${pipeline.shards} shards a stage, ${world.slots} slots, a sweep every ${world.sweepEvery} ms`,
    ...records.map((record) => `record ${JSON.stringify(record)}`),
  ];
}

function describeStage({ name, ...rest }: StageSpec): string {
  return `${name}: ${JSON.stringify(rest)}`;
}
