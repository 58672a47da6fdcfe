/** The state of a pipeline, stage by stage. */
import { enrichState } from '../../engine/enrich/enrich-state.ts';
import type { PauseStep } from '../../engine/control.ts';
import { type Counts, countsOfStage } from '../../engine/protocol/counts.ts';
import { earliestHold } from '../../engine/protocol/holds.ts';
import type { Root } from '../../engine/protocol/root.ts';
import { sinkState } from '../../engine/sink/sink-work.ts';
import { readingState, waitingCount } from '../../engine/views/waiting.ts';
import { type EpochMillis, earlier, later, MAX_TIMESTAMP, MIN_TIMESTAMP } from '../../model/time.ts';
import { CELLS_BY_EVENT_DUE, CELLS_BY_PROCESSING_DUE, type Query } from '../../ports/queries.ts';
import type { Store } from '../../ports/store.ts';
import { findLetters } from '../dead-letters/letters.ts';
import { cellHoldingAt } from './holding-cells.ts';
import { type ModelStatus, modelStatus, pendingCount } from './model-status.ts';
import { openEnvelopes } from './open-ranges.ts';
import type { Programs } from './programs.ts';
import { rootsOfSource, rootsOfStage, type Survey } from './survey.ts';

/** An instant; the ends of time in words, since they are no instants. */
export type Moment = EpochMillis | 'beginning' | 'end';

export interface SourceStatus {
  readonly id: string;
  readonly reader: string;
  readonly watermark: Moment;
  /** Milliseconds that it is behind now; null at the ends of time. */
  readonly lag: number | null;
  /** Instances and splits that have a root. */
  readonly roots: number;
  readonly lastRead: EpochMillis | null;
  /** Messages that could not be read, and elements that failed in a step before the first stage. */
  readonly deadLetters: number;
}

export interface StageStatus {
  readonly id: string;
  readonly kind: string;
  readonly shards: number;
  readonly inputWatermark: Moment;
  readonly outputWatermark: Moment;
  /** Milliseconds that the output watermark is behind now; null at the ends of time. */
  readonly lag: number | null;
  /** When the output watermark last moved. */
  readonly movedAt: EpochMillis | null;
  /** Envelopes on their way, and when the oldest of them was sent. */
  readonly backlog: { readonly envelopes: number; readonly oldest: EpochMillis | null };
  readonly cells: number;
  /** Cells with a timer that is due by the stage's watermark or the clock; at most `MOST_COUNTED`. */
  readonly due: number;
  /** Cells and waiting groups that hold the watermark; the earliest, and whose it is. */
  readonly holds: { readonly count: number; readonly earliest: EpochMillis | null; readonly key: string | null };
  /** Elements that wait for a view, or for a model. */
  readonly parked: number;
  /** Since when it gets nothing; null = it is not paused. */
  readonly pausedSince: EpochMillis | null;
  /** What is under way with its pause, or broke off; null = it is paused, or not, as a whole. */
  readonly pauseStep: PauseStep | null;
  /** Of a stage that asks a model. */
  readonly model: ModelStatus | null;
  /** Of a table: rows that wait for a flush, and whether one is under way. */
  readonly rows: { readonly waiting: number; readonly flushing: boolean; readonly since: EpochMillis | null } | null;
  /** Of its dead letters, those that are neither replayed nor discarded. */
  readonly deadLetters: number;
  /** What its shards have counted since the pipeline last began: each element, pane and failure once, replays among them. */
  readonly counts: Counts;
}

export interface PipelineStatus {
  readonly pipeline: string;
  readonly now: EpochMillis;
  readonly topology: number | null;
  /** Rises with each fresh start after a drain. */
  readonly epoch: number | null;
  readonly lastSweep: EpochMillis | null;
  /** Since when the pipeline reads no more; null = it does. */
  readonly drainingSince: EpochMillis | null;
  readonly sources: readonly SourceStatus[];
  readonly stages: readonly StageStatus[];
  /** All that are neither replayed nor discarded, without late records; at most `MOST_COUNTED`. */
  readonly deadLetters: number;
  readonly lateRecords: number;
}

export const MOST_COUNTED = 10_000;

export async function statusOf(store: Store, survey: Survey, programs: Programs): Promise<PipelineStatus> {
  const letters = await countLetters(store);
  const { pipeline, now, topology, lastSweep, shape } = survey;
  return {
    pipeline,
    now,
    topology: topology?.topology ?? null,
    epoch: topology?.epoch ?? null,
    lastSweep: known(lastSweep),
    drainingSince: survey.drain?.since ?? null,
    sources: shape.sources.map(({ id, reader }) => sourceStatus(survey, id, reader, letters.byStage.get(id) ?? 0)),
    stages: await Promise.all(
      shape.stages.map((stage) => stageStatus(store, survey, stage, programs, letters.byStage)),
    ),
    deadLetters: letters.failed,
    lateRecords: letters.late,
  };
}

