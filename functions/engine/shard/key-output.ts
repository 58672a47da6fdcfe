import type { LateRecord } from '../../model/late.ts';
import type { Received } from '../chain/bundle-output.ts';
import type { Element } from '../element.ts';
import type { CellOutput, FiringFailure } from './cell.ts';

export interface LateElement {
  readonly record: LateRecord<unknown, unknown>;
  readonly id: string | undefined;
  readonly received: Received | undefined;
}

/** What a cell has produced, kept until it is known to have succeeded. */
export class KeyOutput implements CellOutput {
  readonly emitted: Element[] = [];
  readonly lateElements: LateElement[] = [];
  readonly failed: FiringFailure[] = [];

  emit(element: Element): void {
    this.emitted.push(element);
  }

  late(record: LateRecord<unknown, unknown>, id: string | undefined, received?: Received): void {
    this.lateElements.push({ record, id, received });
  }

  firingFailed(failure: FiringFailure): void {
    this.failed.push(failure);
  }
}
