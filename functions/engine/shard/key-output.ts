import type { LateRecord } from '../../model/late.ts';
import type { Element } from '../element.ts';
import type { CellOutput, FiringFailure } from './cell.ts';

/** What a cell has produced, kept until it is known to have succeeded. */
export class KeyOutput implements CellOutput {
  readonly emitted: Element[] = [];
  readonly lateElements: { readonly record: LateRecord<unknown, unknown>; readonly id: string | undefined }[] = [];
  readonly failed: FiringFailure[] = [];

  emit(element: Element): void {
    this.emitted.push(element);
  }

  late(record: LateRecord<unknown, unknown>, id: string | undefined): void {
    this.lateElements.push({ record, id });
  }

  firingFailed(failure: FiringFailure): void {
    this.failed.push(failure);
  }
}
