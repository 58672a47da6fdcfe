import { messageOf, PoisonError } from '../../model/errors.ts';
import type { ReduceInput } from './contract.ts';

/** The author's CombineFn threw on an input. The bundle is to be run again without it. */
export class CombineError extends PoisonError {
  override readonly code = 'COMBINE';
  readonly input: ReduceInput;

  constructor(input: ReduceInput, cause: unknown) {
    super(`combining a value failed: ${messageOf(cause)}`, { cause });
    this.input = input;
  }
}
