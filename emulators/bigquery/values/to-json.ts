/** Any value as JSON: TO_JSON_STRING, TO_JSON, and the constructors JSON_ARRAY and JSON_OBJECT. */
import { BIGNUMERIC_SCALE, NUMERIC_SCALE } from '../types/storage.ts';
import type { Type } from '../types/type.ts';
import { formatDate } from './civil-date.ts';
import { formatDatetime, formatTime } from './clock-time.ts';
import { formatDecimal } from './decimal.ts';
import { formatFloat } from './float.ts';
import type { Interval } from './interval.ts';
import { jsonString, normalizeJson } from './json-text.ts';
import { formatTimestampJson } from './parse-time.ts';
import { ValueError } from './value-error.ts';

export interface ToJsonOptions {
  /** Numbers that a double cannot hold become strings. TO_JSON_STRING does so; TO_JSON when asked to. */
  readonly stringifyWideNumbers: boolean;
  /** For values of type JSON: a FLOAT64 keeps its `.0`. */
  readonly forJsonType: boolean;
}

const EXACT = 2n ** 53n;

function integerJson(value: bigint, { stringifyWideNumbers }: ToJsonOptions): string {
  return stringifyWideNumbers && (value > EXACT || value < -EXACT) ? `"${value}"` : String(value);
}

function floatJson(value: number, { forJsonType }: ToJsonOptions): string {
  if (Number.isNaN(value)) return '"NaN"';
  if (!Number.isFinite(value)) return value > 0 ? '"Infinity"' : '"-Infinity"';
  const text = formatFloat(value);
  return forJsonType && /^-?\d+$/.test(text) ? `${text}.0` : text;
}

function decimalJson(value: bigint, scale: number, options: ToJsonOptions): string {
  const text = formatDecimal(value, scale);
  const unit = 10n ** BigInt(scale);
  const exact = value % unit === 0n && value / unit <= EXACT && value / unit >= -EXACT;
  if (exact) return text;
  if (options.stringifyWideNumbers) return `"${text}"`;
  return options.forJsonType ? floatJson(Number(text), options) : text;
}

/** ISO 8601: `P1Y2M3DT4H5M6.5S`. */
function intervalJson({ months, days, micros }: Interval): string {
  const years = Math.trunc(months / 12);
  const negative = micros < 0n;
  const absolute = negative ? -micros : micros;
  const sign = negative ? '-' : '';
  const seconds = absolute / 1_000_000n;
  const fraction = String(absolute % 1_000_000n)
    .padStart(6, '0')
    .replace(/0+$/, '');
  const part = (value: number | bigint, unit: string, lead = '') =>
    Number(value) === 0 ? '' : `${lead}${value}${unit}`;
  const date = part(years, 'Y') + part(months % 12, 'M') + part(days, 'D');
  const second = seconds % 60n;
  const time =
    part(seconds / 3600n, 'H', sign) +
    part((seconds / 60n) % 60n, 'M', sign) +
    (second || fraction ? `${sign}${second}${fraction ? `.${fraction}` : ''}S` : '');
  return jsonString(date === '' && time === '' ? 'P0Y' : `P${date}${time === '' ? '' : `T${time}`}`);
}

/** JSON text of a value, members of STRUCTs in their order. @throws {ValueError} for a STRUCT that nests too deep. */
export function toJson(value: unknown, type: Type, options: ToJsonOptions): string {
  if (value === null || value === undefined) return 'null';
  switch (type.kind) {
    case 'BOOL':
      return String(value);
    case 'INT64':
      return integerJson(value as bigint, options);
    case 'FLOAT64':
      return floatJson(value as number, options);
    case 'NUMERIC':
      return decimalJson(value as bigint, NUMERIC_SCALE, options);
    case 'BIGNUMERIC':
      return decimalJson(value as bigint, BIGNUMERIC_SCALE, options);
    case 'STRING':
      return jsonString(value as string);
    case 'BYTES':
      return jsonString(Buffer.from(value as Uint8Array).toString('base64'));
    case 'DATE':
      return jsonString(formatDate(value as number));
    case 'DATETIME':
      return jsonString(formatDatetime(value as bigint, 'T'));
    case 'TIME':
      return jsonString(formatTime(value as bigint));
    case 'TIMESTAMP':
      return jsonString(formatTimestampJson(value as bigint));
    case 'INTERVAL':
      return intervalJson(value as Interval);
    case 'JSON':
      return value as string;
    case 'ARRAY':
      return `[${(value as readonly unknown[]).map((item) => toJson(item, type.element, options)).join(',')}]`;
    case 'STRUCT':
      return `{${type.fields.map((field, index) => `${jsonString(field.name)}:${toJson((value as readonly unknown[])[index], field.type, options)}`).join(',')}}`;
  }
}

/** A value of type JSON, normalised. */
export function toJsonValue(value: unknown, type: Type, stringifyWideNumbers = false): string {
  return normalizeJson(toJson(value, type, { stringifyWideNumbers, forJsonType: true }));
}

/** JSON text laid out on lines, two spaces a level. */
export function prettyJson(compact: string): string {
  let indent = '';
  let result = '';
  const tokens = compact.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^{}[\],:"]+/g) ?? [];
  tokens.forEach((token, index) => {
    const next = tokens[index + 1];
    if (token === '{' || token === '[') {
      if (next === '}' || next === ']') {
        result += token;
      } else {
        indent += '  ';
        result += `${token}\n${indent}`;
      }
    } else if (token === '}' || token === ']') {
      const opened = tokens[index - 1];
      if (opened === '{' || opened === '[') {
        result += token;
      } else {
        indent = indent.slice(2);
        result += `\n${indent}${token}`;
      }
    } else {
      result += token === ',' ? `,\n${indent}` : token === ':' ? ': ' : token;
    }
  });
  if (indent !== '') throw new ValueError('JSON text does not close what it opens');
  return result;
}
