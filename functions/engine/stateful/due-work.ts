/**
 * What of a cell is due, in the order in which it is delivered: elements whose wait is over; then by event time elements in
 * the order of their timestamps, timers and expirations; then by processing time timers and what has outlived its time.
 * Asked anew before each delivery, so whatever a callback sets, clears or replaces counts (catalogue T06, T07).
 */
import { type EpochMillis, MAX_TIMESTAMP, plus } from '../../model/time.ts';
import type { TimerClock } from '../../model/timers.ts';
import type { Parking } from '../shard/parking.ts';
import type { Delivery, KeyClocks } from './deliveries.ts';
import type { SortedBuffer } from './sorted-buffer.ts';
import { dueOf } from './timer-store.ts';
import type { WindowState } from './window-state.ts';
import type { DueWindows, WindowStates } from './window-states.ts';

const CLOCKS = ['event', 'processing'] as const;

/** The live contents of a cell. */
export interface CellContents {
  readonly windows: WindowStates;
  readonly parking: Parking;
  readonly buffer: SortedBuffer;
}

export class DueWork {
  readonly #contents: CellContents;
  readonly #clocks: KeyClocks;
  readonly #delay: number;
  #watermark: EpochMillis | undefined;
  #queues: Record<TimerClock, DueWindows> | undefined;
  /** The window at the head of the queue, as far as it was looked at. */
  #head: { readonly clock: TimerClock; readonly state: WindowState } | undefined;

  /**
   * @param clocks the stage's
   * @param delay see `StatefulSpec`
   */
  constructor(contents: CellContents, clocks: KeyClocks, delay: number) {
    this.#contents = contents;
    this.#clocks = clocks;
    this.#delay = delay;
  }

  /** Takes out the next delivery. A promise where a part must be read for it. */
  next(): Delivery | undefined | Promise<Delivery | undefined> {
    for (;;) {
      const loading = this.#load();
      if (loading !== undefined) return loading.then(() => this.next());
      const { parking, buffer } = this.#contents;
      const watermark = this.#see();
      const [parked] = parking.takeDue(this.#clocks.processingTime, 1);
      if (parked !== undefined) return { kind: 'element', element: parked.element, attempts: parked.attempts };
      if (this.#isBufferNext(watermark)) {
        const element = buffer.take(this.#sortedUntil(watermark));
        if (element !== undefined) return { kind: 'element', element, attempts: 0 };
        continue;
      }
      if (this.#head === undefined) return undefined;
      const { clock, state } = this.#head;
      this.#head = undefined;
      const delivery = this.#of(clock, state, watermark);
      if (delivery !== undefined) return delivery;
      // It is due later than was known.
      this.changed(state);
    }
  }

  /** A callback has changed what a window waits for. */
  changed(state: WindowState): void {
    for (const clock of CLOCKS) this.#queues?.[clock].offer(state);
  }

  /** Brings into memory what `next` will look at. Undefined: it is there. */
  #load(): undefined | Promise<void> {
    const { buffer, parking } = this.#contents;
    const watermark = this.#see();
    if (parking.due() <= this.#clocks.processingTime) return undefined;
    if (this.#isBufferNext(watermark)) {
      const until = this.#sortedUntil(watermark);
      return buffer.isNextFar(until) ? buffer.bringNear() : undefined;
    }
    const looked = this.#lookAtHead(watermark);
    if (looked !== undefined || this.#head === undefined) return looked;
    const { clock, state } = this.#head;
    const until = this.#timersUntil(clock, state, watermark);
    return state.timers.isNextFar(clock, until) ? state.timers.bringNear(clock) : undefined;
  }

  #of(clock: TimerClock, state: WindowState, watermark: EpochMillis): Delivery | undefined {
    if (clock === 'processing' && state.purgeDue() <= this.#clocks.processingTime) return { kind: 'purge', state };
    const timer = state.timers.take(clock, this.#timersUntil(clock, state, watermark));
    if (timer !== undefined) return { kind: 'timer', state, timer };
    if (clock === 'event' && watermark > state.expiry) return { kind: 'expiration', state };
    return undefined;
  }

  /** The watermark as this key sees it. It rises when what was parked is through. */
  #see(): EpochMillis {
    const watermark = this.#contents.parking.watermark(this.#clocks.inputWatermark);
    if (watermark !== this.#watermark) {
      this.#watermark = watermark;
      this.#queues = undefined;
      this.#head = undefined;
    }
    return watermark;
  }

  #isBufferNext(watermark: EpochMillis): boolean {
    // A window that was looked at is out of its queue, and was found to come first; nothing has happened since.
    if (this.#head !== undefined) return false;
    const due = dueOf(plus(this.#contents.buffer.next(), this.#delay));
    return due < MAX_TIMESTAMP && due <= watermark && due <= this.#queue('event', watermark).due();
  }

  /** Finds the first window that is still there. Event time comes first: an expired window's other timers are gone. */
  #lookAtHead(watermark: EpochMillis): undefined | Promise<void> {
    if (this.#head !== undefined) return undefined;
    for (const clock of CLOCKS) {
      const queue = this.#queue(clock, watermark);
      for (let window = queue.take(); window !== undefined; window = queue.take()) {
        const state = this.#contents.windows.find(window);
        if (state instanceof Promise)
          return state.then((found) => {
            this.#head = { clock, state: found };
          });
        if (state === undefined) continue;
        this.#head = { clock, state };
        return undefined;
      }
    }
    return undefined;
  }

  #queue(clock: TimerClock, watermark: EpochMillis): DueWindows {
    const { windows } = this.#contents;
    this.#queues ??= {
      event: windows.dueQueue('event', watermark),
      processing: windows.dueQueue('processing', this.#clocks.processingTime),
    };
    return this.#queues[clock];
  }

  #timersUntil(clock: TimerClock, { expiry }: WindowState, watermark: EpochMillis): EpochMillis {
    if (clock === 'processing') return this.#clocks.processingTime;
    // All that is left of a window comes before its expiration.
    return watermark > expiry ? dueOf(expiry) : this.#sortedUntil(watermark);
  }

  #sortedUntil(watermark: EpochMillis): EpochMillis {
    return plus(watermark, -this.#delay);
  }
}
