/**
 * What windows and triggers handle in a view's stage instead of its elements: the ordinals that a pane covers. So a pane of
 * any size is two numbers to them.
 */
import type { CombineFn } from '../../model/combine.ts';

/** The first and last ordinal; nothing = no elements. */
export type Span = readonly [] | readonly [from: number, to: number];

export const SPAN: CombineFn<never, Span, Span> = {
  create: () => [],
  add: (span) => span,
  merge: (a, b) => {
    if (a.length === 0 || b.length === 0) return a.length === 0 ? b : a;
    return [Math.min(a[0], b[0]), Math.max(a[1], b[1])];
  },
  extract: (span) => span,
};
