/**
 * Triggers: when a window's result so far is emitted as a pane. Invariant: a trigger is an immutable tree that says what
 * is wanted; the state machines that run it are the engine's (engine/reduce). Names and meaning are Beam's.
 */
import { ConfigurationError } from './errors.ts';
import { checkOptions } from './options.ts';
import { type Duration, type Millis, millis } from './time.ts';

export type Trigger =
  | { readonly kind: 'default' }
  | { readonly kind: 'never' }
  | { readonly kind: 'afterCount'; readonly count: number }
  | { readonly kind: 'afterProcessingTime'; readonly delay: Millis }
  | { readonly kind: 'afterSynchronizedProcessingTime' }
  | { readonly kind: 'afterWatermark'; readonly early?: Trigger; readonly late?: Trigger }
  | { readonly kind: 'repeatedly'; readonly trigger: Trigger }
  | { readonly kind: 'afterFirst'; readonly triggers: readonly Trigger[] }
  | { readonly kind: 'afterAll'; readonly triggers: readonly Trigger[] }
  | { readonly kind: 'afterEach'; readonly triggers: readonly Trigger[] }
  | { readonly kind: 'orFinally'; readonly trigger: Trigger; readonly until: Trigger };

/** Once when the watermark passes the window's end, then for every bundle of late data that still comes. */
export function defaultTrigger(): Trigger {
  return { kind: 'default' };
}

/** No firing: all data leaves in one pane when the window expires, at its end plus allowed lateness. */
export function never(): Trigger {
  return { kind: 'never' };
}

/**
 * Once, when a pane holds `count` elements or more. A bundle is asked as a whole, so a pane may hold more.
 * @param count a whole number from 1
 */
export function afterCount(count: number): Trigger {
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new ConfigurationError(`afterCount(count): expected a whole number from 1 and up, got ${String(count)}`);
  }
  return { kind: 'afterCount', count };
}

/** Once, when processing time is more than `delay` past the arrival of the pane's first element. */
export function afterProcessingTime(delay: Duration): Trigger {
  return { kind: 'afterProcessingTime', delay: millis('afterProcessingTime(delay)', delay) };
}

export interface AfterWatermarkOptions {
  /** Fires again and again before the watermark passes the window's end. Default: never. */
  readonly early?: Trigger;
  /** Fires again and again after that. Without it the window takes nothing more once its on-time pane is out. */
  readonly late?: Trigger;
}

/**
 * Once, when the watermark passes the window's end; early and late firings around that on demand.
 *
 * `early` and `late` repeat by themselves. One that is composed of others is made to say so (`repeatedly`): Beam's Java
 * machine starts over only the outermost part of it, so that there `early: afterFirst(afterCount(100), …)` fires on every
 * bundle once it has fired.
 * @example afterWatermark({ early: afterProcessingTime('10m'), late: afterCount(1) })
 */
export function afterWatermark(options: AfterWatermarkOptions = {}): Trigger {
  checkOptions('afterWatermark(options)', options, { early: true, late: true });
  return {
    kind: 'afterWatermark',
    ...(options.early === undefined ? {} : { early: repeating(options.early) }),
    ...(options.late === undefined ? {} : { late: repeating(options.late) }),
  };
}

function repeating(trigger: Trigger): Trigger {
  switch (trigger.kind) {
    case 'afterFirst':
    case 'afterAll':
    case 'afterEach':
    case 'orFinally':
      return { kind: 'repeatedly', trigger };
    default:
      return trigger;
  }
}

/** Starts `trigger` over whenever it has finished. */
export function repeatedly(trigger: Trigger): Trigger {
  return { kind: 'repeatedly', trigger };
}

/** Once, when any of them is ready. */
export function afterFirst(...triggers: readonly Trigger[]): Trigger {
  return { kind: 'afterFirst', triggers: atLeastTwo('afterFirst', triggers) };
}

/** Once, when all of them are ready. */
export function afterAll(...triggers: readonly Trigger[]): Trigger {
  return { kind: 'afterAll', triggers: atLeastTwo('afterAll', triggers) };
}

/** One after the other: each fires until it finishes, then the next one takes over. */
export function afterEach(...triggers: readonly Trigger[]): Trigger {
  return { kind: 'afterEach', triggers: atLeastTwo('afterEach', triggers) };
}

/** As `trigger` does, until `until` fires: that is the last firing. `until` sees all elements, not only the pane's. */
export function orFinally(trigger: Trigger, until: Trigger): Trigger {
  return { kind: 'orFinally', trigger, until };
}

function atLeastTwo(factory: string, triggers: readonly Trigger[]): readonly Trigger[] {
  if (triggers.length < 2) {
    throw new ConfigurationError(`${factory}(…triggers): expected two triggers or more, got ${triggers.length}`);
  }
  return triggers;
}

/** The trigger in the author's own notation, for errors and plans. */
export function describeTrigger(trigger: Trigger): string {
  switch (trigger.kind) {
    case 'default':
      return 'defaultTrigger()';
    case 'afterCount':
      return `afterCount(${trigger.count})`;
    case 'afterProcessingTime':
      return `afterProcessingTime(${trigger.delay})`;
    case 'afterWatermark': {
      const { early, late } = trigger;
      const options = [early && `early: ${describeTrigger(early)}`, late && `late: ${describeTrigger(late)}`].filter(
        Boolean,
      );
      return options.length === 0 ? 'afterWatermark()' : `afterWatermark({ ${options.join(', ')} })`;
    }
    case 'repeatedly':
      return `repeatedly(${describeTrigger(trigger.trigger)})`;
    case 'afterFirst':
    case 'afterAll':
    case 'afterEach':
      return `${trigger.kind}(${trigger.triggers.map(describeTrigger).join(', ')})`;
    case 'orFinally':
      return `orFinally(${describeTrigger(trigger.trigger)}, ${describeTrigger(trigger.until)})`;
    default:
      return `${trigger.kind}()`;
  }
}
