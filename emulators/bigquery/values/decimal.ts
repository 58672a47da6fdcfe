/**
 * NUMERIC and BIGNUMERIC as integers: a value times ten to its scale, 9 for NUMERIC, `BIGNUMERIC_SCALE` for BIGNUMERIC.
 * All rounding is half away from zero. BigQuery's BIGNUMERIC keeps 38 decimals; what does not fit the decimals kept here is
 * refused with a sentence, never rounded in silence.
 */
import { BIGNUMERIC_SCALE, NUMERIC_SCALE } from '../types/storage.ts';
import { exactRatio } from './float.ts';
import { ValueError } from './value-error.ts';

export type DecimalType = 'NUMERIC' | 'BIGNUMERIC';

/** Largest unscaled magnitude: 38 digits, for both types here. */
const MAX_UNSCALED = 10n ** 38n - 1n;

export function scaleOf(type: DecimalType): number {
  return type === 'NUMERIC' ? NUMERIC_SCALE : BIGNUMERIC_SCALE;
}

function powerOfTen(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

/** Division rounded half away from zero. */
export function divideRounded(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  const rest = numerator % denominator;
  const twice = (rest < 0n ? -rest : rest) * 2n;
  if (twice < (denominator < 0n ? -denominator : denominator)) return quotient;
  return numerator < 0n === denominator < 0n ? quotient + 1n : quotient - 1n;
}

/** @throws {ValueError} when the magnitude has more digits than the type. */
export function checkedDecimal(unscaled: bigint, type: DecimalType, what: string): bigint {
  if (unscaled > MAX_UNSCALED || unscaled < -MAX_UNSCALED) {
    const note =
      type === 'BIGNUMERIC' ? ` (this local server keeps ${38 - BIGNUMERIC_SCALE} digits before the point)` : '';
    throw new ValueError(`${type.toLowerCase()} overflow: ${what}${note}`);
  }
  return unscaled;
}

/** `numerator / denominator` at the type's scale: rounded for NUMERIC, refused for BIGNUMERIC where it does not come out even. */
export function ratio(numerator: bigint, denominator: bigint, type: DecimalType, what: string): bigint {
  if (type === 'BIGNUMERIC' && numerator % denominator !== 0n) {
    throw new ValueError(
      `${what} needs more than ${BIGNUMERIC_SCALE} decimals: this local server's BIGNUMERIC keeps no more`,
    );
  }
  return checkedDecimal(divideRounded(numerator, denominator), type, what);
}

export function multiplyDecimal(a: bigint, b: bigint, type: DecimalType): bigint {
  return ratio(
    a * b,
    powerOfTen(scaleOf(type)),
    type,
    `${formatDecimal(a, scaleOf(type))} * ${formatDecimal(b, scaleOf(type))}`,
  );
}

export function divideDecimal(a: bigint, b: bigint, type: DecimalType): bigint {
  const what = `${formatDecimal(a, scaleOf(type))} / ${formatDecimal(b, scaleOf(type))}`;
  if (b === 0n) throw new ValueError(`division by zero: ${what}`);
  return ratio(a * powerOfTen(scaleOf(type)), b, type, what);
}

/** Shortest decimal notation: no zeros at the end, no point when whole. */
export function formatDecimal(unscaled: bigint, scale: number): string {
  const negative = unscaled < 0n;
  const digits = (negative ? -unscaled : unscaled).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  return `${negative ? '-' : ''}${whole}${fraction ? `.${fraction}` : ''}`;
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** Reads `-1.5`, `.5`, `1e3`. Digits beyond the type's scale are rounded. */
export function parseDecimal(text: string, type: DecimalType): bigint {
  const match = DECIMAL.exec(text.trim());
  const whole = match?.[2] ?? '';
  const fraction = match?.[3] ?? '';
  const exponent = Number(match?.[4] ?? 0);
  const digits = whole + fraction;
  if (!match || digits === '' || Math.abs(exponent) > 1000)
    throw new ValueError(`Invalid ${type} value: ${text.slice(0, 100)}`);
  const shift = scaleOf(type) + exponent - fraction.length;
  const magnitude = BigInt(digits);
  const scaled = shift >= 0 ? magnitude * powerOfTen(shift) : ratio(magnitude, powerOfTen(-shift), type, text.trim());
  return checkedDecimal(match[1] === '-' ? -scaled : scaled, type, text.trim());
}

/** The exact value of a double, rounded to the type's scale. */
export function decimalFromDouble(value: number, type: DecimalType): bigint {
  if (!Number.isFinite(value))
    throw new ValueError(`Illegal conversion of non-finite floating point number to ${type.toLowerCase()}: ${value}`);
  const { numerator, denominator } = exactRatio(Math.abs(value));
  const signed = value < 0 ? -numerator : numerator;
  return ratio(signed * powerOfTen(scaleOf(type)), denominator, type, String(value));
}

/** The double nearest to a decimal. */
export function doubleFromDecimal(unscaled: bigint, scale: number): number {
  return Number(formatDecimal(unscaled, scale));
}

/** Rounds to so many decimals (may be negative), half away from zero or, with `'even'`, half to even. */
export function roundDecimal(
  unscaled: bigint,
  scale: number,
  digits: number,
  half: 'away' | 'even' | 'truncate' = 'away',
): bigint {
  if (digits >= scale) return unscaled;
  const unit = powerOfTen(Math.min(scale - digits, 60));
  if (half === 'truncate') return (unscaled / unit) * unit;
  const rest = unscaled % unit;
  if (half === 'even' && (rest < 0n ? -rest : rest) * 2n === unit) {
    const quotient = unscaled / unit;
    return (quotient % 2n === 0n ? quotient : quotient + (unscaled < 0n ? -1n : 1n)) * unit;
  }
  return divideRounded(unscaled, unit) * unit;
}
