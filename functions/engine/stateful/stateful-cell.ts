/**
 * One key of a stateful step: its windows with their state and timers, and the elements that wait.
 *
 * Invariants
 * - A callback that throws leaves nothing behind: the cell stands as before, and what it emitted is gone.
 * - `advance` throws for no user code. A delivery that fails is tried again by itself; then a timer, an expiration or an
 *   element that has waited is given up for good, in the commit that reports it, so nothing pins the watermark.
 * - Work in one call is bounded by the context's budget; what remains is still due.
 *
 * The text is a line for each window (see `WindowState`), a line `P…` for what is parked and `B…` for what waits its turn.
 */
import { PoisonError, TooLargeError } from '../../model/errors.ts';
import { waitAfter } from '../../model/retry.ts';
import { type EpochMillis, earlier, epochMillis, MAX_TIMESTAMP, plus } from '../../model/time.ts';
import type { Window } from '../../model/windows.ts';
import { eachInTurn } from '../chain/receive.ts';
import { roughSize } from '../chain/rough-size.ts';
import type { Incoming } from '../element-codec.ts';
import { expiryOf } from '../reduce/spec.ts';
import type { Cell, CellContext, CellOutput, Holder } from '../shard/cell.ts';
import type { CellParts } from '../shard/cell-parts.ts';
import { KeyOutput } from '../shard/key-output.ts';
import { type ParkedElement, Parking } from '../shard/parking.ts';
import { callExpiration, callProcess, callTimer } from './callbacks.ts';
import type { Delivery } from './deliveries.ts';
import { type CellContents, DueWork } from './due-work.ts';
import { holdersOf } from './holders.ts';
import { type InspectedWindow, inspectWindows } from './inspect.ts';
import { Moment } from './moment.ts';
import { setAgain, TIMER_INLET } from './replayed-timer.ts';
import { SortedBuffer } from './sorted-buffer.ts';
import type { StatefulSpec } from './spec.ts';
import { dueOf } from './timer-store.ts';
import { WindowStates } from './window-states.ts';

/** A cell above this is refused, and what made it so: its document would not fit. */
const MAX_CHARACTERS = 300_000;
/** No further callback is called in one go when those before have emitted about so many characters. */
const MOST_EMITTED = 400_000;
const PARKED = 'P';
const BUFFERED = 'B';

/** What a cell that rests answers, worked out when it is first asked. */
interface AtRest {
  readonly text: string | undefined;
  hold?: EpochMillis;
  eventDue?: EpochMillis;
  processingDue?: EpochMillis;
}

export class StatefulCell implements Cell {
  readonly key: unknown;
  readonly spec: StatefulSpec;
  readonly moment = new Moment();
  readonly #parts: CellParts;
  #contents: CellContents;
  /** Undefined while something may change the cell. */
  #atRest: AtRest | undefined;

  constructor(spec: StatefulSpec, key: unknown, parts: CellParts, stored: string | undefined) {
    this.spec = spec;
    this.key = key;
    this.#parts = parts;
    this.#contents = this.#decode(stored);
  }

