/** When a key's windows have something to do, and how far they hold the watermark; worked out from the last change on. */
import { type EpochMillis, MAX_TIMESTAMP } from '../../model/time.ts';
import type { WindowState } from './window-state.ts';

/** What a key's windows hold and wait for; `MAX_TIMESTAMP` = nothing. */
export interface Outlook {
  /** The earliest timestamp that an element holds. */
  readonly hold: EpochMillis;
  /** The earliest last instant of a window that has an on-time pane to come. */
  readonly timerHold: EpochMillis;
  /** The smallest input watermark at which one has something to do. */
  readonly event: EpochMillis;
  /** The smallest processing time at which one has something to do. */
  readonly processing: EpochMillis;
}

const NOTHING: Outlook = {
  hold: MAX_TIMESTAMP,
  timerHold: MAX_TIMESTAMP,
  event: MAX_TIMESTAMP,
  processing: MAX_TIMESTAMP,
};

/**
 * The outlook of all windows up to each of them. Most changes are to the newest windows, so most of it stays as it is.
 * Invariant: the first `#known` are those of the windows as they are.
 */
export class Outlooks {
  readonly #upTo: Outlook[] = [];
  readonly #expectsOnTimePane: (state: WindowState<unknown>) => boolean;
  #known = 0;

  /** @param expectsOnTimePane whether a pane comes when the window ends */
  constructor(expectsOnTimePane: (state: WindowState<unknown>) => boolean) {
    this.#expectsOnTimePane = expectsOnTimePane;
  }

  /** The window at this place has changed, or others stand from there on. */
  changed(place: number): void {
    if (place < this.#known) this.#known = place;
  }

  /** Of all windows. */
  of(states: readonly WindowState<unknown>[]): Outlook {
    let outlook = this.#known === 0 ? NOTHING : this.#upTo[this.#known - 1]!;
    for (let i = this.#known; i < states.length; i++) {
      outlook = this.#with(states[i]!, outlook);
      this.#upTo[i] = outlook;
    }
    while (this.#upTo.length > states.length) this.#upTo.pop();
    this.#known = states.length;
    return outlook;
  }

  /** Where the first window is that has something to do by these clocks; their number where none has. */
  firstDue(states: readonly WindowState<unknown>[], inputWatermark: EpochMillis, processingTime: EpochMillis): number {
    this.of(states);
    let low = 0;
    let high = states.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const { event, processing } = this.#upTo[middle]!;
      if (event <= inputWatermark || processing <= processingTime) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #with(state: WindowState<unknown>, before: Outlook): Outlook {
    let { hold, timerHold, event, processing } = before;
    const { closed, trigger, last, end, expiry, hold: held } = state;
    const eventAt = !closed && trigger.endOfWindowTimer ? end : after(expiry);
    if (eventAt < event) event = eventAt;
    if (closed) return { hold, timerHold, event, processing };
    if (held !== undefined && held < hold) hold = held;
    if (last < timerHold && this.#expectsOnTimePane(state)) timerHold = last;
    if (trigger.timers.length > 0) {
      const processingAt = after(trigger.timers[0]!);
      if (processingAt < processing) processing = processingAt;
    }
    return { hold, timerHold, event, processing };
  }
}

/** The next instant; of times that are far from the end of time. */
function after(at: EpochMillis): EpochMillis {
  return (at + 1) as EpochMillis;
}
