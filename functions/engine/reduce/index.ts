export { CombineError } from './combine-error.ts';
export type {
  Due,
  FailedPane,
  LateInput,
  Pane,
  ReduceContext,
  ReduceInput,
  ReduceOutput,
} from './contract.ts';
export { KeyReduction } from './key-reduction.ts';
export { type ReduceSpec, reduceSpec } from './spec.ts';
