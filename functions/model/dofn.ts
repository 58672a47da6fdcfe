/**
 * DoFns: user code that sees elements one at a time. The order of calls is Beam's (catalogue L01): `setup` once an
 * instance; `startBundle`, `process`…, `finishBundle` for each bundle; `teardown` last, also after an error.
 */
import type { PaneInfo } from './pane.ts';
import type { Instant } from './instant.ts';
import type { SideInputs, Sides, View } from './views.ts';
import type { Window } from './windows.ts';

/** What is known of an element beside its value. */
export interface ElementContext {
  /** Epoch milliseconds. */
  readonly timestamp: number;
  readonly window: Window;
  readonly pane: PaneInfo;
}

/** Names a further output of a DoFn and the type of its elements. */
export interface Tag<T> {
  readonly name: string;
  /** Only for the type checker. */
  readonly type?: T;
}

/** A tag for a further output. @param name lower-case words with dashes, unique in its DoFn */
export function tag<T>(name: string): Tag<T> {
  return { name };
}

/** What a DoFn emits, for the type checker only; see `emits`. */
export interface Emits<Out> {
  readonly type?: Out;
}

/** Says what a DoFn that is written in place emits: `emits: emits<Alert>()`. A class says it in the type of its context. */
export function emits<Out>(): Emits<Out> {
  return {};
}

export interface OutputOptions {
  /** The output's event time. Default: the input's. Must not be earlier than the input's, less `allowedSkew`. */
  readonly timestamp?: Instant;
}

export interface ProcessContext<Out> extends ElementContext {
  /** Emits to the main output. */
  output(value: Out, options?: OutputOptions): void;
  /** Emits to a further output, which the step must have declared. */
  outputTo<T>(tag: Tag<T>, value: T, options?: OutputOptions): void;
  /** What a view shows to this element. @throws {ConfigurationError} unless the step declares it in `sideInputs` (SI10) */
  sideInput<T>(view: View<T>): T;
}

/** What a step that reads views gets with each element. */
export interface SideContext<Out, S extends SideInputs> extends ProcessContext<Out> {
  /** What the views show to this element, by the names in `sideInputs`. */
  readonly side: Sides<S>;
}

export interface FinishContext<Out> {
  /** Emits at the end of a bundle; there is no input to take timestamp and window from, so both are given. */
  output(value: Out, timestamp: Instant, window: Window): void;
  outputTo<T>(tag: Tag<T>, value: T, timestamp: Instant, window: Window): void;
}

/**
 * A step's own code. A plain object or an instance of a class; methods may be async, and sync ones pay no `await`.
 * What `process` throws fails that element only; what it has emitted before throwing is taken back.
 */
export interface DoFn<In, Out> {
  /** What `process` emits, for the type checker only: `emits: emits<Alert>()`. Needed where it is written in place. */
  readonly emits?: Emits<Out>;
  /** Once an instance, before anything else: make clients here. */
  setup?(): void | Promise<void>;
  startBundle?(): void | Promise<void>;
  process(element: In, context: ProcessContext<Out>): void | Promise<void>;
  finishBundle?(context: FinishContext<Out>): void | Promise<void>;
  /** Once, when the instance ends: close clients here. */
  teardown?(): void | Promise<void>;
}

/** A DoFn that reads views under the names of its step's `sideInputs`. */
export interface SideDoFn<In, Out, S extends SideInputs> extends Omit<DoFn<In, Out>, 'process'> {
  process(element: In, context: SideContext<Out, S>): void | Promise<void>;
}
