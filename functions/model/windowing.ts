/**
 * The windowing of a collection: its windows, and when and how their results are emitted. Invariant: a strategy that an
 * author has made loses no data silently; what would is refused here, while the pipeline is built (catalogue V01–V08).
 */
import { ConfigurationError } from './errors.ts';
import { checkOptions, type OptionNames } from './options.ts';
import { continuationTrigger, mayFinishUnsafely } from './trigger-properties.ts';
import { describeTrigger, type Trigger } from './triggers.ts';
import { type Duration, type Millis, millis } from './time.ts';
import { areCompatible, isMerging, type WindowFn } from './windows.ts';

/** Whether a pane holds all elements of its window so far, or those since the pane before. */
export type Accumulation = 'accumulating' | 'discarding';
/** How a pane's timestamp follows from those of its elements. */
export type TimestampCombiner = 'endOfWindow' | 'earliest' | 'latest';
/** Whether an empty pane is emitted. */
export type EmptyPane = 'always' | 'ifNonEmpty';

/** Beam's WindowingStrategy. */
export interface WindowingStrategy {
  readonly windowFn: WindowFn;
  readonly trigger: Trigger;
  readonly accumulation: Accumulation;
  readonly allowedLateness: Millis;
  readonly timestampCombiner: TimestampCombiner;
  readonly closing: EmptyPane;
  readonly onTime: EmptyPane;
}

/** What an author may say about windows; what is left out has Beam's default. */
export interface WindowOptions {
  /** When panes are emitted. Default: `defaultTrigger()`. */
  readonly trigger?: Trigger;
  /** Needed with a trigger of your own, and with allowed lateness. Default: `'discarding'`. */
  readonly accumulation?: Accumulation;
  /** How long after its end a window still takes elements. Default 0; windowing again never lowers it. */
  readonly allowedLateness?: Duration;
  /** The timestamp of a pane: its window's last instant (default), or the earliest or latest of its elements. */
  readonly timestampCombiner?: TimestampCombiner;
  /** Whether a window's last pane is emitted when nothing is new in it. Default: `'ifNonEmpty'`. */
  readonly closing?: EmptyPane;
  /** Whether the on-time pane is emitted when nothing is new in it. Default: `'always'`. */
  readonly onTime?: EmptyPane;
}

/** How every collection begins. */
export const DEFAULT_STRATEGY: WindowingStrategy = Object.freeze({
  windowFn: Object.freeze({ kind: 'global' }),
  trigger: Object.freeze({ kind: 'default' }),
  accumulation: 'discarding',
  allowedLateness: 0 as Millis,
  timestampCombiner: 'endOfWindow',
  closing: 'ifNonEmpty',
  onTime: 'always',
});

/**
 * The strategy of a collection that is windowed by `windowFn`.
 * @param where names the step in errors, e.g. `window 'hourly'`
 * @param previous the collection's strategy so far: its lateness is a lower bound (V05)
 * @throws {ConfigurationError} for what would lose data or cannot work
 */
export function rewindow(
  where: string,
  previous: WindowingStrategy,
  windowFn: WindowFn,
  options: WindowOptions = {},
): WindowingStrategy {
  checkOptions<WindowOptions>(where, options, OPTIONS);
  if (!WINDOW_FNS.includes(windowFn?.kind))
    throw new ConfigurationError(
      `${where}: expected windows, such as fixedWindows('1h') or globalWindow(), got ${describeValue(windowFn)}`,
    );
  checkIsTrigger(where, options.trigger);
  const problem = checkWords(options);
  if (problem !== undefined) throw new ConfigurationError(`${where}: ${problem}`);
  checkExplicit(where, windowFn, options);
  const lateness = millis(`${where} allowedLateness`, options.allowedLateness ?? 0);
  const strategy: WindowingStrategy = {
    windowFn,
    trigger: options.trigger ?? previous.trigger,
    accumulation: options.accumulation ?? previous.accumulation,
    allowedLateness: Math.max(lateness, previous.allowedLateness) as Millis,
    timestampCombiner: options.timestampCombiner ?? previous.timestampCombiner,
    closing: options.closing ?? previous.closing,
    onTime: options.onTime ?? previous.onTime,
  };
  checkTrigger(where, strategy);
  return strategy;
}

const OPTIONS: OptionNames<WindowOptions> = {
  trigger: true,
  accumulation: true,
  allowedLateness: true,
  timestampCombiner: true,
  closing: true,
  onTime: true,
};
const WINDOW_FNS: readonly string[] = ['fixed', 'sliding', 'sessions', 'global'] satisfies WindowFn['kind'][];

/** What is no trigger may be a factory that was not called. */
function checkIsTrigger(where: string, trigger: Trigger | undefined): void {
  if (trigger !== undefined && typeof trigger?.kind !== 'string')
    throw new ConfigurationError(
      `${where} trigger: expected a trigger, such as afterWatermark(), got ${describeValue(trigger)}`,
    );
}

function describeValue(value: unknown): string {
  if (typeof value === 'function') return `a function; call it: ${value.name || 'fn'}(…)`;
  return JSON.stringify(value) ?? 'undefined';
}

