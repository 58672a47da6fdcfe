/** What all keys of one stateful step share, worked out once. */
import type { StatefulNode } from '../../model/graph.ts';
import type { RetryPolicy } from '../../model/retry.ts';
import type { StateSpec } from '../../model/state.ts';
import type { AnyStatefulDoFn } from '../../model/stateful.ts';
import type { Millis } from '../../model/time.ts';
import type { TimerSpec } from '../../model/timers.ts';
import type { WindowingStrategy } from '../../model/windowing.ts';

import type { CellSides } from './cell-sides.ts';

const NO_DELAY = 0 as Millis;

export interface StatefulSpec {
  readonly step: string;
  readonly strategy: WindowingStrategy;
  readonly doFn: AnyStatefulDoFn;
  readonly states: Readonly<Record<string, StateSpec>>;
  readonly timers: Readonly<Record<string, TimerSpec>>;
  readonly outputs: ReadonlySet<string>;
  /** Milliseconds. */
  readonly allowedSkew: number;
  readonly retry: RetryPolicy | undefined;
  readonly timeSorted: boolean;
  /** How far behind the watermark what is in order of time follows: sorted elements, and the timers between them. */
  readonly delay: Millis;
  /** What its views show; undefined where it reads none. */
  readonly sides: CellSides | undefined;
  /** Whether any of its state has a time to live. */
  readonly hasTtl: boolean;
}

/** @param doFn of the shard's own, since it may keep fields between calls */
export function statefulSpec(node: StatefulNode, doFn: AnyStatefulDoFn, sides?: CellSides): StatefulSpec {
  return {
    step: node.name,
    strategy: node.strategy,
    doFn,
    states: doFn.state ?? {},
    timers: doFn.timers ?? {},
    outputs: new Set(node.outputs),
    allowedSkew: node.allowedSkew,
    retry: node.retry,
    timeSorted: node.timeSorted,
    sides,
    delay: node.timeSorted ? node.strategy.allowedLateness : NO_DELAY,
    hasTtl: Object.values(doFn.state ?? {}).some((spec) => (spec as StateSpec).ttl !== undefined),
  };
}
