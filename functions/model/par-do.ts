/** From a DoFn and its options to the node of a parDo. */
import { doFnMaker } from './do-fn-maker.ts';
import type { DoFn, Tag } from './dofn.ts';
import { ConfigurationError } from './errors.ts';
import type { GraphBuilder } from './graph-builder.ts';
import { LATE_OUTPUT, MAIN_OUTPUT, type ParDoNode, type Ref, type SideParDoNode } from './graph.ts';
import { checkOptions } from './options.ts';
import { type Duration, millis } from './time.ts';
import { checkSideInputs, type SideInputs, sideInputsOf } from './views.ts';
import type { WindowingStrategy } from './windowing.ts';

export interface ParDoOptions {
  /** The further outputs that the DoFn emits to. */
  readonly outputs?: readonly Tag<unknown>[];
  /** How much earlier than its input's timestamp an output may be. Default zero. */
  readonly allowedSkew?: Duration;
  /** The views that the DoFn reads. An element waits until all of them are ready for its window. */
  readonly sideInputs?: SideInputs;
}

/** @throws {ConfigurationError} for what cannot work */
export function addParDo<T, U>(
  builder: GraphBuilder,
  name: string,
  input: Ref,
  strategy: WindowingStrategy,
  keyed: boolean,
  doFn: DoFn<T, U> | (() => DoFn<T, U>),
  options: ParDoOptions,
): ParDoNode | SideParDoNode {
  const where = `parDo '${name}'`;
  checkOptions(where, options, { outputs: true, allowedSkew: true, sideInputs: true });
  const makeDoFn = doFnMaker(name, doFn) as () => DoFn<unknown, unknown>;
  const outputs = (options.outputs ?? []).map((output) => output.name);
  for (const output of outputs)
    if (output === MAIN_OUTPUT || output === LATE_OUTPUT || outputs.filter((other) => other === output).length > 1)
      throw new ConfigurationError(`${where}: output tag '${output}' is taken; choose another name`);
  const allowedSkew = millis(`${where} allowedSkew`, options.allowedSkew ?? 0);
  const common = { name, inputs: [input], makeDoFn, outputs, allowedSkew };
  const { sideInputs = {} } = options;
  if (Object.keys(sideInputs).length === 0) return builder.add({ kind: 'parDo', ...common });
  checkSideInputs(where, sideInputs, strategy);
  const { allowedLateness } = strategy;
  return builder.add({ kind: 'sideParDo', ...common, sides: sideInputsOf(sideInputs), keyed, allowedLateness });
}
