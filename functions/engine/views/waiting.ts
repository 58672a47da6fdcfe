/**
 * Elements that wait for views, as the root of a reading shard keeps them. Pure.
 *
 * Invariants: elements that wait for the same windows of views wait together, in runs, in the order in which they came;
 * they hold the stage's output watermark at the earliest of their timestamps (catalogue SI12); the root lists what they wait
 * for, so that a sweep knows whom to wake.
 */
import { type EpochMillis, earlier } from '../../model/time.ts';
import type { Window } from '../../model/windows.ts';

/** A window of a view. */
export interface SideWindow extends Window {
  readonly view: string;
  /** Once the view's watermark is past this, a window without a pane is empty. */
  readonly last: EpochMillis;
}

/** A document with waiting elements: its number among the shard's runs, and how many it holds. */
export interface WaitingRun {
  readonly number: number;
  readonly count: number;
}

export interface Waiting {
  readonly sides: readonly SideWindow[];
  readonly runs: readonly WaitingRun[];
  /** The earliest timestamp. */
  readonly hold: EpochMillis;
  /** The processing time at which the first of them came. */
  readonly since: EpochMillis;
}

export interface ReadingState {
  /** The number of the last run. */
  readonly run: number;
  readonly waiting: readonly Waiting[];
  /** Each view's revision that this shard knew when it committed. */
  readonly seen: Readonly<Record<string, number>>;
  /** How many elements have waited until now, and how long in sum (each as long as the first of its group), milliseconds. */
  readonly waited: { readonly elements: number; readonly millis: number };
}

const NOTHING_WAITS: ReadingState = { run: 0, waiting: [], seen: {}, waited: { elements: 0, millis: 0 } };

export function readingState(of: { readonly extra?: unknown }): ReadingState {
  return (of.extra as ReadingState | undefined) ?? NOTHING_WAITS;
}

/** The name of a set of side windows: elements with equal names wait for the same. */
export function sidesKey(sides: readonly SideWindow[]): string {
  return sides.map(({ view, start }) => `${view}~${start}`).join(' ');
}

export function waitingCount({ runs }: Waiting): number {
  return runs.reduce((sum, { count }) => sum + count, 0);
}

/** With elements in a run: the last one, which was written again, or a new one. */
export function withWaiting(
  entry: Waiting | undefined,
  sides: readonly SideWindow[],
  run: WaitingRun,
  hold: EpochMillis,
  now: EpochMillis,
): Waiting {
  if (entry === undefined) return { sides, runs: [run], hold, since: now };
  const kept = entry.runs.at(-1)?.number === run.number ? entry.runs.slice(0, -1) : entry.runs;
  return { ...entry, runs: [...kept, run], hold: earlier(entry.hold, hold) };
}