  process(elements: readonly Incoming[], context: CellContext, output: CellOutput): void | Promise<void> {
    this.#atRest = undefined;
    this.moment.processingTime = context.processingTime;
    const pending = eachInTurn(elements, (element) => this.#receive(element, context, output));
    return pending === undefined ? this.#settle() : pending.then(() => this.#settle());
  }

  advance(context: CellContext, output: CellOutput): void | Promise<void> {
    this.moment.processingTime = context.processingTime;
    const { refused } = context;
    if (refused !== undefined) return this.#giveUp(refused, 1, context, output).then(() => this.#settle());
    return this.#deliverDue(context, output, Number.POSITIVE_INFINITY);
  }

  failed(element: Incoming, error: unknown, attempts: number, context: CellContext, output: CellOutput): void {
    this.#atRest = undefined;
    const live = this.#withoutLate(element, context, output);
    const parked = { element: live, reason: 'retry', attempts, until: this.#retryAt(error, attempts, context) };
    if (live.windows.length > 0) this.#parkOrReport(parked, error, context.inputWatermark, output);
  }

  hold(): EpochMillis | undefined {
    const hold = this.#atRest?.hold ?? this.#hold();
    if (this.#atRest !== undefined) this.#atRest.hold = hold;
    return hold < MAX_TIMESTAMP ? hold : undefined;
  }

  holders(): Holder[] {
    return holdersOf(this.#contents);
  }

  /** What it holds, as the author's code would read it; for tests and operators. */
  inspect(processingTime: EpochMillis): Promise<readonly InspectedWindow[]> {
    this.#atRest = undefined;
    this.moment.processingTime = processingTime;
    return inspectWindows(this, this.#contents.windows);
  }

  eventDue(): EpochMillis {
    const due = this.#atRest?.eventDue ?? this.#eventDue();
    if (this.#atRest !== undefined) this.#atRest.eventDue = due;
    return due;
  }

  processingDue(): EpochMillis {
    const due = this.#atRest?.processingDue ?? this.#processingDue();
    if (this.#atRest !== undefined) this.#atRest.processingDue = due;
    return due;
  }

  encode(): string | undefined {
    return this.#atRest === undefined ? this.#encode() : this.#atRest.text;
  }

  /** `MAX_TIMESTAMP` = nowhere. */
  #hold(): EpochMillis {
    const { windows, parking, buffer } = this.#contents;
    return earlier(windows.hold() ?? MAX_TIMESTAMP, earlier(parking.hold() ?? MAX_TIMESTAMP, buffer.next()));
  }

  #eventDue(): EpochMillis {
    const { windows, parking, buffer } = this.#contents;
    const buffered = dueOf(plus(buffer.next(), this.spec.delay));
    return parking.stageDue(earlier(windows.due('event'), buffered));
  }

  #processingDue(): EpochMillis {
    const { windows, parking } = this.#contents;
    return earlier(windows.due('processing'), parking.due());
  }

  #encode(): string | undefined {
    const { windows, parking, buffer } = this.#contents;
    const lines = windows.encode();
    const parked = parking.encode();
    if (parked !== undefined) lines.push(PARKED + parked);
    const buffered = buffer.encode();
    if (buffered !== undefined) lines.push(BUFFERED + buffered);
    return lines.length === 0 ? undefined : lines.join('\n');
  }

  #decode(stored: string | undefined): CellContents {
    const lines = stored?.split(/\n(?!\t)/) ?? [];
    const line = (mark: string): string | undefined => lines.find((each) => each.startsWith(mark))?.slice(mark.length);
    const windows = lines.filter((each) => !each.startsWith(PARKED) && !each.startsWith(BUFFERED));
    return {
      windows: new WindowStates(this.spec, this.moment, this.#parts, windows),
      parking: Parking.decode(line(PARKED)),
      buffer: new SortedBuffer(this.#parts, line(BUFFERED)),
    };
  }

  /** Takes an element that has just arrived: this is when lateness is judged. */
  #receive(element: Incoming, context: CellContext, output: CellOutput): void | Promise<void> {
    const live = this.#withoutLate(element, context, output);
    if (live.windows.length === 0) return undefined;
    if (live.inlet === TIMER_INLET) return this.#setTimer(live);
    if (!this.spec.timeSorted) return this.#process(live, context, output);
    this.#contents.buffer.add(live);
    return undefined;
  }

  /** When an element is to be tried again that has failed so often; `MAX_TIMESTAMP` = not again. */
  #retryAt(error: unknown, attempts: number, { processingTime }: CellContext): EpochMillis {
    const { retry } = this.spec;
    if (retry === undefined || attempts >= retry.attempts || error instanceof PoisonError) return MAX_TIMESTAMP;
    return plus(processingTime, waitAfter(retry, Math.max(1, attempts - 1)));
  }

  /** @param seen the watermark that this key has seen */
  #parkOrReport(parked: ParkedElement, error: unknown, seen: EpochMillis, output: CellOutput): void {
    if (parked.until < MAX_TIMESTAMP) {
      const undo = this.#checkpoint();
      this.#contents.parking.park(parked, seen);
      if ((this.encode()?.length ?? 0) <= MAX_CHARACTERS) return;
      undo();
    }
    output.elementFailed(parked.element, error, parked.attempts);
  }

  /** The element in those of its windows that still take it; the others are reported. */
  #withoutLate(element: Incoming, context: CellContext, output: CellOutput): Incoming {
    const watermark = this.#contents.parking.watermark(context.inputWatermark);
    const isLate = (window: Window): boolean => this.#takesUntil(element, window) < watermark;
    if (!element.windows.some(isLate)) return element;
    const { value, count, timestamp, id, inlet, lifted, latest } = element;
    for (const window of element.windows)
      if (isLate(window)) {
        const record = { key: this.key, value, count, timestamp, window, watermark, reason: 'expired' as const };
        output.late(record, id, { inlet, lifted, count, latest });
      }
    return { ...element, windows: element.windows.filter((window) => !isLate(window)) };
  }

