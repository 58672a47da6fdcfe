/**
 * What all trigger state machines have in common.
 *
 * A trigger tree is compiled once to a tree of machines without state of their own; each window has one `TriggerState`
 * that all machines of the tree work on. Rules (Beam's): elements never make a machine finish, only a firing does; a
 * machine is asked whether it is ready once a bundle and whenever one of the window's timers is due; clearing forgets
 * what a machine has counted, but not whether it has finished.
 */
import type { EpochMillis } from '../../model/time.ts';

/** One window's state for a whole trigger tree. Plain JSON. */
export interface TriggerState {
  /** By machine number: whether it has finished. */
  finished: boolean[];
  /** By slot number: the counts and deadlines of the leaves that keep one; null where there is none. */
  slots: (number | null)[];
  /** Whether the window is to be asked again when the watermark passes its end. */
  endOfWindowTimer: boolean;
  /** When the window is to be asked again in processing time: ascending, each once, each due when now is *past* it. */
  timers: EpochMillis[];
}

/** What machines see of the outside. */
export interface TriggerMoment {
  /** Whether the input watermark has passed the window's last instant. */
  endOfWindowReached: boolean;
  processingTime: EpochMillis;
}

/** Gives out numbers while a tree is compiled. */
export interface TriggerLayout {
  machines: number;
  slots: number;
}

export abstract class TriggerMachine {
  /** Its number: machines are numbered in pre-order, so a subtree is `number` up to, not including, `after`. */
  readonly number: number;
  readonly after: number;
  readonly parts: readonly TriggerMachine[];

  /** @param makeParts compiles the parts; it is called after this machine has its number */
  constructor(layout: TriggerLayout, makeParts: () => readonly TriggerMachine[] = () => []) {
    this.number = layout.machines++;
    this.parts = makeParts();
    this.after = layout.machines;
  }

  /** Takes note of `count` new elements, all of one bundle. */
  abstract onElements(state: TriggerState, count: number, moment: TriggerMoment): void;

  /**
   * Joins the states of windows that have merged. `state` begins as the state of the merged window where that existed
   * before (it is among `merging` then), else as an empty one.
   */
  abstract onMerge(state: TriggerState, merging: readonly TriggerState[], moment: TriggerMoment): void;

  abstract isReady(state: TriggerState, moment: TriggerMoment): boolean;

  /** Called when the window fires because of this machine; only while it is ready. */
  abstract onFire(state: TriggerState, moment: TriggerMoment): void;

  /** Forgets counts and deadlines of the whole subtree. */
  clear(state: TriggerState): void {
    for (const part of this.parts) part.clear(state);
  }

  isFinished(state: TriggerState): boolean {
    return state.finished[this.number]!;
  }

  setFinished(state: TriggerState, finished: boolean): void {
    state.finished[this.number] = finished;
  }

  /** Makes the whole subtree as new. */
  reset(state: TriggerState): void {
    state.finished.fill(false, this.number, this.after);
    this.clear(state);
  }

  /** Whether a deadline of the subtree is `at`; stale timers are told from live ones by it. */
  waitsFor(state: TriggerState, at: EpochMillis): boolean {
    return this.parts.some((part) => part.waitsFor(state, at));
  }
}

/** Asks for the window to be asked again once processing time is past `at`. */
export function setTimer(state: TriggerState, at: EpochMillis): void {
  const { timers } = state;
  let i = timers.length;
  while (i > 0 && timers[i - 1]! > at) i--;
  if (timers[i - 1] === at) return;
  if (i === timers.length) timers.push(at);
  else timers.splice(i, 0, at);
}