const WORDS = {
  accumulation: ['accumulating', 'discarding'],
  timestampCombiner: ['endOfWindow', 'earliest', 'latest'],
  closing: ['always', 'ifNonEmpty'],
  onTime: ['always', 'ifNonEmpty'],
} as const;

/** Options that come from plain JavaScript, or through a cast, may hold anything. */
function checkWords(options: WindowOptions): string | undefined {
  for (const [field, words] of Object.entries(WORDS)) {
    const word = options[field as keyof typeof WORDS];
    if (word !== undefined && !(words as readonly string[]).includes(word)) {
      return `${field} is ${words.map((allowed) => `'${allowed}'`).join(' or ')}, got ${JSON.stringify(word)}`;
    }
  }
  return undefined;
}

/** V04: with a trigger of one's own, or late data, what happens is the author's choice and has to be said. */
function checkExplicit(where: string, windowFn: WindowFn, options: WindowOptions): void {
  const custom = options.trigger !== undefined && options.trigger.kind !== 'default';
  if (custom && options.accumulation === undefined) {
    throw new ConfigurationError(
      `${where}: a trigger needs an accumulation mode; add accumulation: 'accumulating' (each pane holds all elements so far) or 'discarding' (each pane holds what is new)`,
    );
  }
  if (custom && options.allowedLateness === undefined && windowFn.kind !== 'global') {
    throw new ConfigurationError(
      `${where}: a trigger needs allowedLateness, the time that late elements are still taken; write allowedLateness: 0 to take none`,
    );
  }
  const late = options.allowedLateness !== undefined && millis(`${where} allowedLateness`, options.allowedLateness) > 0;
  if (late && options.accumulation === undefined) {
    throw new ConfigurationError(
      `${where}: allowedLateness ${JSON.stringify(options.allowedLateness)} needs an accumulation mode, since late elements make further panes; add accumulation: 'accumulating' or 'discarding'`,
    );
  }
}

function checkTrigger(where: string, { trigger, allowedLateness }: WindowingStrategy): void {
  if (!mayFinishUnsafely(trigger, allowedLateness)) return;
  const remedy =
    trigger.kind === 'afterWatermark'
      ? `give it late firings, e.g. late: afterCount(1), or allowedLateness: 0 (it is ${allowedLateness} ms)`
      : 'wrap it in repeatedly(…)';
  throw new ConfigurationError(
    `${where}: the trigger ${describeTrigger(trigger)} may finish, and everything that its window gets afterwards would be lost; ${remedy}`,
  );
}

/**
 * Refuses a grouping that could never emit (V03).
 * @throws {ConfigurationError} for an unbounded collection in the global window without a trigger
 */
export function checkGroupable(where: string, strategy: WindowingStrategy, bounded: boolean): void {
  if (bounded || strategy.windowFn.kind !== 'global' || strategy.trigger.kind !== 'default') return;
  throw new ConfigurationError(
    `${where}: groups an unbounded collection in the global window with the default trigger, which would never emit; put a window(…) before it, or give the global window a trigger`,
  );
}

/** The strategy of what a grouping emits: sessions stay as merged there (W08), and each pane is passed on promptly (TR11). */
export function afterGrouping(strategy: WindowingStrategy): WindowingStrategy {
  const { windowFn } = strategy;
  return {
    ...strategy,
    windowFn: windowFn.kind === 'sessions' && isMerging(windowFn) ? { ...windowFn, merged: true } : windowFn,
    trigger: continuationTrigger(strategy.trigger),
  };
}

/**
 * The strategy of several collections put together: that of the first, with the largest allowed lateness.
 * @throws {ConfigurationError} when their windows or triggers differ (V08, G02)
 */
export function flattenStrategies(where: string, strategies: readonly WindowingStrategy[]): WindowingStrategy {
  const first = strategies[0] ?? DEFAULT_STRATEGY;
  strategies.forEach((other, i) => {
    const which = `input ${i + 1}`;
    if (!areCompatible(first.windowFn, other.windowFn)) {
      throw new ConfigurationError(
        `${where}: input 1 has ${describeWindows(first.windowFn)} and ${which} has ${describeWindows(other.windowFn)}; window both alike before`,
      );
    }
    if (JSON.stringify(first.trigger) !== JSON.stringify(other.trigger)) {
      throw new ConfigurationError(
        `${where}: input 1 has the trigger ${describeTrigger(first.trigger)} and ${which} has the trigger ${describeTrigger(other.trigger)}; window both alike before`,
      );
    }
    if (first.accumulation !== other.accumulation) {
      throw new ConfigurationError(
        `${where}: input 1 is ${first.accumulation} and ${which} is ${other.accumulation}; choose one for both`,
      );
    }
  });
  const allowedLateness = Math.max(...strategies.map((strategy) => strategy.allowedLateness)) as Millis;
  return allowedLateness > first.allowedLateness ? { ...first, allowedLateness } : first;
}

export function describeWindows(windowFn: WindowFn): string {
  switch (windowFn.kind) {
    case 'fixed':
      return `fixedWindows(${windowFn.size}, { offset: ${windowFn.offset} })`;
    case 'sliding':
      return `slidingWindows(${windowFn.size}, { every: ${windowFn.every}, offset: ${windowFn.offset} })`;
    case 'sessions':
      return `sessions(${windowFn.gap})`;
    case 'global':
      return 'globalWindow()';
  }
}
