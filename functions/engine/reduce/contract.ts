/** What goes into the reduction of a key, and what comes out. */
import type { PaneInfo } from '../../model/pane.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Window } from '../../model/windows.ts';

/** An element with its windows, or an accumulator that stands for several elements of one window. */
export interface ReduceInput {
  /** The value, or if `lifted` the accumulator. */
  readonly value: unknown;
  /** Whether the sender has combined it already. */
  readonly lifted: boolean;
  /** How many elements it stands for; 1 unless lifted. */
  readonly count: number;
  /** The smallest timestamp of those. */
  readonly timestamp: EpochMillis;
  /** The largest timestamp of those. */
  readonly latest: EpochMillis;
  /** As assigned; a session comes as the window of its one element, `[t, t + gap)`. */
  readonly windows: readonly Window[];
}

/** The clocks that a step reads. They stand still while it runs. */
export interface ReduceContext {
  readonly inputWatermark: EpochMillis;
  /** What this step has promised downstream: never above the input watermark, nor above the key's hold. */
  readonly outputWatermark: EpochMillis;
  readonly processingTime: EpochMillis;
  /** How many windows that are due may fire; each takes one. Absent: all. */
  readonly budget?: { left: number };
  /** The only timers that fire: those of the watermark, or those of processing time. Absent: all that are due. */
  readonly only?: 'event' | 'processing';
  /** Panes are not made, but fail with this error. */
  readonly refused?: Error;
}

/** A pane that is emitted. */
export interface Pane<Out> {
  readonly window: Window;
  readonly timestamp: EpochMillis;
  readonly pane: PaneInfo;
  readonly value: Out;
}

/** An input that one of its windows takes no more. */
export interface LateInput<Input extends ReduceInput = ReduceInput> {
  readonly input: Input;
  readonly window: Window;
  /** `expired`: beyond allowed lateness. `closed`: the window's trigger has finished. */
  readonly reason: 'expired' | 'closed';
  /** The input watermark that judged it. */
  readonly watermark: EpochMillis;
}

/** A pane that could not be made, since `extract` threw. It counts as emitted: the window and its hold move on. */
export interface FailedPane {
  readonly window: Window;
  readonly timestamp: EpochMillis;
  readonly pane: PaneInfo;
  readonly error: unknown;
  /** The accumulator that `extract` was given. */
  readonly accumulator: unknown;
}

/** Takes what a step produces, in order. */
export interface ReduceOutput<Out, Input extends ReduceInput = ReduceInput> {
  pane(pane: Pane<Out>): void;
  late(late: LateInput<Input>): void;
  failed(failure: FailedPane): void;
}

/** When a key's windows have something to do. `MAX_TIMESTAMP` where a clock has nothing to wait for. */
export interface Due {
  /** The smallest input watermark at which `advance` does something. */
  readonly event: EpochMillis;
  /** The smallest processing time at which `advance` does something. */
  readonly processing: EpochMillis;
}