function sourceStatus(survey: Survey, id: string, reader: string, deadLetters: number): SourceStatus {
  const roots = rootsOfSource(survey, id);
  const watermark = survey.watermarks.output[id] ?? MIN_TIMESTAMP;
  const lastRead = roots.reduce<EpochMillis>((at, { written }) => later(written, at), MIN_TIMESTAMP);
  const lag = lagOf(watermark, survey.now);
  return { id, reader, watermark: moment(watermark), lag, roots: roots.length, lastRead: known(lastRead), deadLetters };
}

async function stageStatus(
  store: Store,
  survey: Survey,
  { id, kind, shards }: Survey['shape']['stages'][number],
  programs: Programs,
  letters: ReadonlyMap<string, number>,
): Promise<StageStatus> {
  const roots = rootsOfStage(survey, id);
  const input = survey.watermarks.input[id] ?? MIN_TIMESTAMP;
  const output = survey.watermarks.output[id] ?? MIN_TIMESTAMP;
  const open = openEnvelopes(survey, id);
  const oldest = open.reduce<EpochMillis>((at, { range }) => earlier(at, range.born), MAX_TIMESTAMP);
  const waiting = kind === 'sideParDo' ? roots.flatMap((root) => readingState(root).waiting) : [];
  const enriching = kind === 'enrich' ? roots.map(enrichState) : [];
  return {
    id,
    kind,
    shards,
    inputWatermark: moment(input),
    outputWatermark: moment(output),
    lag: lagOf(output, survey.now),
    movedAt: survey.moved[id] ?? null,
    backlog: { envelopes: open.reduce((sum, { count }) => sum + count, 0), oldest: known(oldest) },
    cells: roots.reduce((sum, { cells }) => sum + cells, 0),
    due: await countDue(store, roots, input, survey.now),
    holds: await holdsOf(store, roots, id, programs),
    parked: waiting.reduce((sum, group) => sum + waitingCount(group), pendingCount(enriching)),
    pausedSince: survey.paused[id]?.since ?? null,
    pauseStep: survey.paused[id]?.step ?? null,
    model: kind === 'enrich' ? modelStatus(enriching) : null,
    rows: kind === 'writeBigQuery' ? rowsOf(roots) : null,
    deadLetters: letters.get(id) ?? 0,
    counts: countsOfStage(id, roots),
  };
}

async function countDue(store: Store, roots: readonly Root[], input: EpochMillis, now: EpochMillis): Promise<number> {
  let due = 0;
  for (const root of roots) {
    if (root.cells === 0) continue;
    for (const [query, atMost, lowerBound] of clocksOf(root, input, now)) {
      if (lowerBound > atMost || due >= MOST_COUNTED) continue;
      const page = { atMost, limit: MOST_COUNTED - due };
      due += (await store.query(query, { shard: root.id }, page)).documents.length;
    }
  }
  return due;
}

function clocksOf(
  { eventDue, processingDue }: Root,
  input: EpochMillis,
  now: EpochMillis,
): readonly (readonly [Query, EpochMillis, EpochMillis])[] {
  return [
    [CELLS_BY_EVENT_DUE, input, eventDue],
    [CELLS_BY_PROCESSING_DUE, now, processingDue],
  ];
}

async function holdsOf(
  store: Store,
  roots: readonly Root[],
  stage: string,
  programs: Programs,
): Promise<StageStatus['holds']> {
  const count = roots.reduce((sum, { holds }) => sum + holds.reduce((part, bucket) => part + bucket.count, 0), 0);
  const earliest = roots.reduce<EpochMillis>((at, root) => earlier(at, earliestHold(root.holds)), MAX_TIMESTAMP);
  if (earliest >= MAX_TIMESTAMP) return { count, earliest: null, key: null };
  const root = roots.find(({ holds }) => earliestHold(holds) === earliest)!;
  const cell = root.cells === 0 ? undefined : await cellHoldingAt(store, root, earliest, programs(stage));
  return { count, earliest, key: cell?.key ?? null };
}

function rowsOf(roots: readonly Root[]): StageStatus['rows'] {
  const states = roots.map(sinkState);
  const since = states.reduce<EpochMillis>((at, state) => earlier(at, state.since), MAX_TIMESTAMP);
  return {
    waiting: states.reduce((sum, { rows }) => sum + rows, 0),
    flushing: states.some(({ claim }) => claim !== null),
    since: known(since),
  };
}

async function countLetters(
  store: Store,
): Promise<{ failed: number; late: number; byStage: ReadonlyMap<string, number> }> {
  const byStage = new Map<string, number>();
  let failed = 0;
  let late = 0;
  for await (const { letter } of findLetters(store, {})) {
    if (letter.kind === 'late') late += 1;
    else {
      failed += 1;
      byStage.set(letter.stage, (byStage.get(letter.stage) ?? 0) + 1);
    }
    if (failed + late >= MOST_COUNTED) break;
  }
  return { failed, late, byStage };
}

export function moment(at: EpochMillis): Moment {
  if (at <= MIN_TIMESTAMP) return 'beginning';
  return at >= MAX_TIMESTAMP ? 'end' : at;
}

function known(at: EpochMillis): EpochMillis | null {
  return at <= MIN_TIMESTAMP || at >= MAX_TIMESTAMP ? null : at;
}

function lagOf(watermark: EpochMillis, now: EpochMillis): number | null {
  return known(watermark) === null ? null : Math.max(0, now - watermark);
}
