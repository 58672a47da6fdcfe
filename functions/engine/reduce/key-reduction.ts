/**
 * The windows of one key in one grouping step: Beam's ReduceFnRunner, as a value that is decoded, stepped and encoded.
 *
 * Invariants
 * - A bundle is a unit: its windows are merged, what is late or closed is left out, all else is added, and only then is
 *   each window's trigger asked, once. So is an advance of the clocks: whatever is due for a window makes one pane (R5).
 * - Time is compared strictly: a window's end has come when the watermark is past its last instant, and it has expired
 *   when the watermark is past that plus allowed lateness (R2–R4).
 * - Every element-window that comes in ends in a pane or a late report, once the window has expired.
 * - No I/O, no clock; what is not an input is not used.
 */
import { type EpochMillis, MAX_TIMESTAMP } from '../../model/time.ts';
import type { Window } from '../../model/windows.ts';
import { CombineError } from './combine-error.ts';
import { dropStaleTimers } from './compile-trigger.ts';
import type { Due, ReduceContext, ReduceInput, ReduceOutput } from './contract.ts';
import { firePane } from './firing.ts';
import { holdAdded, noteTimestamps } from './holds.ts';
import { groupSessions, mergeWindows, type SessionGroup, SessionPlaces } from './session-merge.ts';
import { expiryOf, type ReduceSpec } from './spec.ts';
import type { TriggerMoment } from './trigger-machine.ts';
import { WindowSet } from './window-set.ts';
import { decodeWindow, WindowState } from './window-state.ts';

export class KeyReduction<In, Acc, Out> {
  readonly #spec: ReduceSpec<In, Acc, Out>;
  readonly #windows = new WindowSet<Acc>((state) => this.#expectsOnTimePane(state));
  readonly #moment: TriggerMoment = { endOfWindowReached: false, processingTime: MAX_TIMESTAMP };

  private constructor(spec: ReduceSpec<In, Acc, Out>) {
    this.#spec = spec;
  }

  /**
   * @param encoded what `encode` gave, or undefined for a key without windows
   * @throws {CorruptionError} when it is neither
   */
  static decode<In, Acc, Out>(spec: ReduceSpec<In, Acc, Out>, encoded: string | undefined): KeyReduction<In, Acc, Out> {
    const reduction = new KeyReduction(spec);
    if (encoded !== undefined) {
      for (const line of encoded.trimEnd().split('\n')) reduction.#windows.add(decodeWindow(line, spec));
    }
    return reduction;
  }

  /** JSON, a line a window; undefined when there is nothing left. Only windows that have changed are written anew. */
  encode(): string | undefined {
    return this.#windows.states.length === 0 ? undefined : this.#windows.text();
  }

