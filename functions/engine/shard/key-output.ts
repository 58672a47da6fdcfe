import { MAIN_OUTPUT } from '../../model/graph.ts';
import type { LateRecord } from '../../model/late.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Received } from '../chain/bundle-output.ts';
import { type Element, UNGROUPED } from '../element.ts';
import type { Incoming } from '../element-codec.ts';
import type { CellOutput, FiringFailure } from './cell.ts';

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

/** What a cell has produced, kept until it is known to have succeeded. */
export class KeyOutput implements CellOutput {
  /** To the main output. */
  readonly emitted: Element[] = [];
  /** To other outputs. */
  readonly emittedTo: { readonly output: string; readonly element: Element }[] = [];
  readonly lateElements: LateElement[] = [];
  readonly failed: FiringFailure[] = [];
  readonly failedElements: FailedElement[] = [];

  emit(element: Element, output: string = MAIN_OUTPUT): void {
    if (output === MAIN_OUTPUT) this.emitted.push(element);
    else this.emittedTo.push({ output, element });
  }

  late(record: LateRecord<unknown, unknown>, id: string | undefined, received?: Received): void {
    this.lateElements.push({ record, id, received });
  }

  firingFailed(failure: FiringFailure): void {
    this.failed.push(failure);
  }

  elementFailed(element: Incoming, error: unknown, attempts: number): void {
    this.failedElements.push({ element, error, attempts });
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
