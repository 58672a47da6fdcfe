/** Panes: the firings of one key and window, counted. */

/** Before, at, or after the moment the watermark passed the window's end. A window has at most one `ON_TIME` pane. */
export type PaneTiming = 'EARLY' | 'ON_TIME' | 'LATE';

/** Which firing of its key and window a value comes from. Beam's PaneInfo (catalogue R7). */
export interface PaneInfo {
  readonly timing: PaneTiming;
  /** 0 for the first pane of the key and window, then one more each; a suppressed empty pane is not counted. */
  readonly index: number;
  /** The same count over panes that are not `EARLY`; -1 on those that are. */
  readonly nonSpeculativeIndex: number;
  readonly isFirst: boolean;
  /** No pane follows: the trigger has finished, or the window has expired. */
  readonly isLast: boolean;
}
