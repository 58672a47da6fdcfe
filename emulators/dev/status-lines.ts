/** What a local cloud is doing, a line for each source and stage. */
import { type BundleCounts, noCounts } from '../../functions/engine/shard/work.ts';
import { readPublished } from '../../functions/engine/pipeline-document.ts';
import { type EpochMillis, MAX_TIMESTAMP, MIN_TIMESTAMP } from '../../functions/model/time.ts';
import { sourceSubscription, stageTopic } from '../../functions/plan/resource-names.ts';
import type { RouteStats } from '../relay/stats.ts';
import type { FunctionStatus } from '../../functions/cloud/service/function.ts';
import type { FunctionProcess } from './function-process.ts';
import type { LocalCloud } from './local-cloud.ts';

/** What one line says. */
export interface StageStatus {
  readonly name: string;
  /** Messages that wait or are being pushed. */
  readonly backlog: number;
  readonly watermark: EpochMillis | undefined;
  readonly counts: BundleCounts;
}

export async function statusOf(cloud: LocalCloud): Promise<StageStatus[]> {
  const { pipeline, sources, stages } = cloud.plan;
  const counts = await countsByStage([...cloud.functions.values()].flat());
  const { watermarks } = await readPublished(cloud.store, cloud.epoch);
  const stats = cloud.relay.stats();
  const line = (name: string, subscriptions: readonly string[], watermark: EpochMillis | undefined): StageStatus => ({
    name,
    backlog: stats.filter(({ subscription }) => subscriptions.includes(subscription)).reduce(addHeld, 0),
    watermark,
    counts: counts.get(name) ?? noCounts(),
  });
  return [
    ...sources.map(({ id }) => line(id, [sourceSubscription(pipeline, id)], watermarks.output[id])),
    ...stages.map(({ id, slots }) => {
      const topics = Array.from({ length: slots }, (_, slot) => stageTopic(pipeline, id, slot));
      return line(id, topics, watermarks.input[id]);
    }),
  ];
}

export function statusLines(statuses: readonly StageStatus[], now: EpochMillis): string[] {
  const width = Math.max(5, ...statuses.map(({ name }) => name.length));
  const head = `${'stage'.padEnd(width)}  backlog  elements     panes   late   dead  watermark`;
  const lines = statuses.map(({ name, backlog, watermark, counts }) => {
    const panes = counts.panes.EARLY + counts.panes.ON_TIME + counts.panes.LATE;
    const numbers = [
      String(backlog).padStart(7),
      String(counts.elements).padStart(8),
      String(panes).padStart(8),
      String(counts.late).padStart(5),
      String(counts.deadLetters).padStart(5),
    ];
    return `${name.padEnd(width)}  ${numbers.join('  ')}  ${described(watermark, now)}`;
  });
  return [head, ...lines];
}

function described(watermark: EpochMillis | undefined, now: EpochMillis): string {
  if (watermark === undefined || watermark <= MIN_TIMESTAMP) return '-';
  if (watermark >= MAX_TIMESTAMP) return 'at the end';
  return `${new Date(watermark).toISOString()} (${lag(now - watermark)} behind)`;
}

function lag(millis: number): string {
  if (millis < 120_000) return `${Math.max(0, Math.round(millis / 1_000))} s`;
  if (millis < 7_200_000) return `${Math.round(millis / 60_000)} min`;
  return millis < 172_800_000 ? `${Math.round(millis / 3_600_000)} h` : `${Math.round(millis / 86_400_000)} d`;
}

function addHeld(sum: number, { held }: RouteStats): number {
  return sum + held;
}

type Asked = Pick<FunctionProcess, 'status'>;
type Stages = FunctionStatus['stages'];

/** What each instance said when it was asked last. */
const lastSaid = new WeakMap<Asked, Stages>();

/** One that is too busy to answer, or whose connection was closed at that moment, is shown as it was; whether it lives is not asked here. */
export async function countsByStage(instances: readonly Asked[]): Promise<Map<string, BundleCounts>> {
  const totals = new Map<string, BundleCounts>();
  for (const instance of instances) {
    const stages = await instance.status().then(
      (said) => said.stages,
      () => lastSaid.get(instance) ?? {},
    );
    lastSaid.set(instance, stages);
    for (const stage in stages) totals.set(stage, sum(totals.get(stage) ?? noCounts(), stages[stage]!));
  }
  return totals;
}

function sum(a: BundleCounts, b: BundleCounts): BundleCounts {
  return {
    elements: a.elements + b.elements,
    duplicates: a.duplicates + b.duplicates,
    late: a.late + b.late,
    deadLetters: a.deadLetters + b.deadLetters,
    panes: {
      EARLY: a.panes.EARLY + b.panes.EARLY,
      ON_TIME: a.panes.ON_TIME + b.panes.ON_TIME,
      LATE: a.panes.LATE + b.panes.LATE,
    },
  };
}
