import type { Window } from './windows.ts';

/** An element that a window takes no more: where it belonged, and why it was too late. */
export interface LateRecord<K, V> {
  readonly key: K;
  /** The element; where the sender had combined several, their accumulator. */
  readonly value: V;
  /** How many elements this record stands for; 1 unless the sender had combined them. */
  readonly count: number;
  /** Epoch milliseconds. */
  readonly timestamp: number;
  readonly window: Window;
  /** The input watermark that judged it, epoch milliseconds. */
  readonly watermark: number;
  /** `expired`: beyond allowed lateness. `closed`: the window's trigger has finished. */
  readonly reason: 'expired' | 'closed';
}
