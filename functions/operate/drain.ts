/**
 * Draining: the pipeline reads no more, every window closes, and everything that waits is written. Sweeps carry it out
 * (`engine/sweep/drained-sources.ts`); this gives the order, and watches.
 */
import type { DrainControl } from '../engine/control.ts';
import { sinkState } from '../engine/sink/sink-work.ts';
import { ConfigurationError, messageOf } from '../model/errors.ts';
import { MAX_TIMESTAMP, type Millis, plus } from '../model/time.ts';
import type { StoredShape } from '../plan/stored-shape.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import type { Delivery, Subscriptions } from '../ports/subscriptions.ts';
import { changeControl } from './change-control.ts';
import { openEnvelopes } from './status/open-ranges.ts';
import { type Survey, rootsOfStage } from './status/survey.ts';

export interface DrainOptions {
  /** How long what was being read may still be committed. Default two minutes: longer than any request. */
  readonly reading?: Millis;
  /** Watermarks follow the clock for so long at most, so that open windows close by themselves. Absent: at once. */
  readonly untilClosed?: Millis;
}

/** What is left of a pipeline that drains. */
export interface DrainProgress {
  readonly drained: boolean;
  /** Stages whose watermark is not at the end. */
  readonly open: readonly string[];
  readonly cells: number;
  /** On their way between stages. */
  readonly envelopes: number;
  /** Rows that wait to be written. */
  readonly rows: number;
  /** Bundles of messages for topics outside that are not known to be published. */
  readonly messages: number;
}

const READING = 120_000 as Millis;

/**
 * Gives the order; again when it was given before, or broke off. What is not said then stays as it was ordered.
 * @returns the order that holds
 * @throws {ConfigurationError} when the subscription of a source is not there, and nothing is ordered; or when it broke off behind the order
 */
export async function drain(
  store: Store,
  subscriptions: Subscriptions,
  clock: Clock,
  sources: readonly string[],
  options: DrainOptions = {},
): Promise<DrainControl> {
  const { reading = READING, untilClosed } = options;
  for (const delivery of deliveriesOf(sources)) await subscriptions.note(delivery);
  const now = clock.now();
  // First of all: what is still read then ends when the reading does, wherever this breaks off.
  const order = await changeControl(store, 'drain', (before): DrainControl => {
    const since = before?.since ?? now;
    const readingEnds = before?.readingEnds ?? plus(since, reading);
    const closing = untilClosed === undefined ? {} : { closingEnds: plus(readingEnds, untilClosed) };
    return { ...before, since, readingEnds, ...closing };
  });
  try {
    // Each time: a deployment that was under way when the order was given may have started it again.
    await stopSources(subscriptions, sources);
  } catch (error) {
    throw new ConfigurationError(
      `the drain is ordered, and some sources may be delivered still; give it again (millrace drain): ${messageOf(error)}`,
      { cause: error },
    );
  }
  return order!;
}

export async function stopSources(subscriptions: Subscriptions, sources: readonly string[]): Promise<void> {
  for (const delivery of deliveriesOf(sources)) await subscriptions.pause(delivery);
}

function deliveriesOf(sources: readonly string[]): Delivery[] {
  return sources.map((id) => ({ kind: 'source', id }));
}

/** The sources that can be stopped; files are read by whoever runs the pipeline. */
export function deliveredSources({ sources }: StoredShape): string[] {
  return sources.filter(({ reader }) => reader === 'messages').map(({ id }) => id);
}

export function drainProgress(survey: Survey): DrainProgress {
  const { shape, computed, roots } = survey;
  const all = [...roots.values()];
  const open = shape.stages.filter(({ id }) => (computed.output[id] ?? 0) < MAX_TIMESTAMP).map(({ id }) => id);
  const sinks = shape.stages.filter(({ kind }) => kind === 'writeBigQuery');
  const states = sinks.flatMap(({ id }) => rootsOfStage(survey, id)).map(sinkState);
  const rows = states.reduce((sum, state) => sum + state.rows + (state.claim === null ? 0 : 1), 0);
  const cells = all.reduce((sum, root) => sum + root.cells, 0);
  const underWay = shape.stages.flatMap(({ id }) => openEnvelopes(survey, id));
  const envelopes = underWay.reduce((sum, { count }) => sum + count, 0);
  const messages = all.reduce((sum, { outside }) => sum + outside.length, 0);
  const drained = open.length === 0 && cells + envelopes + rows + messages === 0;
  return { drained, open, cells, envelopes, rows, messages };
}

/** What is left, in words. */
export function describeProgress({ open, cells, envelopes, rows, messages }: DrainProgress): string {
  const outside = messages === 0 ? '' : ` and ${messages} bundles of messages for topics outside`;
  return `${open.length} stages are open (${open.join(', ') || 'none'}); ${cells} cells, ${envelopes} envelopes, ${rows} rows${outside} are left`;
}
