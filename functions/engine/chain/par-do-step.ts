/**
 * A DoFn inside a chain. Invariant: what `process` emits goes on only after it has returned, so an element that fails
 * leaves nothing behind.
 */
import type { DoFn, FinishContext, OutputOptions, ProcessContext, Tag } from '../../model/dofn.ts';
import { ConfigurationError, PoisonError } from '../../model/errors.ts';
import { MAIN_OUTPUT, type ParDoNode, type SideParDoNode } from '../../model/graph.ts';
import { type Instant, instant } from '../../model/instant.ts';
import { describeInstant, type EpochMillis } from '../../model/time.ts';
import type { View } from '../../model/views.ts';
import type { Window } from '../../model/windows.ts';
import { type Element, UNGROUPED } from '../element.ts';
import type { SideValues } from '../views/side-values.ts';
import { oneOf } from './one-of.ts';
import { eachInTurn, type Receive } from './receive.ts';

type Emitted = { readonly receive: Receive; readonly element: Element };

export class ParDoStep {
  readonly name: string;
  readonly #doFn: DoFn<unknown, unknown>;
  readonly #receivers: ReadonlyMap<string, Receive>;
  readonly #fail: (element: Element, error: unknown) => void;
  readonly #allowedSkew: number;
  readonly #sides: SideValues | undefined;

  constructor(
    node: ParDoNode | SideParDoNode,
    receivers: ReadonlyMap<string, Receive>,
    fail: (element: Element, error: unknown) => void,
    sides?: SideValues,
  ) {
    this.name = node.name;
    this.#doFn = node.makeDoFn();
    this.#receivers = receivers;
    this.#fail = fail;
    this.#allowedSkew = node.allowedSkew;
    this.#sides = sides;
  }

  /** Whether it looks at values only, so that elements of several windows need not be told apart. */
  get ignoresContext(): boolean {
    return this.#doFn.process.length < 2;
  }

  setup(): void | Promise<void> {
    return this.#doFn.setup?.();
  }

  teardown(): void | Promise<void> {
    return this.#doFn.teardown?.();
  }

  startBundle(): void | Promise<void> {
    return this.#doFn.startBundle?.();
  }

  process(element: Element): void | Promise<void> {
    const emitted: Emitted[] = [];
    try {
      const pending = this.#doFn.process(element.value, this.#context(element, emitted));
      if (pending !== undefined)
        return pending.then(
          () => forward(emitted),
          (error) => this.#fail(element, error),
        );
    } catch (error) {
      return this.#fail(element, error);
    }
    return forward(emitted);
  }

  finishBundle(): void | Promise<void> {
    if (this.#doFn.finishBundle === undefined) return undefined;
    const emitted: Emitted[] = [];
    const pending = this.#doFn.finishBundle(this.#finishContext(emitted));
    return pending === undefined ? forward(emitted) : pending.then(() => forward(emitted));
  }

  #context(element: Element, emitted: Emitted[]): ProcessContext<unknown> {
    const emit = (output: string, value: unknown, options: OutputOptions | undefined): void => {
      const timestamp =
        options?.timestamp === undefined ? element.timestamp : this.#outputTime(element, options.timestamp);
      emitted.push({ receive: this.#receiver(output), element: { ...element, value, timestamp } });
    };
    const context: ProcessContext<unknown> = {
      timestamp: element.timestamp,
      window: element.windows[0]!,
      pane: element.pane,
      output: (value, options) => emit(MAIN_OUTPUT, value, options),
      outputTo: (tag, value, options) => emit(tag.name, value, options),
      sideInput: <T>(view: View<T>) => this.#sideInput(element, view) as T,
    };
    return this.#sides === undefined ? context : Object.assign(context, { side: this.#sides.of(element) });
  }

  /** What a view shows to an element; only of views that the step has declared (SI10). */
  #sideInput(element: Element, view: View<unknown>): unknown {
    if (this.#sides !== undefined) return this.#sides.get(element, view.node);
    throw new ConfigurationError(
      `'${this.name}' reads the view '${view.node.name}', which it has not declared; add it to { sideInputs: { … } }`,
    );
  }

  #finishContext(emitted: Emitted[]): FinishContext<unknown> {
    const emit = (output: string, value: unknown, at: Instant, window: Window): void => {
      const element = { value, timestamp: this.#readInstant(at), windows: [window], pane: UNGROUPED, id: undefined };
      emitted.push({ receive: this.#receiver(output), element });
    };
    return {
      output: (value, at, window) => emit(MAIN_OUTPUT, value, at, window),
      outputTo: <T>(tag: Tag<T>, value: T, at: Instant, window: Window) => emit(tag.name, value, at, window),
    };
  }

  #receiver(output: string): Receive {
    const receive = this.#receivers.get(output);
    if (receive === undefined)
      throw new ConfigurationError(
        `'${this.name}' emits to the output '${output}', which it has not declared; add its tag to { outputs: […] }`,
      );
    return receive;
  }

  /** Beam's rule (catalogue T20): an output may not be earlier than its input, less the allowed skew. */
  #outputTime(element: Element, at: Instant): EpochMillis {
    const timestamp = this.#readInstant(at);
    if (timestamp < element.timestamp - this.#allowedSkew)
      throw new PoisonError(
        `Cannot output with timestamp ${describeInstant(timestamp)}: it must be no earlier than the timestamp of the current input (${describeInstant(element.timestamp)}) minus the allowed skew (${this.#allowedSkew} ms)`,
      );
    return timestamp;
  }

  #readInstant(at: Instant): EpochMillis {
    const timestamp = instant(at);
    if (timestamp === undefined)
      throw new PoisonError(`'${this.name}' emits with the output timestamp ${String(at)}, which is no instant`);
    return timestamp;
  }
}

function forward(emitted: readonly Emitted[]): void | Promise<void> {
  return eachInTurn(emitted, ({ receive, element }, i) => receive(oneOf(element, i, emitted.length)));
}
