/** Reading conformance cases. What is wrong with one is said with its place in the case. */
import { ConfigurationError } from '../model/errors.ts';
import {
  type Duration,
  type EpochMillis,
  epochMillis,
  isElementTimestamp,
  MAX_TIMESTAMP,
  type Millis,
  millis,
} from '../model/time.ts';
import type { Trigger } from '../model/triggers.ts';
import { DEFAULT_STRATEGY, type WindowingStrategy } from '../model/windowing.ts';
import { fixedWindows, globalWindow, sessions, slidingWindows, type WindowFn } from '../model/windows.ts';

export type ConformanceStep =
  | {
      readonly kind: 'input';
      readonly elements: readonly { readonly value: unknown; readonly timestamp: EpochMillis }[];
    }
  | { readonly kind: 'watermark'; readonly at: EpochMillis }
  | { readonly kind: 'processingTime'; readonly at: EpochMillis };

export interface ConformanceCase {
  readonly strategy: WindowingStrategy;
  /** The actions, without the expectations between them. */
  readonly steps: readonly ConformanceStep[];
}

type Json = Readonly<Record<string, unknown>>;

/** @throws {ConfigurationError} for what cannot be run */
export function parseCase(json: unknown): ConformanceCase {
  const fields = object('the case', json);
  const steps = list('steps', fields.steps);
  return { strategy: parseStrategy(fields), steps: steps.flatMap((step, i) => parseStep(`steps[${i}]`, step)) };
}

function parseStrategy(fields: Json): WindowingStrategy {
  return {
    windowFn: parseWindowFn(object('window', fields.window)),
    trigger: parseTrigger('trigger', fields.trigger ?? { type: 'default' }),
    accumulation: word('accumulation', fields, ['accumulating', 'discarding']) ?? DEFAULT_STRATEGY.accumulation,
    allowedLateness: millis('allowedLateness', duration(fields.allowedLateness ?? 0)),
    timestampCombiner:
      word('timestampCombiner', fields, ['endOfWindow', 'earliest', 'latest']) ?? DEFAULT_STRATEGY.timestampCombiner,
    closing: word('closing', fields, ['ifNonEmpty', 'always']) ?? DEFAULT_STRATEGY.closing,
    onTime: word('onTime', fields, ['always', 'ifNonEmpty']) ?? DEFAULT_STRATEGY.onTime,
  };
}

function parseWindowFn(fields: Json): WindowFn {
  const offset = fields.offset === undefined ? {} : { offset: duration(fields.offset) };
  switch (fields.type) {
    case 'fixed':
      return fixedWindows(duration(fields.size), offset);
    case 'sliding':
      return slidingWindows(duration(fields.size), { every: duration(fields.period), ...offset });
    case 'sessions':
      return sessions(duration(fields.gap));
    case 'global':
      return globalWindow();
    default:
      throw unknown('window.type', fields.type, "'fixed', 'sliding', 'sessions' or 'global'");
  }
}

/** As it stands: the factories would refuse, or make safe, what a case may well try. */
function parseTrigger(path: string, json: unknown): Trigger {
  const fields = object(path, json);
  const inner = (field: string): Trigger => parseTrigger(`${path}.${field}`, fields[field]);
  switch (fields.type) {
    case 'default':
    case 'never':
      return { kind: fields.type };
    case 'afterCount':
      return { kind: 'afterCount', count: wholeNumber(`${path}.count`, fields.count) };
    case 'afterProcessingTime':
      return { kind: 'afterProcessingTime', delay: millis(`${path}.delay`, duration(fields.delay)) as Millis };
    case 'afterWatermark':
      return {
        kind: 'afterWatermark',
        ...(fields.early == null ? {} : { early: inner('early') }),
        ...(fields.late == null ? {} : { late: inner('late') }),
      };
    case 'repeatedly':
      return { kind: 'repeatedly', trigger: inner('trigger') };
    case 'afterFirst':
    case 'afterAll':
    case 'afterEach': {
      const triggers = list(`${path}.triggers`, fields.triggers);
      return {
        kind: fields.type,
        triggers: triggers.map((part, i) => parseTrigger(`${path}.triggers[${i}]`, part)),
      };
    }
    case 'orFinally':
      return { kind: 'orFinally', trigger: inner('trigger'), until: inner('until') };
    default:
      throw unknown(`${path}.type`, fields.type, 'a trigger of the format');
  }
}

function parseStep(path: string, json: unknown): ConformanceStep[] {
  const step = object(path, json);
  if (step.input !== undefined) {
    const elements = list(`${path}.input`, step.input);
    return [{ kind: 'input', elements: elements.map((element, i) => parseElement(`${path}.input[${i}]`, element)) }];
  }
  if (step.watermark !== undefined) {
    const at = step.watermark === 'infinity' ? MAX_TIMESTAMP : instant(`${path}.watermark`, step.watermark);
    return [{ kind: 'watermark', at }];
  }
  if (step.processingTime !== undefined) {
    return [{ kind: 'processingTime', at: instant(`${path}.processingTime`, step.processingTime) }];
  }
  if (['expect', 'expectDropped', 'expectHold'].some((name) => Object.hasOwn(step, name))) return [];
  throw new ConfigurationError(
    `${path}: expected input, watermark, processingTime or an expectation, got ${short(step)}`,
  );
}

function parseElement(path: string, json: unknown): { value: unknown; timestamp: EpochMillis } {
  const { value = null, timestamp } = object(path, json);
  if (!isElementTimestamp(timestamp)) {
    throw new ConfigurationError(
      `${path}.timestamp: expected whole milliseconds within the range of time, got ${short(timestamp)}`,
    );
  }
  return { value, timestamp };
}

function object(path: string, json: unknown): Json {
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Json;
  throw new ConfigurationError(`${path}: expected an object, got ${short(json)}`);
}

function list(path: string, json: unknown): readonly unknown[] {
  if (Array.isArray(json)) return json;
  throw new ConfigurationError(`${path}: expected a list, got ${short(json)}`);
}

function wholeNumber(path: string, json: unknown): number {
  if (Number.isSafeInteger(json)) return json as number;
  throw new ConfigurationError(`${path}: expected a whole number, got ${short(json)}`);
}

function instant(path: string, json: unknown): EpochMillis {
  if (Number.isInteger(json)) return epochMillis(json as number);
  throw new ConfigurationError(`${path}: expected whole milliseconds, got ${short(json)}`);
}

/** Whatever is there; `millis` says what is wrong with it. */
function duration(json: unknown): Duration {
  return (typeof json === 'number' ? json : Number.NaN) as Duration;
}

function word<const W extends string>(field: string, fields: Json, words: readonly W[]): W | undefined {
  const value = fields[field];
  if (value === undefined || words.includes(value as W)) return value as W | undefined;
  throw unknown(field, value, words.map((allowed) => `'${allowed}'`).join(' or '));
}

function unknown(path: string, value: unknown, expected: string): ConfigurationError {
  return new ConfigurationError(`${path}: expected ${expected}, got ${short(value)}`);
}

function short(json: unknown): string {
  const text = JSON.stringify(json) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
