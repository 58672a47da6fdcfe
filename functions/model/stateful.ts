/**
 * Stateful DoFns: user code that sees the elements of one key and window one at a time, remembers, and sets timers.
 *
 * @example
 * cards.statefulParDo('summary', {
 *   emits: emits<Summary>(),
 *   state: { spent: combiningState(sum()) },
 *   timers: { quiet: eventTimer() },
 *   process({ value }, { state, timers, timestamp }) {
 *     state.spent.add(value.cents);
 *     timers.quiet.set(timestamp + 30 * 60_000);
 *   },
 *   onTimer: {
 *     quiet({ key, state, output }) {
 *       output({ card: key, cents: state.spent.read() });
 *       state.spent.clear();
 *     },
 *   },
 * });
 */
import { plainFunction } from './author-function.ts';
import type { Emits, OutputOptions, Tag } from './dofn.ts';
import { ConfigurationError } from './errors.ts';
import type { GraphBuilder } from './graph-builder.ts';
import { LATE_OUTPUT, MAIN_OUTPUT, type Ref, type StatefulNode } from './graph.ts';
import type { Key, KV } from './key.ts';
import { checkOptions } from './options.ts';
import type { PaneInfo } from './pane.ts';
import { type RetryOptions, retryPolicy } from './retry.ts';
import type { StatesOf, StateSpecs } from './state.ts';
import { type Duration, millis } from './time.ts';
import type { TimersOf, TimerSpecs } from './timers.ts';
import { checkSideInputs, readyNode, type SideInputs, sideInputsOf, type Sides } from './views.ts';
import { isMerging, type Window } from './windows.ts';
import type { WindowingStrategy } from './windowing.ts';

/** What every callback knows and can do. */
export interface KeyedContext<K, Out, S extends StateSpecs> {
  readonly key: K;
  readonly window: Window;
  /** Epoch milliseconds: of the element; inside `onTimer` the timer's output timestamp; at expiration the window's last instant. */
  readonly timestamp: number;
  /**
   * Whether nothing comes any more: the pipeline drains, or its input has ended. Windows close and event timers fire for that
   * reason then, not because their time has come; what is set for later fires at once.
   */
  readonly isDraining: boolean;
  /** The declared state of this key and window. Not to be used after the callback has returned. */
  readonly state: StatesOf<S>;
  /** Emits to the main output, at `timestamp` unless told otherwise. */
  output(value: Out, options?: OutputOptions): void;
  /** Emits to a further output, which the step must have declared. */
  outputTo<T>(tag: Tag<T>, value: T, options?: OutputOptions): void;
}

export interface StatefulContext<K, Out, S extends StateSpecs, T extends TimerSpecs> extends KeyedContext<K, Out, S> {
  readonly pane: PaneInfo;
  readonly timers: TimersOf<T>;
}

/** What a step that reads views gets with each element. Timers and expirations have no views, as in Beam. */
export interface SideStatefulContext<K, Out, S extends StateSpecs, T extends TimerSpecs, V extends SideInputs>
  extends StatefulContext<K, Out, S, T> {
  /** What the views show to this element, by the names in `sideInputs`. */
  readonly side: Sides<V>;
}

export interface TimerContext<K, Out, S extends StateSpecs, T extends TimerSpecs> extends KeyedContext<K, Out, S> {
  readonly timers: TimersOf<T>;
  /** The instant to which the timer was set, on its clock; epoch milliseconds. */
  readonly firedAt: number;
  /** Which timer of a family it is; undefined for others. */
  readonly tag: string | undefined;
}

/**
 * A step's own code with state and timers. Callbacks may be async; sync ones pay no `await`. What a callback has changed
 * and emitted before it throws is taken back.
 */
export interface StatefulDoFn<K extends Key, V, Out, S extends StateSpecs, T extends TimerSpecs> {
  readonly emits?: Emits<Out>;
  /** The state that the callbacks use. */
  readonly state?: S;
  /** The timers that the callbacks set. */
  readonly timers?: T;
  /** Once an instance, before anything else: make clients here. */
  setup?(): void | Promise<void>;
  process(element: KV<K, V>, context: StatefulContext<K, Out, S, T>): void | Promise<void>;
  /** A callback for each declared timer. `this` is the DoFn. */
  readonly onTimer?: { readonly [id in keyof T]: (context: TimerContext<K, Out, S, T>) => void | Promise<void> };
  /**
   * Called when the window has expired, for each key of which it had elements, before the state is removed: at the
   * window's end and allowed lateness, and of the global window when the input ends. It holds the watermark at the
   * window's last instant until then. Timers cannot be set.
   */
  onWindowExpiration?(context: KeyedContext<K, Out, S>): void | Promise<void>;
  /** Once, when the instance ends: close clients here. */
  teardown?(): void | Promise<void>;
}

/** A stateful DoFn that reads views under the names of its step's `sideInputs`. */
export interface SideStatefulDoFn<
  K extends Key,
  V,
  Out,
  S extends StateSpecs,
  T extends TimerSpecs,
  Views extends SideInputs,
> extends Omit<StatefulDoFn<K, V, Out, S, T>, 'process'> {
  process(element: KV<K, V>, context: SideStatefulContext<K, Out, S, T, Views>): void | Promise<void>;
}

/** A stateful DoFn of whatever types. */
// biome-ignore lint/suspicious/noExplicitAny: the engine handles DoFns of all types alike
export type AnyStatefulDoFn = StatefulDoFn<any, any, any, any, any>;

