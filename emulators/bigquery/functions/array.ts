/** ARRAY functions that need no lambda. Those over any element type are DuckDB's. */
import { addMonths } from '../values/civil-date.ts';
import { addToDate, addToTimestamp } from '../values/date-arithmetic.ts';
import type { Interval } from '../values/interval.ts';
import { ValueError } from '../values/value-error.ts';
import { literalText } from '../values/literal-text.ts';
import type { Type } from '../types/type.ts';
import { define, js, native, total, typedJs } from './definition.ts';

/** The longest array that a GENERATE_ function makes. */
const MAX_GENERATED = 1_048_576;

function tooLong(name: string): ValueError {
  return new ValueError(`${name} produced too many elements: at most ${MAX_GENERATED}`);
}

/** `start`, `start + step` … up to `end`, for whatever compares and adds. */
function generate<V extends bigint | number>(
  name: string,
  start: V,
  end: V,
  step: V,
  add: (value: V, step: V) => V,
): V[] {
  if (step === ((typeof step === 'bigint' ? 0n : 0) as V))
    throw new ValueError(`Sequence step cannot be 0. in ${name}`);
  const up = step > (typeof step === 'bigint' ? 0n : 0);
  const result: V[] = [];
  for (let value = start; up ? value <= end : value >= end; value = add(value, step)) {
    result.push(value);
    if (result.length > MAX_GENERATED) throw tooLong(name);
  }
  return result;
}

/** Doubles by multiplication, so that errors do not add up. */
function generateFloats(start: number, end: number, step = 1): number[] {
  if (step === 0) throw new ValueError('Sequence step cannot be 0. in GENERATE_ARRAY');
  const count = Math.floor((end - start) / step + 1e-12) + 1;
  if (!(count <= MAX_GENERATED)) throw tooLong('GENERATE_ARRAY');
  return Array.from({ length: Math.max(0, count) }, (_, index) => start + index * step);
}

const ONE_DAY: Interval = { months: 0, days: 1, micros: 0n };

function generateDates(start: number, end: number, step = ONE_DAY): number[] {
  const direction = step.months || step.days;
  if (step.micros !== 0n || (step.months !== 0 && step.days !== 0))
    throw new ValueError('GENERATE_DATE_ARRAY takes a step in one of DAY, WEEK, MONTH, QUARTER and YEAR');
  if (direction === 0) throw new ValueError('Sequence step cannot be 0. in GENERATE_DATE_ARRAY');
  const result: number[] = [];
  for (let index = 0; ; index++) {
    // From the start each time: the end of a month is kept, not carried along.
    let value: number;
    try {
      value =
        step.months === 0
          ? addToDate(start, { months: 0, days: step.days * index, micros: 0n })
          : addMonths(start, step.months * index);
    } catch {
      return result;
    }
    if (direction > 0 ? value > end : value < end) return result;
    result.push(value);
    if (result.length > MAX_GENERATED) throw tooLong('GENERATE_DATE_ARRAY');
  }
}

function generateTimestamps(start: bigint, end: bigint, step: Interval): bigint[] {
  if (step.months !== 0) throw new ValueError('GENERATE_TIMESTAMP_ARRAY takes a step of DAY or shorter');
  const width = BigInt(step.days) * 86_400_000_000n + step.micros;
  return generate('GENERATE_TIMESTAMP_ARRAY', start, end, width, (value) => {
    const next = value + width;
    try {
      return addToTimestamp(value, step);
    } catch {
      return next;
    }
  });
}

function arrayToString(items: readonly (string | null)[], separator: string, nullText?: string | null): string {
  const shown =
    nullText === undefined || nullText === null
      ? items.filter((item) => item !== null)
      : items.map((item) => item ?? nullText);
  return shown.join(separator);
}

function bytesArrayToString(items: readonly (Uint8Array | null)[], separator: Uint8Array): Uint8Array {
  const shown = items.filter((item) => item !== null);
  return new Uint8Array(Buffer.concat(shown.flatMap((item, index) => (index === 0 ? [item] : [separator, item]))));
}

/** Positions, from 1, at which each value of a list occurs first. */
function firstPositions(type: Type, items: readonly unknown[]): bigint[] {
  const element = type.kind === 'ARRAY' ? type.element : type;
  const seen = new Set<string>();
  const positions: bigint[] = [];
  for (const [index, item] of items.entries()) {
    const key = literalText(item, element);
    if (!seen.has(key)) positions.push(BigInt(index + 1));
    seen.add(key);
  }
  return positions;
}

