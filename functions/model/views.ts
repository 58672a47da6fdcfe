/**
 * Views: a collection as a whole, for other steps to read beside their own elements (Beam's side inputs).
 *
 * Invariants: a view has one content for each of its windows, that of the newest pane; a reader's element sees the content
 * of the one side window that holds its own window's last instant (catalogue SI04), and waits for it until that content is
 * there or is known never to come.
 */
import { ConfigurationError } from './errors.ts';
import type { DoFn } from './dofn.ts';
import type { Ref, SideInput, SideParDoNode, ViewNode, ViewShape } from './graph.ts';
import type { Key } from './key.ts';
import { checkOptions } from './options.ts';
import { type Duration, type Millis, millis } from './time.ts';
import { checkGroupable, type WindowingStrategy } from './windowing.ts';

/** What a step may read of a collection; `T` is what its code gets. Made by `asSingleton` and the like. */
export interface View<T> {
  readonly node: ViewNode;
  /** Only for the type checker. */
  readonly type?: T;
}

/** A view by key. Its content lies in chunks that are read as they are needed. */
export interface SideMap<K extends Key, V> {
  /** How many keys it has. */
  readonly size: number;
  /** The key's value, or undefined. */
  get(key: K): Promise<V | undefined>;
  has(key: K): Promise<boolean>;
  /** All entries, in no order that means anything; one chunk is in memory at a time. */
  entries(): AsyncIterable<readonly [key: K, value: V]>;
}

/** A view by key, with any number of values of each. */
export interface SideMultimap<K extends Key, V> {
  /** How many values it has, of all keys. */
  readonly size: number;
  /** The key's values; empty for a key that has none. */
  get(key: K): Promise<readonly V[]>;
  has(key: K): Promise<boolean>;
  /** All entries, in no order that means anything; one chunk is in memory at a time. */
  entries(): AsyncIterable<readonly [key: K, value: V]>;
}

/** The views that a step reads, under the names by which it reads them. */
export type SideInputs = Readonly<Record<string, View<unknown>>>;
/** What a step's code gets for its views. */
export type Sides<S extends SideInputs> = { readonly [name in keyof S]: S[name] extends View<infer T> ? T : never };

export interface ViewOptions {
  /**
   * How many bytes of encoded elements a window of the view may hold. The functions that read it get the memory for it.
   * At 80 % there is a warning; above it the view stops changing and says so. Default 64 MiB.
   */
  readonly maxBytes?: number;
  /** A window's content changes at most so often, however often its trigger fires. Default 5 seconds. */
  readonly changeAtMostEvery?: Duration;
  /**
   * Reads a bounded source again after so long, so that readers see what has changed in it. Between the source and the
   * view there may be steps on single elements only. In local runs and tests only: what is deployed reads topics, and a
   * view of what changes is fed by one, or replaced by `lookUp`. Default: it is read once.
   */
  readonly refreshEvery?: Duration;
}

export interface SingletonOptions<D> extends ViewOptions {
  /** What readers get for a window without an element. Default: none, and such an element of theirs fails. */
  readonly default?: D;
}

/** 64 MiB. */
export const DEFAULT_VIEW_BYTES = 64 * 1024 * 1024;
/** Part of its budget at which a view warns. */
export const VIEW_WARNING_SHARE = 0.8;
const LEAST_VIEW_BYTES = 1024;
const MOST_VIEW_BYTES = 1024 * 1024 * 1024;
const LEAST_REFRESH = 1_000;

/** @throws {ConfigurationError} when the collection cannot be a view, or an option is none */
export function viewNode(
  name: string,
  input: Ref,
  collection: { readonly strategy: WindowingStrategy; readonly bounded: boolean },
  shape: ViewShape,
  options: SingletonOptions<unknown>,
): ViewNode {
  const { strategy, bounded } = collection;
  const where = `view '${name}'`;
  const others = { maxBytes: true, changeAtMostEvery: true, refreshEvery: true } as const;
  if (shape === 'singleton') checkOptions<SingletonOptions<unknown>>(where, options, { ...others, default: true });
  else checkOptions<ViewOptions>(where, options, others);
  if (strategy.windowFn.kind === 'sessions')
    throw new ConfigurationError(
      `${where}: sessions differ from key to key, so no element could say which one it reads; window the collection by fixed, sliding or global windows before`,
    );
  // A signal is about the watermark alone, so it needs no trigger.
  if (shape !== 'signal') checkGroupable(where, strategy, bounded);
  return {
    kind: 'view',
    name,
    inputs: [input],
    shape,
    strategy,
    fallback: 'default' in options ? { value: options.default } : undefined,
    maxBytes: budget(where, options.maxBytes ?? DEFAULT_VIEW_BYTES),
    changeAtMostEvery: millis(`${where} changeAtMostEvery`, options.changeAtMostEvery ?? '5s'),
    refreshEvery: refreshEvery(where, options.refreshEvery, strategy, bounded),
  };
}

/**
 * Refuses what a step can never read.
 * @throws {ConfigurationError} for a global main window with a windowed side input (SI04), and for what is no view
 */
export function checkSideInputs(where: string, sides: SideInputs, main: WindowingStrategy): void {
  for (const [name, view] of Object.entries(sides)) {
    if (view?.node?.kind !== 'view')
      throw new ConfigurationError(
        `${where}: sideInputs.${name} is no view; make one with asSingleton, asList or asMap`,
      );
    const side = view.node.strategy.windowFn.kind;
    if (main.windowFn.kind === 'global' && side !== 'global')
      throw new ConfigurationError(
        `${where}: its input is in the global window and the view '${view.node.name}' is in ${side} windows, so no element could say which one it reads; window the main input, or make the side input global`,
      );
  }
}

const PASS_ON: DoFn<unknown, unknown> = { process: (element, context) => context.output(element) };

/** A step that lets each element pass when the views that it is to read are ready, and changes nothing. */
export function readyNode(
  name: string,
  input: Ref,
  sides: readonly SideInput[],
  keyed: boolean,
  { allowedLateness }: WindowingStrategy,
): SideParDoNode {
  const passesOn = { makeDoFn: () => PASS_ON, outputs: [], allowedSkew: 0 };
  return { kind: 'sideParDo', name, inputs: [input], ...passesOn, sides, keyed, allowedLateness };
}

/** As the graph keeps them. */
export function sideInputsOf(sides: SideInputs): SideInput[] {
  return Object.entries(sides).map(([name, { node }]) => ({ name, view: node }));
}

function budget(where: string, bytes: number): number {
  if (!Number.isInteger(bytes) || bytes < LEAST_VIEW_BYTES || bytes > MOST_VIEW_BYTES)
    throw new ConfigurationError(
      `${where}: maxBytes: expected a whole number from ${LEAST_VIEW_BYTES} to ${MOST_VIEW_BYTES}, got ${bytes}`,
    );
  return bytes;
}

function refreshEvery(
  where: string,
  every: Duration | undefined,
  strategy: WindowingStrategy,
  bounded: boolean,
): Millis | undefined {
  if (every === undefined) return undefined;
  if (!bounded || strategy.windowFn.kind !== 'global')
    throw new ConfigurationError(
      `${where}: refreshEvery reads a bounded source again into one global window; an unbounded or windowed collection changes by its own panes`,
    );
  return millis(`${where} refreshEvery`, every, LEAST_REFRESH);
}