export interface StatefulOptions {
  /**
   * The views that `process` reads. An element waits for those of its window before the step: it holds the step's input
   * watermark, so that no window of its key expires and no timer fires meanwhile, and it is not judged late for waiting
   * (catalogue S08). The views are not to be used after `process` has returned.
   */
  readonly sideInputs?: SideInputs;
  /** The further outputs that the callbacks emit to. */
  readonly outputs?: readonly Tag<unknown>[];
  /** How much earlier than its callback's timestamp an output, or an output timestamp, may be. Default zero. */
  readonly allowedSkew?: Duration;
  /**
   * Gives an element to `process` again, later, when it threw something that is no `PoisonError`. Until then the element
   * waits with its key's state, holds the watermark, and is dropped by no window's expiry. Default: it is tried again by
   * itself at once, and then becomes a dead letter.
   */
  readonly retry?: RetryOptions;
  /**
   * Gives elements to `process` in the order of their timestamps, each when the watermark is past its timestamp and allowed
   * lateness. What comes after that is late, though its window may still be open (catalogue S14). Event-time timers wait
   * just as long, so that they come in their places between the elements of their key. Default false.
   */
  readonly timeSorted?: boolean;
}

/**
 * Adds the step; where it reads views, behind one that waits for them.
 * @throws {ConfigurationError} for what cannot work
 */
export function addStateful(
  builder: GraphBuilder,
  name: string,
  input: Ref,
  strategy: WindowingStrategy,
  doFn: AnyStatefulDoFn | (() => AnyStatefulDoFn),
  options: StatefulOptions,
): StatefulNode {
  const where = `statefulParDo '${name}'`;
  const makeDoFn = statefulDoFnMaker(where, doFn);
  checkStateful(where, strategy, makeDoFn());
  checkOptions(where, options, { sideInputs: true, outputs: true, allowedSkew: true, retry: true, timeSorted: true });
  const { sideInputs = {} } = options;
  checkSideInputs(where, sideInputs, strategy);
  const sides = sideInputsOf(sideInputs);
  const ready = (): Ref => {
    const node = builder.add(readyNode(`${name}-ready`, input, sides, true, strategy));
    return { node, output: MAIN_OUTPUT };
  };
  return builder.add({
    kind: 'stateful',
    name,
    inputs: [sides.length === 0 ? input : ready()],
    strategy,
    makeDoFn,
    outputs: outputNames(where, options.outputs),
    allowedSkew: millis(`${where} allowedSkew`, options.allowedSkew ?? 0),
    retry: options.retry === undefined ? undefined : retryPolicy(where, options.retry),
    timeSorted: options.timeSorted ?? false,
    sides,
  });
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;

/**
 * Refuses a stateful DoFn that cannot work.
 * @throws {ConfigurationError} for windows that merge, and for what is declared badly
 */
function checkStateful(where: string, strategy: WindowingStrategy, doFn: AnyStatefulDoFn): void {
  if (isMerging(strategy.windowFn))
    throw new ConfigurationError(
      `${where}: state cannot follow windows that merge, and ${strategy.windowFn.kind} do; group by key first, and keep state behind that`,
    );
  if (typeof doFn?.process !== 'function')
    throw new ConfigurationError(
      `${where}: expected a stateful DoFn with a process method, or a function that makes one`,
    );
  const states: StateSpecs = doFn.state ?? {};
  const timers: TimerSpecs = doFn.timers ?? {};
  for (const [id, spec] of Object.entries(states))
    if (!['value', 'combining', 'bag', 'set', 'map'].includes(spec?.kind))
      throw new ConfigurationError(`${where}: state.${id} is no state; declare it as valueState(), bagState() …`);
  for (const id of [...Object.keys(states), ...Object.keys(timers)])
    if (!NAME.test(id))
      throw new ConfigurationError(
        `${where}: '${id}' cannot name state or a timer; expected letters, digits and _, such as 'lastSeen'`,
      );
  const callbacks: Readonly<Record<string, unknown>> = doFn.onTimer ?? {};
  for (const [id, spec] of Object.entries(timers)) {
    if (spec?.kind !== 'timer')
      throw new ConfigurationError(`${where}: timers.${id} is no timer; declare it as eventTimer() …`);
    if (typeof callbacks[id] !== 'function')
      throw new ConfigurationError(
        `${where}: the timer '${id}' has no callback; add onTimer: { ${id}(context) { … } }`,
      );
  }
  for (const id of Object.keys(callbacks))
    if (timers[id] === undefined)
      throw new ConfigurationError(
        `${where}: onTimer.${id} is the callback of no declared timer; add timers: { ${id}: eventTimer() }`,
      );
}

/** Each shard has a DoFn of its own, so one that keeps fields between calls must be made anew. */
function statefulDoFnMaker(where: string, doFn: AnyStatefulDoFn | (() => AnyStatefulDoFn)): () => AnyStatefulDoFn {
  if (typeof doFn === 'function') return plainFunction(where, doFn);
  if (doFn?.setup ?? doFn?.teardown)
    throw new ConfigurationError(
      `${where}: a DoFn with setup or teardown keeps something between calls; give a function that makes one, such as () => new MyDoFn()`,
    );
  return () => doFn;
}

/** @throws {ConfigurationError} when a tag's name is taken */
function outputNames(where: string, outputs: readonly Tag<unknown>[] = []): readonly string[] {
  const names = outputs.map((output) => output.name);
  for (const name of names)
    if (name === MAIN_OUTPUT || name === LATE_OUTPUT || names.filter((other) => other === name).length > 1)
      throw new ConfigurationError(`${where}: output tag '${name}' is taken; choose another name`);
  return names;
}
