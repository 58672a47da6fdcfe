/**
 * Watermark holds of a window (R9): an element that is in time holds the watermark at its combined timestamp until its
 * pane is out, so that the pane is late nowhere downstream; one that is not holds it at the window's expiry at least.
 */
import { type EpochMillis, earlier, later } from '../../model/time.ts';
import type { TimestampCombiner, WindowingStrategy } from '../../model/windowing.ts';
import type { ReduceContext, ReduceInput } from './contract.ts';
import type { WindowState } from './window-state.ts';

/** Takes note of an element's timestamp, for `earliest` and `latest`; `endOfWindow` needs none. */
export function noteTimestamps<Acc>(
  state: WindowState<Acc>,
  input: ReduceInput,
  combiner: TimestampCombiner,
  { outputWatermark }: ReduceContext,
): void {
  if (input.timestamp < outputWatermark) state.addedLate = true;
  if (input.latest < outputWatermark) return;
  // Of a lifted input only the ends are known: the part that is in time begins at the output watermark, or later.
  const held = combiner === 'latest' ? input.latest : later(input.timestamp, outputWatermark);
  state.addedHold = combine(combiner, state.addedHold, held);
}

/** Places the holds for all that a bundle has added. */
export function holdAdded<Acc>(
  state: WindowState<Acc>,
  { timestampCombiner }: WindowingStrategy,
  context: ReduceContext,
): void {
  const { last, addedHold, addedLate } = state;
  state.addedHold = undefined;
  state.addedLate = false;
  if (last < context.inputWatermark) {
    state.expiryHold = true;
  } else if (timestampCombiner === 'endOfWindow') {
    if (last >= context.outputWatermark) state.elementHold = last;
    else state.expiryHold = true;
  } else {
    if (addedHold !== undefined) state.elementHold = combine(timestampCombiner, state.elementHold, addedHold);
    if (addedLate) state.expiryHold = true;
  }
}

/** Joins the holds of windows that have merged into `result`. */
export function mergeHolds<Acc>(
  result: WindowState<Acc>,
  merging: readonly WindowState<Acc>[],
  { timestampCombiner }: WindowingStrategy,
  context: ReduceContext,
): void {
  let hold: EpochMillis | undefined;
  if (timestampCombiner === 'endOfWindow') {
    if (result.last >= context.outputWatermark && result.last >= context.inputWatermark) hold = result.last;
  } else {
    for (const { elementHold } of merging) {
      if (elementHold !== undefined) hold = combine(timestampCombiner, hold, elementHold);
    }
  }
  result.elementHold = hold;
  result.expiryHold = result.expiry >= context.inputWatermark;
}

/**
 * Lets go of the holds of the pane that is being emitted.
 * @returns the pane's timestamp: where it held the watermark, at most the window's last instant
 */
export function releaseHolds<Acc>(
  state: WindowState<Acc>,
  isLast: boolean,
  { closing }: WindowingStrategy,
  context: ReduceContext,
): EpochMillis {
  const { hold, last } = state;
  state.elementHold = undefined;
  // An empty last pane that is sure to come must not be late downstream either.
  state.expiryHold = !isLast && closing === 'always' && state.expiry >= context.inputWatermark;
  return hold === undefined || hold > last ? last : hold;
}

function combine(combiner: TimestampCombiner, a: EpochMillis | undefined, b: EpochMillis): EpochMillis {
  if (a === undefined) return b;
  return combiner === 'latest' ? later(a, b) : earlier(a, b);
}
