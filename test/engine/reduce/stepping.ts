/** One key's reduction under test: steps its clocks, keeps what comes out, and follows the output watermark as a stage does. */
import type {
  FailedPane,
  LateInput,
  Pane,
  ReduceContext,
  ReduceInput,
} from '../../../functions/engine/reduce/contract.ts';
import { KeyReduction } from '../../../functions/engine/reduce/key-reduction.ts';
import { type ReduceSpec, reduceSpec } from '../../../functions/engine/reduce/spec.ts';
import type { CombineFn } from '../../../functions/model/combine.ts';
import { type EpochMillis, MAX_TIMESTAMP, MIN_TIMESTAMP, type Millis } from '../../../functions/model/time.ts';
import { DEFAULT_STRATEGY, type WindowingStrategy } from '../../../functions/model/windowing.ts';
import { assignWindows, fixedWindows } from '../../../functions/model/windows.ts';

export const at = (time: number): EpochMillis => time as EpochMillis;

/** Windows of 10 ms with all defaults, but for what is said. */
export function strategyOf(
  fields: Partial<Omit<WindowingStrategy, 'allowedLateness'>> & { allowedLateness?: number } = {},
): WindowingStrategy {
  const allowedLateness = (fields.allowedLateness ?? 0) as Millis;
  return { ...DEFAULT_STRATEGY, windowFn: fixedWindows(10), ...fields, allowedLateness };
}

export class Stepper<In, Acc, Out> {
  readonly spec: ReduceSpec<In, Acc, Out>;
  reduction: KeyReduction<In, Acc, Out>;
  context: ReduceContext = {
    inputWatermark: MIN_TIMESTAMP,
    outputWatermark: MIN_TIMESTAMP,
    processingTime: MIN_TIMESTAMP,
  };
  readonly panes: Pane<Out>[] = [];
  readonly lates: LateInput[] = [];
  readonly failures: FailedPane[] = [];

  constructor(strategy: WindowingStrategy, combine: CombineFn<In, Acc, Out>, outputMayBeFurther = false) {
    this.spec = reduceSpec(strategy, combine, outputMayBeFurther);
    this.reduction = KeyReduction.decode(this.spec, undefined);
  }

  /** A bundle of plain elements. */
  input(...elements: readonly (readonly [value: In, timestamp: number])[]): this {
    return this.bundle(elements.map(([value, timestamp]) => this.element(value, timestamp)));
  }

  element(value: In, timestamp: number): ReduceInput {
    const windows = assignWindows(this.spec.strategy.windowFn, at(timestamp));
    return { value, lifted: false, count: 1, timestamp: at(timestamp), latest: at(timestamp), windows };
  }

  bundle(inputs: readonly ReduceInput[]): this {
    this.reduction.addBundle(this.context, inputs, this);
    return this.#follow();
  }

  watermark(time: number): this {
    this.context = { ...this.context, inputWatermark: at(time) };
    return this.advance();
  }

  processingTime(time: number): this {
    this.context = { ...this.context, processingTime: at(time) };
    return this.advance();
  }

  advance(): this {
    this.reduction.advance(this.context, this);
    return this.#follow();
  }

  /** Writes the state and reads it back. */
  readBack(): this {
    this.reduction = KeyReduction.decode(this.spec, this.reduction.encode());
    return this;
  }

  #follow(): this {
    const reached = Math.min(this.context.inputWatermark, this.reduction.hold() ?? MAX_TIMESTAMP);
    this.context = { ...this.context, outputWatermark: at(Math.max(this.context.outputWatermark, reached)) };
    return this;
  }

  pane(pane: Pane<Out>): void {
    this.panes.push(pane);
  }
  late(late: LateInput): void {
    this.lates.push(late);
  }
  failed(failure: FailedPane): void {
    this.failures.push(failure);
  }

  /** The panes since the last call, short: timing, value, and where it matters the window's start. */
  taken(): [timing: string, value: Out][] {
    return this.panes.splice(0).map(({ pane, value }) => [pane.timing, value]);
  }
}
