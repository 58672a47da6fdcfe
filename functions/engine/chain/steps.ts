/**
 * How each kind of stateless node handles an element.
 */
import type { ElementContext } from '../../model/dofn.ts';
import { ConfigurationError, PoisonError, textOf } from '../../model/errors.ts';
import { MAIN_OUTPUT, type Node, type ParDoNode, type SideParDoNode } from '../../model/graph.ts';
import type { EpochMillis } from '../../model/time.ts';
import { windowAssigner } from '../../model/windows.ts';
import type { Element } from '../element.ts';
import type { SideValues } from '../views/side-values.ts';
import type { BundleOutput } from './bundle-output.ts';
import { outsideOf } from './outside.ts';
import { LookUpStep } from './look-up-step.ts';
import { oneOf } from './one-of.ts';
import { ParDoStep } from './par-do-step.ts';
import { eachInTurn, type Receive } from './receive.ts';

/** A step with a life of its own beside its elements. */
export interface BundleStep {
  readonly name: string;
  setup(): void | Promise<void>;
  startBundle(processingTime: EpochMillis): void | Promise<void>;
  finishBundle(): void | Promise<void>;
  teardown(): void | Promise<void>;
}

export interface CompiledStep {
  readonly receive: Receive;
  readonly step?: BundleStep;
}

type Next = (output: string) => Receive;
/** Calls user code with or without a context, as its parameters ask. */
type Call<R> = (element: Element) => R;

/** @param sides what its views show, of a step that reads any */
export function compileStep(node: Node, next: Next, output: () => BundleOutput, sides?: SideValues): CompiledStep {
  const fail = (element: Element, error: unknown): void => {
    output().failures.push({ step: node.name, element, error });
  };
  switch (node.kind) {
    case 'map': {
      const forward = next(MAIN_OUTPUT);
      const apply = caller(node.fn);
      return stateless(node.fn, (element) => {
        let value: unknown;
        try {
          value = apply(element);
        } catch (error) {
          return fail(element, error);
        }
        return forward(withValue(element, value));
      });
    }
    case 'filter': {
      const forward = next(MAIN_OUTPUT);
      const apply = caller(node.fn);
      return stateless(node.fn, (element) => {
        let keep: boolean;
        try {
          keep = apply(element);
        } catch (error) {
          return fail(element, error);
        }
        return keep ? forward(element) : undefined;
      });
    }
    case 'flatMap': {
      const forward = next(MAIN_OUTPUT);
      const apply = caller(node.fn);
      return stateless(node.fn, (element) => {
        let values: unknown[];
        try {
          values = [...listed(node.name, apply(element))];
        } catch (error) {
          return fail(element, error);
        }
        return eachInTurn(values, (value, i) => forward(oneOf(withValue(element, value), i, values.length)));
      });
    }
    case 'partition': {
      const parts = Array.from({ length: node.count }, (_, i) => next(String(i)));
      const apply = caller(node.fn);
      return stateless(node.fn, (element) => {
        let part: Receive;
        try {
          part = partAt(parts, apply(element));
        } catch (error) {
          return fail(element, error);
        }
        return part(element);
      });
    }
    case 'window': {
      const forward = next(MAIN_OUTPUT);
      const assign = windowAssigner(node.windowFn);
      return {
        receive: ({ value, timestamp, pane, id }) => {
          const windows = assign(timestamp);
          return windows.length === 0 ? undefined : forward({ value, timestamp, windows, pane, id });
        },
      };
    }
    case 'flatten':
      return { receive: next(MAIN_OUTPUT) };
    case 'writePubSub': {
      const apply = caller(node.message);
      return stateless(node.message, (element) => {
        try {
          output().outside.push(outsideOf(node, apply(element)));
        } catch (error) {
          fail(element, error);
        }
      });
    }
    case 'lookUp': {
      const step = new LookUpStep(node, next(MAIN_OUTPUT), fail);
      return { step, ...stateless(node.key, (element) => step.receive(element)) };
    }
    case 'parDo':
    case 'sideParDo':
      return compileParDo(node, next, fail, sides);
    default:
      throw new ConfigurationError(`'${node.name}' (${node.kind}) cannot be fused into another stage`);
  }
}

/** @throws {PoisonError} for what is no list; the letters of a text are no list that anybody means */
function listed(step: string, values: Iterable<unknown>): Iterable<unknown> {
  if (typeof values === 'object' && values !== null && Symbol.iterator in values) return values;
  throw new PoisonError(`flatMap '${step}': expected a list of outputs, got ${textOf(values).slice(0, 200)}`);
}

function compileParDo(
  node: ParDoNode | SideParDoNode,
  next: Next,
  fail: (element: Element, error: unknown) => void,
  sides?: SideValues,
): CompiledStep {
  const receivers = new Map([MAIN_OUTPUT, ...node.outputs].map((name) => [name, next(name)]));
  const step = new ParDoStep(node, receivers, fail, sides);
  const receive: Receive = (element) => step.process(element);
  return { step, receive: step.ignoresContext ? receive : exploded(receive) };
}

function stateless(fn: (...args: never[]) => unknown, receive: Receive): CompiledStep {
  return { receive: fn.length < 2 ? receive : exploded(receive) };
}

/** Hands on an element of several windows once for each, since the code that follows may look at the window. */
function exploded(receive: Receive): Receive {
  return (element) => {
    if (element.windows.length === 1) return receive(element);
    const { windows } = element;
    return eachInTurn(windows, (window, i) => receive(oneOf({ ...element, windows: [window] }, i, windows.length)));
  };
}

function caller<R>(fn: (value: unknown, context: ElementContext) => R): Call<R> {
  if (fn.length < 2) return (element) => (fn as (value: unknown) => R)(element.value);
  return (element) => fn(element.value, contextOf(element));
}

function contextOf(element: Element): ElementContext {
  return { timestamp: element.timestamp, window: element.windows[0]!, pane: element.pane };
}

function withValue(element: Element, value: unknown): Element {
  return { value, timestamp: element.timestamp, windows: element.windows, pane: element.pane, id: element.id };
}

function partAt(parts: readonly Receive[], index: number): Receive {
  const part = parts[index];
  if (part === undefined)
    throw new PoisonError(`Partition function returned out of bounds index: ${index} not in [0..${parts.length})`);
  return part;
}