  /** The last watermark at which an element is taken. Elements that are sorted wait no longer than their lateness (S14). */
  #takesUntil({ timestamp, inlet }: Incoming, window: Window): EpochMillis {
    const { strategy, timeSorted } = this.spec;
    return timeSorted && inlet !== TIMER_INLET
      ? epochMillis(timestamp + strategy.allowedLateness)
      : expiryOf(window, strategy);
  }

  /** The watermark as callbacks see it. */
  #sees({ inputWatermark }: CellContext): EpochMillis {
    return plus(this.#contents.parking.watermark(inputWatermark), -this.spec.delay);
  }

  /** Sets a timer again that has failed; it is due with what else the bundle makes due. */
  #setTimer(element: Incoming): void | Promise<void> {
    return eachInTurn(element.windows, (window) => {
      const state = this.#contents.windows.get(window);
      if (state instanceof Promise) return state.then((loaded) => loaded.timers.set(setAgain(element)));
      return state.timers.set(setAgain(element));
    });
  }

  #process(element: Incoming, context: CellContext, output: CellOutput, due?: DueWork): void | Promise<void> {
    const watermark = this.#sees(context);
    return eachInTurn(element.windows, (window) => {
      const state = this.#contents.windows.get(window);
      const side = this.spec.sides?.of(window);
      if (state instanceof Promise || side instanceof Promise)
        return Promise.all([state, side]).then(async ([loaded, seen]) => {
          await callProcess(this, loaded, element, watermark, output, seen);
          due?.changed(loaded);
        });
      const pending = callProcess(this, state, element, watermark, output, side);
      if (pending === undefined) due?.changed(state);
      else return pending.then(() => due?.changed(state));
      return undefined;
    });
  }

  /**
   * Delivers up to `most`, in turn. When one fails, those before it are delivered, and then it is tried by itself.
   * @param alone it is that one
   */
  #deliverDue(context: CellContext, output: CellOutput, most: number, alone = false): void | Promise<void> {
    const undo = this.#checkpoint();
    this.#atRest = undefined;
    const attempt = new KeyOutput();
    const progress = new Progress(attempt);
    const done = (): void => {
      if (context.budget !== undefined) context.budget.left -= progress.delivered;
      attempt.copyTo(output);
    };
    const failed = (error: unknown): Promise<void> => {
      this.#parts.throwFailure();
      this.spec.sides?.throwFailure(error);
      this.#atRest = undefined;
      undo();
      return this.#afterFailure(error, progress.delivered, context, output, most, alone);
    };
    try {
      const due = new DueWork(this.#contents, context, this.spec.delay);
      const pending = this.#run(due, context, most, progress) ?? this.#settle();
      if (pending !== undefined) return pending.then(() => this.#settle()).then(done, failed);
    } catch (error) {
      return failed(error);
    }
    return done();
  }

  async #afterFailure(
    error: unknown,
    delivered: number,
    context: CellContext,
    output: CellOutput,
    most: number,
    alone: boolean,
  ): Promise<void> {
    this.#atRest = undefined;
    // When all went well but the cell has grown too large, the last one is to blame.
    const before = error instanceof CellTooLarge ? Math.max(0, delivered - 1) : delivered;
    if (before === 0) await this.#giveUp(error, alone ? 2 : 1, context, output);
    else {
      await this.#deliverDue(context, output, before);
      await this.#deliverDue(context, output, 1, true);
    }
    if (most > before + 1) await this.#deliverDue(context, output, most - before - 1);
  }

  #run(due: DueWork, context: CellContext, most: number, progress: Progress): void | Promise<void> {
    const left = Math.min(most, context.budget?.left ?? Number.POSITIVE_INFINITY);
    const { output } = progress;
    while (progress.delivered < left && progress.characters < MOST_EMITTED) {
      const next = due.next();
      if (next instanceof Promise)
        return next.then(async (delivery) => {
          if (delivery === undefined) return;
          await this.#deliver(delivery, due, context, output);
          progress.note();
          await this.#run(due, context, most, progress);
        });
      if (next === undefined) return undefined;
      const pending = this.#deliver(next, due, context, output);
      if (pending !== undefined)
        return pending.then(() => {
          progress.note();
          return this.#run(due, context, most, progress);
        });
      progress.note();
    }
    return undefined;
  }

  #deliver(delivery: Delivery, due: DueWork, context: CellContext, output: CellOutput): void | Promise<void> {
    if (delivery.kind === 'element') return this.#process(delivery.element, context, output, due);
    const { state } = delivery;
    const watermark = this.#sees(context);
    if (delivery.kind === 'purge') {
      state.purge();
      return due.changed(state);
    }
    if (delivery.kind === 'timer') {
      const pending = callTimer(this, state, delivery.timer, watermark, output);
      return pending === undefined ? due.changed(state) : pending.then(() => due.changed(state));
    }
    const pending = callExpiration(this, state, watermark, output);
    const remove = (): void => this.#contents.windows.remove(state);
    return pending === undefined ? remove() : pending.then(remove);
  }

  /**
   * Takes out the next delivery without delivering it, and reports it.
   * @param tries how often it has failed now
   */
  async #giveUp(error: unknown, tries: number, context: CellContext, output: CellOutput): Promise<void> {
    this.#atRest = undefined;
    const { delay } = this.spec;
    const seen = this.#contents.parking.watermark(context.inputWatermark);
    const delivery = await new DueWork(this.#contents, context, delay).next();
    if (context.budget !== undefined) context.budget.left -= 1;
    if (delivery === undefined || delivery.kind === 'purge') throw error;
    if (delivery.kind === 'element') {
      const { element } = delivery;
      const attempts = delivery.attempts + tries;
      const until = this.#retryAt(error, attempts, context);
      // What has waited for its turn keeps those behind it waiting.
      const turn = plus(element.timestamp, delay);
      const floor = delivery.attempts === 0 ? earlier(seen, turn) : seen;
      return this.#parkOrReport({ element, reason: 'retry', attempts, until }, error, floor, output);
    }
    const { start, end } = delivery.state;
    const failure = { window: { start, end }, error, state: delivery.state.describe() };
    if (delivery.kind === 'expiration') {
      output.firingFailed({ ...failure, timer: { callback: 'onWindowExpiration' } });
      this.#contents.windows.remove(delivery.state);
      return;
    }
    const { id, tag, clock, at, output: timestamp, replay } = delivery.timer;
    const timer = { id, clock, at, ...(tag === undefined ? {} : { tag }) };
    const again = replay === undefined ? {} : { id: replay };
    output.firingFailed({ ...failure, timer, ...again, ...(timestamp === undefined ? {} : { timestamp }) });
  }

  /** Keeps the cell's document small. @throws {CellTooLarge} when it cannot be */
  #settle(): void | Promise<void> {
    const text = this.#encode();
    if ((text?.length ?? 0) > this.#parts.limits.spillAbove) return this.#shrink();
    this.#atRest = { text };
    return undefined;
  }

  async #shrink(): Promise<void> {
    const { windows, buffer } = this.#contents;
    const wanted = this.#parts.limits.spillAbove / 2;
    if (buffer.movable() > wanted) await buffer.spill();
    await windows.shrinkTo(wanted);
    const text = this.#encode();
    const characters = text?.length ?? 0;
    if (characters <= MAX_CHARACTERS) this.#atRest = { text };
    else throw new CellTooLarge(this.#name, characters, MAX_CHARACTERS);
  }

  #checkpoint(): () => void {
    const text = this.encode();
    const undo = this.#parts.checkpoint();
    return () => {
      undo();
      this.#contents = this.#decode(text);
    };
  }

  get #name(): string {
    return `the state of key ${JSON.stringify(this.key)?.slice(0, 200)} in '${this.spec.step}'`;
  }
}

/** How far one go through what is due has come. */
class Progress {
  readonly output: KeyOutput;
  delivered = 0;
  /** Roughly what the deliveries have emitted. */
  characters = 0;
  #main = 0;
  #others = 0;

  constructor(output: KeyOutput) {
    this.output = output;
  }

  /** One more was delivered. */
  note(): void {
    this.delivered += 1;
    const { emitted, emittedTo } = this.output;
    while (this.#main < emitted.length) this.characters += roughSize(emitted[this.#main++]!.value);
    while (this.#others < emittedTo.length) this.characters += roughSize(emittedTo[this.#others++]!.element.value);
  }
}

class CellTooLarge extends TooLargeError {}
