import { MAIN_OUTPUT } from '../../model/graph.ts';
import type { LateRecord } from '../../model/late.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Received } from '../chain/bundle-output.ts';
import { type Element, UNGROUPED } from '../element.ts';
import type { Incoming } from '../element-codec.ts';
import type { CellOutput, FiringFailure } from './cell.ts';

const NOTHING: readonly never[] = Object.freeze([]);

export interface LateElement {
  readonly record: LateRecord<unknown, unknown>;
  readonly id: string | undefined;
  readonly received: Received | undefined;
}

/** As an element of the late output. */
export function lateElement({ record, id }: LateElement): Element {
  const timestamp = record.timestamp as EpochMillis;
  return { value: record, timestamp, windows: [record.window], pane: UNGROUPED, id };
}

export interface FailedElement {
  readonly element: Incoming;
  readonly error: unknown;
  readonly attempts: number;
}

export interface EmittedTo {
  readonly output: string;
  readonly element: Element;
}

/** What a cell has produced, kept until it is known to have succeeded. Most cells produce little: a list is made when it is needed. */
export class KeyOutput implements CellOutput {
  /** To the main output. */
  emitted: readonly Element[] = NOTHING;
  /** To other outputs. */
  emittedTo: readonly EmittedTo[] = NOTHING;
  lateElements: readonly LateElement[] = NOTHING;
  failed: readonly FiringFailure[] = NOTHING;
  failedElements: readonly FailedElement[] = NOTHING;

  get isEmpty(): boolean {
    return this.emitted === NOTHING && this.emittedTo === NOTHING && !this.hasTrouble;
  }

  /** Whether something came too late or has failed. */
  get hasTrouble(): boolean {
    return this.lateElements !== NOTHING || this.failed !== NOTHING || this.failedElements !== NOTHING;
  }

  emit(element: Element, output: string = MAIN_OUTPUT): void {
    if (output === MAIN_OUTPUT) this.emitted = added(this.emitted, element);
    else this.emittedTo = added(this.emittedTo, { output, element });
  }

  late(record: LateRecord<unknown, unknown>, id: string | undefined, received?: Received): void {
    this.lateElements = added(this.lateElements, { record, id, received });
  }

  firingFailed(failure: FiringFailure): void {
    this.failed = added(this.failed, failure);
  }

  elementFailed(element: Incoming, error: unknown, attempts: number): void {
    this.failedElements = added(this.failedElements, { element, error, attempts });
  }

  /** Produces all of it again, elsewhere. */
  copyTo(other: CellOutput): void {
    for (const element of this.emitted) other.emit(element);
    for (const { element, output } of this.emittedTo) other.emit(element, output);
    for (const { record, id, received } of this.lateElements) other.late(record, id, received);
    for (const failure of this.failed) other.firingFailed(failure);
    for (const { element, error, attempts } of this.failedElements) other.elementFailed(element, error, attempts);
  }
}

/** The list with one more; it is changed in place, unless it is the empty one that all share. */
function added<T>(list: readonly T[], item: T): readonly T[] {
  if (list === NOTHING) return [item];
  (list as T[]).push(item);
  return list;
}
