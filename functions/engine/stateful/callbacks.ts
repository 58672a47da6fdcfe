/** Calls the author's code. */
import { ConfigurationError } from '../../model/errors.ts';
import type { EpochMillis } from '../../model/time.ts';
import { maxTimestamp } from '../../model/windows.ts';
import { UNGROUPED } from '../element.ts';
import type { Incoming } from '../element-codec.ts';
import type { CellOutput } from '../shard/cell.ts';
import type { NamedSides } from './cell-sides.ts';
import { commonContext, type Frame, processContext, timerContext } from './frame.ts';
import type { Moment } from './moment.ts';
import type { StatefulSpec } from './spec.ts';
import type { SetTimer } from './timer-text.ts';
import type { WindowState } from './window-state.ts';

/** Whose callbacks are called. */
export interface Owner {
  readonly spec: StatefulSpec;
  readonly key: unknown;
  readonly moment: Moment;
}

export function callProcess(
  owner: Owner,
  state: WindowState,
  { value, timestamp, pane }: Incoming,
  inputWatermark: EpochMillis,
  output: CellOutput,
  side: NamedSides | undefined,
): void | Promise<void> {
  const frame = frameOf(owner, state, inputWatermark, output, { timestamp, pane, eventNow: timestamp, side });
  const element = { key: owner.key, value };
  return owner.moment.during(() => owner.spec.doFn.process(element, processContext(frame)));
}

export function callTimer(
  owner: Owner,
  state: WindowState,
  { id, tag, clock, at, output: timestamp, chain }: SetTimer,
  inputWatermark: EpochMillis,
  output: CellOutput,
): void | Promise<void> {
  const { doFn, step } = owner.spec;
  const callback = owner.spec.timers[id] === undefined ? undefined : doFn.onTimer?.[id];
  if (callback === undefined)
    throw new ConfigurationError(`the timer '${id}' of '${step}' is due, but it is no longer declared`);
  const eventNow = clock === 'event' ? at : (timestamp ?? inputWatermark);
  const own = { timestamp, pane: UNGROUPED, eventNow, firedAt: at, firedOn: clock, chain };
  const frame = frameOf(owner, state, inputWatermark, output, own);
  return owner.moment.during(() => callback.call(doFn, timerContext(frame, tag)));
}

/** Nothing to do where the author has no such callback. */
export function callExpiration(
  owner: Owner,
  state: WindowState,
  inputWatermark: EpochMillis,
  output: CellOutput,
): void | Promise<void> {
  const { doFn } = owner.spec;
  if (doFn.onWindowExpiration === undefined) return undefined;
  const timestamp = maxTimestamp(state);
  const own = { timestamp, pane: UNGROUPED, eventNow: timestamp };
  const frame = frameOf(owner, state, inputWatermark, output, own);
  return owner.moment.during(() => doFn.onWindowExpiration?.(commonContext(frame)));
}

function frameOf(
  { spec, key, moment }: Owner,
  state: WindowState,
  inputWatermark: EpochMillis,
  output: CellOutput,
  own: Pick<Frame, 'timestamp' | 'pane' | 'eventNow'> & Partial<Pick<Frame, 'firedAt' | 'firedOn' | 'chain' | 'side'>>,
): Frame {
  const { firedAt, firedOn, chain = 0, side } = own;
  const window = { start: state.start, end: state.end };
  return { ...own, spec, key, moment, side, state, window, inputWatermark, output, firedAt, firedOn, chain };
}
