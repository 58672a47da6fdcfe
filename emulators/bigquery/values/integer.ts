/** INT64: reading and the range. */
import { ValueError } from './value-error.ts';

export const MIN_INT64 = -(2n ** 63n);
export const MAX_INT64 = 2n ** 63n - 1n;

/** @throws {ValueError} outside 64 bits; `what` is the computation, `1 + 2`. */
export function checkedInt64(value: bigint, what: string): bigint {
  if (value < MIN_INT64 || value > MAX_INT64) throw new ValueError(`int64 overflow: ${what}`);
  return value;
}

/** Reads decimal or hexadecimal digits with an optional sign. */
export function parseInt64(text: string): bigint {
  const match = /^([+-]?)(0[xX][0-9a-fA-F]+|\d+)$/.exec(text.trim());
  if (!match) throw new ValueError(`Bad int64 value: ${text.slice(0, 100)}`);
  const magnitude = BigInt(match[2] ?? '');
  const value = match[1] === '-' ? -magnitude : magnitude;
  if (value < MIN_INT64 || value > MAX_INT64) throw new ValueError(`Bad int64 value: ${text.slice(0, 100)}`);
  return value;
}

/** A double rounded half away from zero. */
export function int64FromDouble(value: number): bigint {
  if (!Number.isFinite(value))
    throw new ValueError(`Illegal conversion of non-finite floating point number to an integer: ${value}`);
  const rounded = Math.sign(value) * Math.round(Math.abs(value));
  const result = BigInt(Math.abs(value) >= 2 ** 52 ? value : rounded);
  return checkedInt64(result, String(value));
}

/** True when an integer has 64 bits. */
export function isInt64(value: bigint): boolean {
  return value >= MIN_INT64 && value <= MAX_INT64;
}
