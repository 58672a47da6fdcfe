import type { PaneInfo } from '../model/pane.ts';
import type { EpochMillis } from '../model/time.ts';
import type { Window } from '../model/windows.ts';

/** One element on its way through fused steps. */
export interface Element {
  readonly value: unknown;
  readonly timestamp: EpochMillis;
  readonly windows: readonly Window[];
  readonly pane: PaneInfo;
  /** What identifies it at its source, until the first keyed stage has taken note. */
  readonly id: string | undefined;
}

/** The pane of an element that no trigger has emitted. */
export const UNGROUPED: PaneInfo = Object.freeze({
  timing: 'ON_TIME',
  index: 0,
  nonSpeculativeIndex: 0,
  isFirst: true,
  isLast: true,
});