/** For each value of a list, most frequent first: the position where it occurs first, and how often it occurs. */
function rankByCount(type: Type, items: readonly unknown[]): bigint[] {
  const element = type.kind === 'ARRAY' ? type.element : type;
  const found = new Map<string, { readonly position: number; count: number }>();
  for (const [index, item] of items.entries()) {
    const key = literalText(item, element);
    const entry = found.get(key);
    if (entry) entry.count++;
    else found.set(key, { position: index + 1, count: 1 });
  }
  const ranked = [...found.values()].sort((a, b) => b.count - a.count || a.position - b.position);
  return ranked.flatMap(({ position, count }) => [BigInt(position), BigInt(count)]);
}

const unit = 10n ** 9n;

export const ARRAY_FUNCTIONS = [
  define('ARRAY_LENGTH', total('ARRAY<T> -> INT64', 'CAST(len($1) AS BIGINT)')),
  define('ARRAY_REVERSE', total('ARRAY<T> -> ARRAY<T>', 'list_reverse($1)')),
  define(
    'ARRAY_FIRST',
    native(
      'ARRAY<T> -> T',
      "list_extract($1, CASE WHEN len($1) = 0 THEN CAST(js_fail_1('ARRAY_FIRST cannot get the first element of an empty array') AS BIGINT) ELSE 1 END)",
    ),
  ),
  define(
    'ARRAY_LAST',
    native(
      'ARRAY<T> -> T',
      "list_extract($1, CASE WHEN len($1) = 0 THEN CAST(js_fail_1('ARRAY_LAST cannot get the last element of an empty array') AS BIGINT) ELSE -1 END)",
    ),
  ),
  define(
    'ARRAY_SLICE',
    total(
      'ARRAY<T>, INT64, INT64 -> ARRAY<T>',
      'list_slice($1, js_slice_start_2($2, len($1)), js_slice_end_2($3, len($1)))',
    ),
  ),
  define(
    'SLICE_START',
    js(
      'INT64, INT64 -> INT64',
      (index: bigint, length: bigint) => (index < 0n ? maximum(length + index, 0n) : index) + 1n,
    ),
  ),
  define(
    'SLICE_END',
    js(
      'INT64, INT64 -> INT64',
      (index: bigint, length: bigint) => (index < 0n ? maximum(length + index, -1n) : index) + 1n,
    ),
  ),
  define(
    'RANK_BY_COUNT',
    typedJs('any -> ARRAY<INT64>', ([type], [items]) =>
      items === null ? null : rankByCount(type as Type, items as readonly unknown[]),
    ),
  ),
  define(
    'FIRST_POSITIONS',
    typedJs('any -> ARRAY<INT64>', ([type], [items]) =>
      items === null ? null : firstPositions(type as Type, items as readonly unknown[]),
    ),
  ),
  define(
    'ARRAY_TO_STRING',
    js('ARRAY<STRING>, STRING -> STRING', arrayToString),
    js('ARRAY<STRING>, STRING, STRING -> STRING', arrayToString),
    js('ARRAY<BYTES>, BYTES -> BYTES', bytesArrayToString),
  ),
  define(
    'GENERATE_ARRAY',
    js('INT64, INT64, INT64? -> ARRAY<INT64>', (start: bigint, end: bigint, step = 1n) =>
      generate('GENERATE_ARRAY', start, end, step, (a, b) => a + b),
    ),
    js('NUMERIC, NUMERIC, NUMERIC? -> ARRAY<NUMERIC>', (start: bigint, end: bigint, step = unit) =>
      generate('GENERATE_ARRAY', start, end, step, (a, b) => a + b),
    ),
    js('FLOAT64, FLOAT64, FLOAT64? -> ARRAY<FLOAT64>', generateFloats),
  ),
  define('GENERATE_DATE_ARRAY', js('DATE, DATE, INTERVAL? -> ARRAY<DATE>', generateDates)),
  define('GENERATE_TIMESTAMP_ARRAY', js('TIMESTAMP, TIMESTAMP, INTERVAL -> ARRAY<TIMESTAMP>', generateTimestamps)),
];

function maximum(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
