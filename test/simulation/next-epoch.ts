/** What a scenario goes on with when its pipeline is started afresh: the same, later, and nothing is known of before. */
import {
  type PipelineSpec,
  START,
  type RecordSpec,
  type Scenario,
  type StageSpec,
  type WindowsSpec,
} from './scenario.ts';

/** What names are told apart by: a multiple of all that steps divide the numbers of tokens by. */
const APART = 9_000;
const OTHER_WINDOWS: WindowsSpec = { kind: 'fixed', size: 7_000, offset: 0 };

function reshapedStages({ stages }: PipelineSpec): StageSpec[] {
  return stages.slice(0, 1).map((spec) => ({ ...spec, windows: OTHER_WINDOWS, accumulating: !spec.accumulating }));
}

/** @param now when it begins */
export function nextEpoch(scenario: Scenario, now: number): Scenario {
  const { afresh, ...rest } = scenario;
  if (afresh === undefined) return rest;
  const { shards, slots, reshaped } = afresh;
  const later = Math.ceil(now) - START;
  // Where the clock moves a watermark, what was in time would be late.
  const isShifted = scenario.pipeline.sources.some((source) => source.kind === 'messages' && source.advancesWhenIdle);
  const next = (record: RecordSpec): RecordSpec => ({
    ...record,
    id: `${record.id[0]}${Number(record.id.slice(1)) + APART}`,
    at: record.at + (isShifted ? later : 0),
    arrival: record.arrival + later,
    ...(record.publishedAgain === undefined ? {} : { publishedAgain: record.publishedAgain + later }),
  });
  return {
    ...rest,
    seed: scenario.seed + APART,
    pipeline: {
      ...scenario.pipeline,
      shards,
      stages: reshaped ? reshapedStages(scenario.pipeline) : scenario.pipeline.stages,
    },
    records: scenario.records.map(next),
    world: { ...scenario.world, slots },
  };
}
