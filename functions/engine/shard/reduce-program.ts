import type { ReduceNode } from '../../model/graph.ts';
import type { LateRecord } from '../../model/late.ts';
import type { EpochMillis } from '../../model/time.ts';
import { describeWindow } from '../../model/windows.ts';
import type { Incoming } from '../element-codec.ts';
import type { FailedPane, LateInput, Pane, ReduceOutput } from '../reduce/contract.ts';
import { KeyReduction } from '../reduce/key-reduction.ts';
import { type ReduceSpec, reduceSpec } from '../reduce/spec.ts';
import type { Cell, CellContext, CellOutput, CellProgram, Holder } from './cell.ts';

type Spec = ReduceSpec<unknown, unknown, unknown>;

/** Windows, triggers and panes as the program of a stage's cells. */
export class ReduceProgram implements CellProgram {
  readonly #spec: Spec;

  constructor(node: ReduceNode) {
    this.#spec = reduceSpec(node.strategy, node.combine, true);
  }

  open(key: unknown, stored: string | undefined): Cell {
    return new ReduceCell(key, KeyReduction.decode(this.#spec, stored));
  }
}

class ReduceCell implements Cell {
  readonly #key: unknown;
  readonly #reduction: KeyReduction<unknown, unknown, unknown>;

  constructor(key: unknown, reduction: KeyReduction<unknown, unknown, unknown>) {
    this.#key = key;
    this.#reduction = reduction;
  }

  process(elements: readonly Incoming[], context: CellContext, output: CellOutput): void {
    this.#reduction.addBundle(context, elements, new KeyedOutput(this.#key, output));
    // What the author's combine has made and cannot be stored fails with the elements that made it.
    this.#reduction.encode();
  }

  advance(context: CellContext, output: CellOutput): void {
    this.#reduction.advance(context, new KeyedOutput(this.#key, output));
  }

  hold(): EpochMillis | undefined {
    const [elements, timers] = [this.#reduction.hold(), this.#reduction.timerHold()];
    return elements === undefined || (timers !== undefined && timers < elements) ? timers : elements;
  }

  holders(): Holder[] {
    return this.#reduction.holders().map(({ window, at }) => ({ kind: 'window', at, what: describeWindow(window) }));
  }

  eventDue(): EpochMillis {
    return this.#reduction.due().event;
  }

  processingDue(): EpochMillis {
    return this.#reduction.due().processing;
  }

  encode(): string | undefined {
    return this.#reduction.encode();
  }
}

/** Adds the key to what a reduction produces. */
class KeyedOutput implements ReduceOutput<unknown, Incoming> {
  readonly #key: unknown;
  readonly #output: CellOutput;

  constructor(key: unknown, output: CellOutput) {
    this.#key = key;
    this.#output = output;
  }

  pane({ window, timestamp, pane, value }: Pane<unknown>): void {
    this.#output.emit({ value: { key: this.#key, value }, timestamp, windows: [window], pane, id: undefined });
  }

  late({ input, window, reason, watermark }: LateInput<Incoming>): void {
    const { inlet, lifted, value, count, timestamp, latest, id } = input;
    const record: LateRecord<unknown, unknown> = { key: this.#key, value, count, timestamp, window, watermark, reason };
    this.#output.late(record, id, { inlet, lifted, count, latest });
  }

  failed({ window, timestamp, pane, error, accumulator }: FailedPane): void {
    this.#output.firingFailed({ window, timestamp, pane, error, state: accumulator });
  }
}
