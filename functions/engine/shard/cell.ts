/**
 * What a stage's head does with the elements of one key. Every kind of head (windows and triggers, user state and timers)
 * is a `CellProgram`; shards know nothing of what a cell holds.
 */
import type { LateRecord } from '../../model/late.ts';
import type { PaneInfo } from '../../model/pane.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Window } from '../../model/windows.ts';
import type { Received } from '../chain/bundle-output.ts';
import type { Element } from '../element.ts';
import type { Incoming } from '../element-codec.ts';
import type { CellParts } from './cell-parts.ts';
import type { KnownWatermarks } from './work.ts';

/** The shard's clocks during a bundle. */
export interface CellContext {
  readonly inputWatermark: EpochMillis;
  /** The stage's own output watermark as last published. */
  readonly outputWatermark: EpochMillis;
  readonly processingTime: EpochMillis;
  /** How much of what is due may be delivered in this bundle; whoever delivers takes from it. Absent: all. */
  readonly budget?: { left: number };
  /** What is due first is given up with this error instead of being delivered. Absent: it is delivered. */
  readonly refused?: Error;
}

/** A firing for which there is no element: it failed, and what it would have emitted is gone. */
export interface FiringFailure {
  readonly window: Window;
  readonly pane?: PaneInfo;
  /** The pane's timestamp. */
  readonly timestamp?: EpochMillis;
  /** The replay's id, of a firing that was replayed. */
  readonly id?: string;
  /** Which timer it was. Plain JSON. */
  readonly timer?: unknown;
  readonly error: unknown;
  /** The state it had, for the dead letter. */
  readonly state: unknown;
}

export interface CellOutput {
  /** @param output the head's output that it goes to; absent: the main one */
  emit(element: Element, output?: string): void;
  /** @param received as what it came; absent: as a single element of the first input */
  late(record: LateRecord<unknown, unknown>, id: string | undefined, received?: Received): void;
  firingFailed(failure: FiringFailure): void;
  /** An element failed for good. */
  elementFailed(element: Incoming, error: unknown, attempts: number): void;
}

/** Something in a cell that holds the watermark, for people to read. */
export interface Holder {
  readonly kind: 'window' | 'timer' | 'view' | 'retry';
  readonly at: EpochMillis;
  /** Which one, e.g. `[2026-01-01T10:00:00.000Z, 2026-01-01T11:00:00.000Z)`. */
  readonly what: string;
}

/** The state of one key, live in memory while its shard caches it. */
export interface Cell {
  /** Takes the bundle's elements of this key, in order of arrival. When it throws, the cell is thrown away and read again. */
  process(elements: readonly Incoming[], context: CellContext, output: CellOutput): void | Promise<void>;
  /** Fires what is due by the context's clocks. */
  advance(context: CellContext, output: CellOutput): void | Promise<void>;
  /**
   * `process` has thrown for this element alone, and the cell stands as before: has it wait for another try, or reports it
   * as failed. Absent: it has failed for good.
   */
  failed?(element: Incoming, error: unknown, attempts: number, context: CellContext, output: CellOutput): void;
  /** The earliest instant at which this key holds the stage's output watermark. */
  hold(): EpochMillis | undefined;
  /** What makes `hold` what it is, and all else that holds later; operators ask. */
  holders?(): readonly Holder[];
  /** The smallest input watermark at which `advance` has something to do; `MAX_TIMESTAMP` = none. */
  eventDue(): EpochMillis;
  /** The smallest processing time at which `advance` has something to do; `MAX_TIMESTAMP` = none. */
  processingDue(): EpochMillis;
  /** The state as text, or undefined when nothing is left and the document can go. */
  encode(): string | undefined;
}

export interface CellProgram {
  /** Once, before anything else. */
  setup?(): Promise<void>;
  /** Once, at the end. */
  teardown?(): Promise<void>;
  /** At the beginning of each bundle. */
  begin?(known: KnownWatermarks, processingTime: EpochMillis): void;
  /** Throws what is to blame for an error that user code seems to have thrown, where that is none of its own. */
  throwFailure?(error: unknown): void;
  /** Makes the live form of a cell from its stored text, or a new one. */
  open(key: unknown, stored: string | undefined, parts: CellParts): Cell;
}
