/**
 * Why a stage's watermark stands where it stands: follows the smaller of hold and input upstream, until it comes to the
 * one thing that holds: a pause, an envelope, a key's window or timer, a view, a batch, or a source.
 */
import { type EnrichState, enrichState } from '../../engine/enrich/enrich-state.ts';
import { earliestHold } from '../../engine/protocol/holds.ts';
import type { DrainControl } from '../../engine/control.ts';
import type { Root } from '../../engine/protocol/root.ts';
import { readingState, waitingCount } from '../../engine/views/waiting.ts';
import { describeWindow } from '../../model/windows.ts';
import { describeInstant, type EpochMillis, earlier, later, MAX_TIMESTAMP, MIN_TIMESTAMP } from '../../model/time.ts';
import type { StoredStage } from '../../plan/stored-shape.ts';
import type { Store } from '../../ports/store.ts';
import { cellHoldingAt } from './holding-cells.ts';
import { type OpenEnvelopes, openEnvelopes } from './open-ranges.ts';
import type { Programs } from './programs.ts';
import { rootsOfSource, rootsOfStage, type Survey, stageOf } from './survey.ts';

/** What holds a watermark. */
export interface Culprit {
  readonly kind: 'pause' | 'envelope' | 'key' | 'window' | 'timer' | 'view' | 'retry' | 'batch' | 'source' | 'nothing';
  /** The stage or source where it is. */
  readonly where: string;
  /** The root it belongs to. */
  readonly root?: string;
  /** `{sender}#{number}` of an envelope, the text of a key, the name of a view … */
  readonly name?: string;
  /** Which window, timer … of the key. */
  readonly what?: string;
  /** The instant at which it holds. */
  readonly at: EpochMillis;
  /** Since when, in processing time; absent where nobody has noted it. */
  readonly since?: EpochMillis;
  /** In a sentence. */
  readonly sentence: string;
}

export interface Why {
  readonly stage: string;
  readonly outputWatermark: EpochMillis;
  /** From the stage that was asked about to the one where the culprit is. */
  readonly path: readonly string[];
  readonly culprit: Culprit;
}

/** @throws {ConfigurationError} when there is no such stage */
export async function why(store: Store, survey: Survey, id: string, programs: Programs): Promise<Why> {
  const path: string[] = [];
  let stage = stageOf(survey, id);
  for (;;) {
    path.push(stage.id);
    const step = await lookAt(store, survey, stage, programs);
    if ('culprit' in step) return { stage: id, outputWatermark: output(survey, id), path, culprit: step.culprit };
    stage = step.upstream;
  }
}

/** The stage whose output watermark stands earliest; of several, the first. */
export function furthestBehind(survey: Survey): string {
  const { stages } = survey.shape;
  return stages.reduce((last, { id }) => (output(survey, id) < output(survey, last) ? id : last), stages[0]!.id);
}

const HOLDS = { window: 'window', timer: 'a timer in', view: 'what waits for view', retry: 'another try:' } as const;

/** The culprit, if it is in this stage; else the stage before it that stands earliest. */
async function lookAt(
  store: Store,
  survey: Survey,
  stage: StoredStage,
  programs: Programs,
): Promise<{ readonly culprit: Culprit } | { readonly upstream: StoredStage }> {
  const roots = rootsOfStage(survey, stage.id);
  const held = roots.reduce<EpochMillis>((at, root) => earlier(at, earliestHold(root.holds)), MAX_TIMESTAMP);
  const [envelope] = openEnvelopes(survey, stage.id);
  const inFlight = envelope?.range.earliest ?? MAX_TIMESTAMP;
  const upstream = earliestInput(survey, stage);
  const standsAt = earlier(held, earlier(inFlight, upstream.at));
  if (standsAt >= MAX_TIMESTAMP) return { culprit: nothing(survey, stage) };
  if (held === standsAt || inFlight === standsAt) {
    const pause = pauseCulprit(survey, stage, standsAt);
    if (pause !== undefined) return { culprit: pause };
  }
  if (held === standsAt) return { culprit: await holdCulprit(store, survey, stage, roots, held, programs) };
  if (envelope !== undefined && inFlight === standsAt) return { culprit: envelopeCulprit(stage, envelope) };
  const before = survey.shape.stages.find(({ id }) => id === upstream.id);
  return before === undefined ? { culprit: sourceCulprit(survey, upstream.id, upstream.at) } : { upstream: before };
}

/** A stage that gets nothing does nothing: what it holds goes on only when it is resumed. */
function pauseCulprit(survey: Survey, { id }: StoredStage, at: EpochMillis): Culprit | undefined {
  const paused = survey.paused[id];
  if (paused === undefined) return undefined;
  const waiting = openEnvelopes(survey, id).reduce((sum, { count }) => sum + count, 0);
  return {
    kind: 'pause',
    where: id,
    name: id,
    at,
    since: paused.since,
    sentence: `stage '${id}' is paused, and ${waiting} envelopes wait for it; go on with: millrace resume ${id}`,
  };
}

function envelopeCulprit({ id }: StoredStage, { sender, target, range, count, first }: OpenEnvelopes): Culprit {
  const name = `${sender}#${first}`;
  return {
    kind: 'envelope',
    where: id,
    root: sender,
    name,
    at: range.earliest,
    since: range.born,
    sentence: `envelope ${name} for ${target} is not taken${count > 1 ? `, and ${count - 1} more of its range` : ''}`,
  };
}

