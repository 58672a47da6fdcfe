/** Values of insertAll's rows, which are JSON as people write it: `5` and `"5"` are both an INT64. */
import type { TableField } from '../catalog/table.ts';
import { scaleOf, parseDecimal, divideRounded } from '../values/decimal.ts';
import { parseFloat64 } from '../values/float.ts';
import { parseInt64 } from '../values/integer.ts';
import { parseIntervalText } from '../values/interval.ts';
import { checkedMicros } from '../values/clock-time.ts';
import { normalizeJson } from '../values/json-text.ts';
import { parseDate, parseDatetime, parseTime, parseTimestamp } from '../values/parse-time.ts';
import { characterLength } from '../values/text.ts';
import { ValueError } from '../values/value-error.ts';

/** What is wrong with one field of a row. */
export class RowError extends Error {
  override readonly name = 'RowError';
  /** The field, dotted inside RECORDs. */
  readonly location: string;
  constructor(location: string, message: string) {
    super(message);
    this.location = location;
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A number is seconds since the epoch, with a fraction down to microseconds; text is read as SQL reads it. */
function timestamp(value: unknown): bigint {
  if (typeof value === 'number' || /^-?\d+(\.\d*)?([eE][+-]?\d+)?$/.test(text(value))) {
    const seconds = text(value);
    const micros = /[eE]/.test(seconds) ? BigInt(Math.round(Number(seconds) * 1e6)) : microsOf(seconds);
    return checkedMicros(micros, 'TIMESTAMP');
  }
  return parseTimestamp(text(value));
}

function microsOf(seconds: string): bigint {
  const [whole = '0', fraction = ''] = seconds.split('.');
  const micros = BigInt(fraction.slice(0, 6).padEnd(6, '0'));
  return BigInt(whole) * 1_000_000n + (whole.startsWith('-') ? -micros : micros);
}

function bool(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  const lower = text(value).toLowerCase();
  if (['true', 't', 'yes', 'y', '1'].includes(lower)) return true;
  if (['false', 'f', 'no', 'n', '0'].includes(lower)) return false;
  throw new ValueError(`Bad bool value: ${text(value)}`);
}

function string(value: unknown, { maxLength }: TableField): string {
  if (typeof value === 'object') throw new ValueError('not a string');
  const result = text(value);
  if (maxLength !== undefined && characterLength(result) > maxLength)
    throw new ValueError(
      `Field has maximum length ${maxLength} but got a value with length ${characterLength(result)}`,
    );
  return result;
}

function bytes(value: unknown, { maxLength }: TableField): Uint8Array {
  const source = text(value);
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(source)) throw new ValueError('Could not decode base64 string to bytes');
  const result = new Uint8Array(Buffer.from(source, 'base64'));
  if (maxLength !== undefined && result.length > maxLength)
    throw new ValueError(`Field has maximum length ${maxLength} but got a value with length ${result.length}`);
  return result;
}

function decimal(value: unknown, { type, precision, scale = 0 }: TableField): bigint {
  const kind = type.kind === 'NUMERIC' ? 'NUMERIC' : 'BIGNUMERIC';
  const parsed = parseDecimal(text(value), kind);
  if (precision === undefined) return parsed;
  const unit = 10n ** BigInt(Math.max(0, scaleOf(kind) - scale));
  const rounded = divideRounded(parsed, unit) * unit;
  const limit = 10n ** BigInt(precision - scale + scaleOf(kind));
  if (rounded >= limit || rounded <= -limit)
    throw new ValueError(`Value is out of range for ${kind}(${precision}, ${scale})`);
  return rounded;
}

function scalar(value: unknown, field: TableField): unknown {
  switch (field.type.kind) {
    case 'STRING':
      return string(value, field);
    case 'BYTES':
      return bytes(value, field);
    case 'INT64':
      return parseInt64(text(value));
    case 'FLOAT64':
      return typeof value === 'number' ? value : parseFloat64(text(value));
    case 'NUMERIC':
    case 'BIGNUMERIC':
      return decimal(value, field);
    case 'BOOL':
      return bool(value);
    case 'DATE':
      return parseDate(text(value));
    case 'DATETIME':
      return parseDatetime(text(value));
    case 'TIME':
      return parseTime(text(value));
    case 'TIMESTAMP':
      return timestamp(value);
    case 'INTERVAL':
      return parseIntervalText(text(value));
    default:
      return normalizeJson(typeof value === 'string' ? value : JSON.stringify(value));
  }
}

function one(value: unknown, field: TableField, path: string, ignoreUnknown: boolean): unknown {
  if (field.fields) {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new RowError(path, `This field: ${path} is a record.`);
    return recordValues(value as Record<string, unknown>, field.fields, `${path}.`, ignoreUnknown);
  }
  if (Array.isArray(value) && field.type.kind !== 'JSON')
    throw new RowError(path, `Array specified for non-repeated field: ${path}.`);
  try {
    return scalar(value, field);
  } catch (error) {
    if (error instanceof ValueError)
      throw new RowError(path, `Cannot convert value to ${field.type.kind} (bad value): ${error.message}`);
    throw error;
  }
}

function fieldValue(value: unknown, field: TableField, path: string, ignoreUnknown: boolean): unknown {
  if (field.mode === 'REPEATED') {
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) throw new RowError(path, `Repeated field ${path} must be a list.`);
    return value.map((item) => {
      if (item === null)
        throw new RowError(path, `Only optional fields can be set to NULL. Field: ${path}; Value: NULL`);
      return one(item, field, path, ignoreUnknown);
    });
  }
  if (value === undefined || value === null) {
    if (field.mode === 'REQUIRED') throw new RowError(path, `Missing required field: ${path}.`);
    return null;
  }
  return one(value, field, path, ignoreUnknown);
}

/**
 * The values of a row in the order of the fields.
 * @throws {RowError} for the first field that does not fit.
 */
export function recordValues(
  row: Record<string, unknown>,
  fields: readonly TableField[],
  prefix: string,
  ignoreUnknown: boolean,
): unknown[] {
  const byName = new Map(Object.entries(row).map(([name, value]) => [name.toLowerCase(), value]));
  if (!ignoreUnknown) {
    const known = new Set(fields.map((field) => field.name.toLowerCase()));
    for (const name of Object.keys(row))
      if (!known.has(name.toLowerCase())) throw new RowError(prefix + name, `no such field: ${prefix}${name}.`);
  }
  return fields.map((field) =>
    fieldValue(byName.get(field.name.toLowerCase()), field, prefix + field.name, ignoreUnknown),
  );
}
