/** Emitting one pane of one window: when it is emitted at all (R6), what it says of itself (R7), what stays behind. */
import type { PaneInfo, PaneTiming } from '../../model/pane.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Window } from '../../model/windows.ts';
import type { ReduceContext, ReduceOutput } from './contract.ts';
import { releaseHolds } from './holds.ts';
import type { ReduceSpec } from './spec.ts';
import type { WindowState } from './window-state.ts';

/**
 * Emits a pane, unless it is empty and nobody wants it: then nothing tells that the trigger has fired.
 * @param isLast whether no pane can follow
 */
export function firePane<Acc, Out>(
  state: WindowState<Acc>,
  isLast: boolean,
  spec: ReduceSpec<never, Acc, Out>,
  context: ReduceContext,
  output: ReduceOutput<Out, never>,
): void {
  const { strategy } = spec;
  const timestamp = releaseHolds(state, isLast, strategy, context);
  const pane = nextPane(state, isLast, context);
  const isWanted =
    state.pending > 0 ||
    (pane.timing === 'ON_TIME' && strategy.onTime === 'always') ||
    (isLast && strategy.closing === 'always');
  if (isWanted) emit(state, timestamp, pane, spec, context.refused, output);
  state.pending = 0;
  if (isLast || strategy.accumulation === 'discarding') state.discard();
}

function emit<Acc, Out>(
  state: WindowState<Acc>,
  timestamp: EpochMillis,
  pane: PaneInfo,
  { combine }: ReduceSpec<never, Acc, Out>,
  refused: Error | undefined,
  output: ReduceOutput<Out, never>,
): void {
  state.paneIndex = pane.index;
  state.nonSpeculativeIndex = pane.nonSpeculativeIndex;
  const window: Window = { start: state.start, end: state.end };
  const accumulator = state.hasAccumulator ? (state.accumulator as Acc) : combine.create();
  let value: Out;
  try {
    if (refused !== undefined) throw refused;
    value = combine.extract(accumulator);
  } catch (error) {
    output.failed({ window, timestamp, pane, error, accumulator });
    return;
  }
  output.pane({ window, timestamp, pane, value });
}

function nextPane<Acc>(state: WindowState<Acc>, isLast: boolean, context: ReduceContext): PaneInfo {
  const timing = nextTiming(state, context);
  return {
    timing,
    index: state.paneIndex + 1,
    nonSpeculativeIndex: timing === 'EARLY' ? -1 : state.nonSpeculativeIndex + 1,
    isFirst: state.paneIndex === -1,
    isLast,
  };
}

function nextTiming<Acc>(state: WindowState<Acc>, { inputWatermark, outputWatermark }: ReduceContext): PaneTiming {
  const onlyEarlySoFar = state.nonSpeculativeIndex === -1;
  if (outputWatermark > state.last || !onlyEarlySoFar) return 'LATE';
  return inputWatermark > state.last ? 'ON_TIME' : 'EARLY';
}