  /**
   * Adds a bundle and emits what that makes ready. What the clocks alone have made due is `advance`'s, which the caller
   * runs afterwards.
   * @throws {CombineError} when the author's `add` or `merge` throws; the reduction must be thrown away then
   */
  addBundle<Input extends ReduceInput>(
    context: ReduceContext,
    inputs: readonly Input[],
    output: ReduceOutput<Out, Input>,
  ): void {
    const places = this.#spec.merging ? this.#mergeSessions(context, inputs) : undefined;
    const touched = this.#addAll(context, inputs, places, output);
    for (const state of touched) this.#settle(state, context);
    for (const state of touched) {
      if (this.#isReady(state, context)) this.#fire(state, context, output);
    }
  }

  /**
   * Emits what is due by the clocks, one pane a window, and removes the windows that have expired; within the context's
   * budget, what is left is still due.
   */
  advance(context: ReduceContext, output: ReduceOutput<Out, never>): void {
    const { inputWatermark, processingTime, budget } = context;
    const { states } = this.#windows;
    const first = this.#windows.firstDue(inputWatermark, processingTime);
    let kept = first;
    let changed = states.length;
    for (let i = first; i < states.length; i++) {
      const state = states[i]!;
      const mayFire = budget === undefined || budget.left > 0;
      if (mayFire && inputWatermark > state.expiry) {
        changed = Math.min(changed, kept);
        if (state.closed) continue;
        if (budget !== undefined) budget.left -= 1;
        firePane(state, true, this.#spec, this.#asHeld(state, context), output);
        continue;
      }
      if (mayFire && !state.closed && takeDueTimers(state, context)) {
        changed = Math.min(changed, kept);
        state.text = undefined;
        if (this.#isReady(state, context)) {
          if (budget !== undefined) budget.left -= 1;
          this.#fire(state, context, output);
        }
      }
      if (kept < i) states[kept] = state;
      kept += 1;
    }
    while (states.length > kept) states.pop();
    this.#windows.changed(changed);
  }

  /** The earliest timestamp at which the key holds the step's output watermark. */
  hold(): EpochMillis | undefined {
    return definite(this.#windows.outlook().hold);
  }

  /**
   * Where windows hold it for an on-time pane that is sure to come, be it empty: it must not be late when it comes. (In
   * Beam the pending timers hold it, each at its output timestamp, T14.)
   */
  timerHold(): EpochMillis | undefined {
    return definite(this.#windows.outlook().timerHold);
  }

  /** The windows that hold the step's output watermark, each at its instant. */
  holders(): { readonly window: Window; readonly at: EpochMillis }[] {
    return this.#windows.states.flatMap(({ start, end, hold }) =>
      hold === undefined ? [] : [{ window: { start, end }, at: hold }],
    );
  }

  due(): Due {
    return this.#windows.outlook();
  }

  /** Adds all that is neither expired nor closed, and lists the windows it went to. */
  #addAll<Input extends ReduceInput>(
    context: ReduceContext,
    inputs: readonly Input[],
    places: SessionPlaces<Acc> | undefined,
    output: ReduceOutput<Out, Input>,
  ): WindowState<Acc>[] {
    const { timestampCombiner } = this.#spec.strategy;
    const touched: WindowState<Acc>[] = [];
    let last: Window | undefined;
    let state: WindowState<Acc> | undefined;
    for (const input of inputs) {
      for (const window of input.windows) {
        if (last === undefined || window.start !== last.start || window.end !== last.end) {
          state = this.#stateFor(window, places, context);
          last = window;
        }
        if (state === undefined || state.closed) {
          const reason = state === undefined ? 'expired' : 'closed';
          output.late({ input, window, reason, watermark: context.inputWatermark });
          continue;
        }
        if (state.added === 0) {
          this.#windows.touch(state);
          touched.push(state);
        }
        state.added += input.count;
        this.#accumulate(state, input);
        if (timestampCombiner !== 'endOfWindow') noteTimestamps(state, input, timestampCombiner, context);
      }
    }
    return touched;
  }

  #accumulate(state: WindowState<Acc>, input: ReduceInput): void {
    const { combine } = this.#spec;
    try {
      if (!state.hasAccumulator) {
        state.accumulator = combine.create();
        state.hasAccumulator = true;
      }
      state.accumulator = input.lifted
        ? combine.merge(state.accumulator as Acc, input.value as Acc)
        : combine.add(state.accumulator as Acc, input.value as In);
    } catch (cause) {
      throw new CombineError(input, cause);
    }
  }

  /** The state that an element of `window` goes to; undefined when the window has expired. */
  #stateFor(
    window: Window,
    places: SessionPlaces<Acc> | undefined,
    context: ReduceContext,
  ): WindowState<Acc> | undefined {
    if (this.#isExpired(window, context)) return undefined;
    return places === undefined ? this.#getOrAdd(window) : places.find(window);
  }

  #getOrAdd(window: Window): WindowState<Acc> {
    const known = this.#windows.get(window);
    if (known !== undefined) return known;
    const state = new WindowState<Acc>(window, this.#spec);
    this.#windows.add(state);
    return state;
  }

  #isExpired(window: Window, context: ReduceContext): boolean {
    return expiryOf(window, this.#spec.strategy) < context.inputWatermark;
  }

  /**
   * Merges the sessions that a bundle brings with those that are open. What has expired by itself takes no part: it is
   * late even if a session that is still open overlaps it.
   */
  #mergeSessions(context: ReduceContext, inputs: readonly ReduceInput[]): SessionPlaces<Acc> {
    const fresh: Window[] = [];
    for (const { windows } of inputs) {
      for (const window of windows) if (!this.#isExpired(window, context)) fresh.push(window);
    }
    const open = this.#windows.states.filter((state) => !state.closed);
    const places = new SessionPlaces<Acc>();
    for (const group of groupSessions(open, fresh)) {
      const isMerge = group.parts > 1 && group.open.length > 0;
      places.add(group, isMerge ? this.#merge(group, context) : this.#getOrAdd(group));
    }
    return places;
  }

  #merge(group: SessionGroup<Acc>, context: ReduceContext): WindowState<Acc> {
    const merged = mergeWindows(group, this.#spec, context, this.#momentOf(group, context));
    for (const state of group.open) this.#windows.delete(state);
    // A closed window of just these bounds gives way: what is open has content.
    this.#windows.delete(merged);
    this.#windows.add(merged);
    return merged;
  }

  /** After a bundle: places holds and tells the trigger. */
  #settle(state: WindowState<Acc>, context: ReduceContext): void {
    holdAdded(state, this.#spec.strategy, context);
    this.#spec.trigger.root.onElements(state.trigger, state.added, this.#momentOf(state, context));
    state.pending += state.added;
    state.added = 0;
  }

  #isReady(state: WindowState<Acc>, context: ReduceContext): boolean {
    return this.#spec.trigger.root.isReady(state.trigger, this.#momentOf(state, context));
  }

  #fire(state: WindowState<Acc>, context: ReduceContext, output: ReduceOutput<Out, never>): void {
    const { trigger } = this.#spec;
    trigger.root.onFire(state.trigger, this.#momentOf(state, context));
    const isLast = trigger.root.isFinished(state.trigger);
    firePane(state, isLast, this.#spec, context, output);
    if (isLast) state.close();
    else dropStaleTimers(trigger, state.trigger);
    state.text = undefined;
  }

  /** Whether a pane comes when the window ends, by its trigger or because it expires there. */
  #expectsOnTimePane({ closed, trigger, nonSpeculativeIndex, last, expiry }: WindowState<unknown>): boolean {
    if (closed || nonSpeculativeIndex >= 0 || this.#spec.strategy.onTime !== 'always') return false;
    return trigger.endOfWindowTimer || expiry === last;
  }

  /** The clocks as they are for a window's last pane: where it holds nothing, the output watermark is as far as the input's. */
  #asHeld(state: WindowState<Acc>, context: ReduceContext): ReduceContext {
    const exact = !this.#spec.outputMayBeFurther;
    const { hold, last } = state;
    if (exact || (hold !== undefined && hold <= last) || this.#expectsOnTimePane(state)) return context;
    return { ...context, outputWatermark: context.inputWatermark };
  }

  #momentOf(window: Window, { inputWatermark, processingTime }: ReduceContext): TriggerMoment {
    this.#moment.endOfWindowReached = inputWatermark >= window.end;
    this.#moment.processingTime = processingTime;
    return this.#moment;
  }
}

function definite(at: EpochMillis): EpochMillis | undefined {
  return at === MAX_TIMESTAMP ? undefined : at;
}

/** Takes the timers that are due; whether there were any. */
function takeDueTimers<Acc>({ trigger, end }: WindowState<Acc>, context: ReduceContext): boolean {
  const { inputWatermark, processingTime, only } = context;
  const { timers } = trigger;
  let wasDue = false;
  while (only !== 'event' && timers.length > 0 && timers[0]! < processingTime) {
    timers.shift();
    wasDue = true;
  }
  const atEnd = only !== 'processing' && trigger.endOfWindowTimer && inputWatermark >= end;
  if (atEnd) trigger.endOfWindowTimer = false;
  return wasDue || atEnd;
}