async function holdCulprit(
  store: Store,
  survey: Survey,
  stage: StoredStage,
  roots: readonly Root[],
  at: EpochMillis,
  programs: Programs,
): Promise<Culprit> {
  const root = roots.find(({ holds }) => earliestHold(holds) === at)!;
  const since = survey.moved[stage.id];
  const common = { where: stage.id, root: root.id, at, ...(since === undefined ? {} : { since }) };
  if (stage.kind === 'sideParDo') {
    const waiting = readingState(root).waiting.find(({ hold }) => hold === at);
    const side = waiting?.sides[0];
    if (waiting !== undefined && side !== undefined)
      return {
        ...common,
        kind: 'view',
        name: side.view,
        what: describeWindow(side),
        since: waiting.since,
        sentence: `${waitingCount(waiting)} elements in ${root.id} wait for view '${side.view}' to have its window ${describeWindow(side)}`,
      };
  }
  if (stage.kind === 'enrich') {
    const batch = batchHoldingAt(enrichState(root), at);
    if (batch !== undefined) return { ...common, kind: 'batch', ...batch, sentence: `${batch.what} (${root.id})` };
  }
  const cell = await cellHoldingAt(store, root, at, programs(stage.id));
  if (cell === undefined)
    return { ...common, kind: 'key', sentence: `a key in ${root.id} holds it, which waits for no clock` };
  const [holder] = cell.holders;
  if (holder === undefined)
    return { ...common, kind: 'key', name: cell.key, sentence: `key ${cell.key} in ${root.id} holds it` };
  const { kind, what } = holder;
  return {
    ...common,
    kind,
    name: cell.key,
    what,
    sentence: `${HOLDS[kind]} ${what} of key ${cell.key} in ${root.id} holds it`,
  };
}

/** What of an enriching shard holds at an instant: a batch that waits or is with its model, or elements in no batch yet. */
function batchHoldingAt(
  { batches, waiting }: EnrichState,
  at: EpochMillis,
): { name: string; what: string; since: EpochMillis } | undefined {
  const batch = batches.find(({ earliest }) => earliest === at);
  if (batch !== undefined) {
    const { number, count, claim, due, reason, since } = batch;
    const waits = `waits until ${new Date(due).toISOString()}${reason === undefined ? '' : ` (${reason})`}`;
    const what = `batch ${number} of ${count} elements ${claim === undefined ? waits : 'is with the model'}`;
    return { name: `batch ${number}`, what, since };
  }
  const run = waiting.find(({ earliest }) => earliest === at);
  if (run === undefined) return undefined;
  return { name: `run ${run.run}`, what: `${run.count} elements wait to be shown to the model`, since: run.since };
}

function sourceCulprit(survey: Survey, source: string, at: EpochMillis): Culprit {
  const since = survey.moved[source];
  const written = rootsOfSource(survey, source).reduce<EpochMillis>(
    (latest, root) => later(root.written, latest),
    MIN_TIMESTAMP,
  );
  const common = {
    kind: 'source',
    where: source,
    name: source,
    at,
    ...(since === undefined ? {} : { since }),
  } as const;
  if (survey.drain !== undefined) return { ...common, sentence: `source '${source}' ${drainedSource(survey.drain)}` };
  if (written === MIN_TIMESTAMP) return { ...common, sentence: `source '${source}' has brought nothing yet` };
  const last = new Date(written).toISOString();
  return { ...common, sentence: `source '${source}' is known to be complete up to there; it was last read at ${last}` };
}

/** What the watermark of a source waits for in a drain. */
function drainedSource({ closed, readingEnds, closingEnds }: DrainControl): string {
  if (!closed)
    return `reads no more; a sweep lets it go on from ${describeInstant(readingEnds)} on, when nothing is read any more`;
  return closingEnds === undefined
    ? 'is at its end with the next sweep'
    : `follows the clock with each sweep, as long as a window is open, until ${describeInstant(closingEnds)} at the latest`;
}

/** At the end of time, where a drain has brought it or the input has ended by itself; what is paused waits there all the same. */
function nothing(survey: Survey, { id }: StoredStage): Culprit {
  const { drain, paused, pipeline } = survey;
  const ended =
    drain === undefined
      ? 'its input has ended'
      : `'${pipeline}' drains since ${describeInstant(drain.since)}, and all before it is through`;
  const stopped = paused[id] === undefined ? '' : `; but '${id}' is paused, go on with: millrace resume ${id}`;
  return { kind: 'nothing', where: id, at: MAX_TIMESTAMP, sentence: `nothing holds it: ${ended}${stopped}` };
}

function earliestInput(survey: Survey, { inputs }: StoredStage): { id: string; at: EpochMillis } {
  return (
    inputs
      .map((id) => ({ id, at: survey.computed.output[id] ?? MIN_TIMESTAMP }))
      // A stage without inputs reads its source by itself, and waits for nobody.
      .reduce((first, other) => (other.at < first.at ? other : first), { id: '', at: MAX_TIMESTAMP })
  );
}

function output({ watermarks }: Survey, stage: string): EpochMillis {
  return watermarks.output[stage] ?? MIN_TIMESTAMP;
}
