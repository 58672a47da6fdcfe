/**
 * How many pushes may be in flight, and whether the subscription is paused: Pub/Sub's push flow control. Its real
 * constants are not published; these keep to what its documentation says: a window of a few at the start, that grows
 * while answers are quick and good, that shrinks when they are not, and a pause of 100 ms to 60 s for the whole
 * subscription after many refusals.
 */

const FIRST_WINDOW = 5;
const QUICK_MILLIS = 1_000;
/** So many refusals without as many acknowledgements between them begin a pause. */
const REFUSALS_TO_PAUSE = 5;
const FIRST_PAUSE_MILLIS = 100;
const LONGEST_PAUSE_MILLIS = 60_000;

export class PushWindow {
  readonly #most: number;
  readonly #slowStart: boolean;
  #size: number;
  /** Refusals that no acknowledgement has made up for. */
  #refusals = 0;
  #pauseMillis = FIRST_PAUSE_MILLIS;
  #pausedUntil = 0;

  /** @param slowStart false: always `most`, never a pause */
  constructor(most: number, slowStart: boolean) {
    this.#most = most;
    this.#size = slowStart ? Math.min(FIRST_WINDOW, most) : most;
    this.#slowStart = slowStart;
  }

  /** How many may be in flight now. */
  size(now: number): number {
    return now < this.#pausedUntil ? 0 : Math.floor(this.#size);
  }

  /** Milliseconds until a pause ends; 0 outside one. */
  pausedFor(now: number): number {
    return Math.max(0, this.#pausedUntil - now);
  }

  answered(acknowledged: boolean, tookMillis: number, now: number): void {
    if (!this.#slowStart) return;
    if (acknowledged) {
      this.#refusals = Math.max(0, this.#refusals - 1);
      if (this.#refusals === 0) this.#pauseMillis = FIRST_PAUSE_MILLIS;
      if (tookMillis < QUICK_MILLIS) this.#size = Math.min(this.#most, this.#size + 1);
      return;
    }
    this.#size = Math.max(1, this.#size * 0.9);
    this.#refusals++;
    if (this.#refusals < REFUSALS_TO_PAUSE || now < this.#pausedUntil) return;
    this.#pausedUntil = now + this.#pauseMillis;
    this.#pauseMillis = Math.min(LONGEST_PAUSE_MILLIS, this.#pauseMillis * 2);
  }
}
