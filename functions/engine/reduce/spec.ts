/** What all keys of one grouping step share, worked out once. */
import type { CombineFn } from '../../model/combine.ts';
import { type EpochMillis, MAX_ELEMENT_TIMESTAMP } from '../../model/time.ts';
import type { WindowingStrategy } from '../../model/windowing.ts';
import { isMerging, maxTimestamp, type Window } from '../../model/windows.ts';
import { type CompiledTrigger, compileTrigger } from './compile-trigger.ts';

/** A grouping step: its windows and triggers, and how values are combined. Made by `reduceSpec`. */
export interface ReduceSpec<In, Acc, Out> {
  readonly strategy: WindowingStrategy;
  readonly combine: CombineFn<In, Acc, Out>;
  readonly trigger: CompiledTrigger;
  readonly merging: boolean;
  /**
   * Whether the output watermark may be further than is known wherever nothing holds it. Then the last pane of a window
   * that holds nothing is late, for it could be late downstream. So it is in a shard; Beam's own runner, and so `conform`,
   * knows its output watermark exactly.
   */
  readonly outputMayBeFurther: boolean;
}

export function reduceSpec<In, Acc, Out>(
  strategy: WindowingStrategy,
  combine: CombineFn<In, Acc, Out>,
  outputMayBeFurther = false,
): ReduceSpec<In, Acc, Out> {
  const merging = isMerging(strategy.windowFn);
  return { strategy, combine, trigger: compileTrigger(strategy.trigger, merging), merging, outputMayBeFurther };
}

/**
 * The last watermark at which a window still takes elements (R2): it has expired once the watermark is *past* it.
 * @returns the window's last instant plus allowed lateness, within the range of time
 */
export function expiryOf(window: Window, strategy: WindowingStrategy): EpochMillis {
  const expiry = maxTimestamp(window) + strategy.allowedLateness;
  return Math.min(expiry, MAX_ELEMENT_TIMESTAMP) as EpochMillis;
}
