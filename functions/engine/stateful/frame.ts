/** What a callback is given: who calls, for what, and at what time. */
import type { OutputOptions, Tag } from '../../model/dofn.ts';
import { ConfigurationError, PoisonError } from '../../model/errors.ts';
import { MAIN_OUTPUT } from '../../model/graph.ts';
import { type Instant, instant } from '../../model/instant.ts';
import type { PaneInfo } from '../../model/pane.ts';
import type { KeyedContext, StatefulContext, TimerContext } from '../../model/stateful.ts';
import { describeInstant, type EpochMillis, MAX_TIMESTAMP } from '../../model/time.ts';
import type { TimerClock } from '../../model/timers.ts';
import type { Window } from '../../model/windows.ts';
import type { CellOutput } from '../shard/cell.ts';
import type { NamedSides } from './cell-sides.ts';
import { declaredView } from './declared-view.ts';
import type { Moment } from './moment.ts';
import type { StatefulSpec } from './spec.ts';
import { timerHandle } from './timer-handle.ts';
import type { WindowState } from './window-state.ts';

// biome-ignore lint/suspicious/noExplicitAny: the engine calls DoFns of all types alike
type Any = any;

export interface Frame {
  readonly spec: StatefulSpec;
  readonly key: unknown;
  readonly state: WindowState;
  /** The window as the author sees it. */
  readonly window: Window;
  readonly moment: Moment;
  /** What the views show to an element; undefined where none are read. */
  readonly side: NamedSides | undefined;
  readonly output: CellOutput;
  /** Of the element, the timer or the window; undefined for a timer without an output timestamp. */
  readonly timestamp: EpochMillis | undefined;
  readonly pane: PaneInfo;
  /** Of a timer's callback: the instant to which the timer was set, on its clock. */
  readonly firedAt: EpochMillis | undefined;
  /** Of a timer's callback: the timer's clock. */
  readonly firedOn: TimerClock | undefined;
  /** To what event-time timers are relative. */
  readonly eventNow: EpochMillis;
  /** The watermark that this key's callbacks see. */
  readonly inputWatermark: EpochMillis;
  /** How many timers have led to this callback without a wait between them. */
  readonly chain: number;
}

export function processContext(frame: Frame): StatefulContext<Any, Any, Any, Any> {
  const timers = viewsOf(frame.spec).timers(frame);
  const context = Object.assign(commonContext(frame), { pane: frame.pane, timers });
  return frame.side === undefined ? context : Object.assign(context, { side: frame.side });
}

export function timerContext(frame: Frame, tag: string | undefined): TimerContext<Any, Any, Any, Any> {
  return Object.assign(commonContext(frame), {
    firedAt: frame.firedAt ?? frame.eventNow,
    tag,
    timers: viewsOf(frame.spec).timers(frame),
  });
}

export function commonContext(frame: Frame): KeyedContext<Any, Any, Any> {
  return {
    key: frame.key,
    window: frame.window,
    timestamp: frame.timestamp ?? frame.eventNow,
    isDraining: frame.inputWatermark >= MAX_TIMESTAMP,
    state: viewsOf(frame.spec).state(frame.state),
    output: (value, options) => emit(frame, MAIN_OUTPUT, value, options),
    outputTo: <T>(tag: Tag<T>, value: T, options?: OutputOptions) => emit(frame, tag.name, value, options),
  };
}

function emit(frame: Frame, name: string, value: unknown, options: OutputOptions | undefined): void {
  const { spec, window, pane, moment } = frame;
  moment.check();
  if (name !== MAIN_OUTPUT && !spec.outputs.has(name))
    throw new ConfigurationError(
      `'${spec.step}' emits to the output '${name}', which it has not declared; add its tag to { outputs: […] }`,
    );
  const timestamp = outputTimestamp(frame, options?.timestamp);
  frame.output.emit({ value, timestamp, windows: [window], pane, id: undefined }, name);
}

/** Beam's rule (catalogue T15, T20). */
function outputTimestamp({ spec, timestamp }: Frame, given: Instant | undefined): EpochMillis {
  if (timestamp === undefined)
    throw new PoisonError(
      `'${spec.step}' emits from a timer that was set withNoOutputTimestamp, and so holds no watermark; give the timer an output timestamp`,
    );
  if (given === undefined) return timestamp;
  const at = instant(given);
  if (at === undefined)
    throw new PoisonError(`'${spec.step}' emits with the output timestamp ${String(given)}, which is no instant`);
  if (at < timestamp - spec.allowedSkew)
    throw new PoisonError(
      `Cannot output with timestamp ${describeInstant(at)}: it must be no earlier than the timestamp of the current input (${describeInstant(timestamp)}) minus the allowed skew (${spec.allowedSkew} ms)`,
    );
  return at;
}

interface Views {
  readonly state: (state: WindowState) => Any;
  readonly timers: (frame: Frame) => Any;
}
const VIEWS = new WeakMap<StatefulSpec, Views>();

function viewsOf(spec: StatefulSpec): Views {
  let views = VIEWS.get(spec);
  if (views === undefined) {
    const { step, states, timers } = spec;
    views = {
      state: declaredView('state', step, Object.keys(states), (state: WindowState, id) => state.slot(id)),
      timers: declaredView('timer', step, Object.keys(timers), (frame: Frame, id) => timerHandle(frame, id)),
    };
    VIEWS.set(spec, views);
  }
  return views;
}
