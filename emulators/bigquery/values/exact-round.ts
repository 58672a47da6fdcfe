/** ROUND and TRUNC of a FLOAT64 to a number of decimals, from all digits that the double has: 2.675 is below its spelling. */
import { doubleParts, nearestDouble } from './exact-statistics.ts';

/** Beyond it every digit of a double is kept. */
const MOST_DIGITS = 330n;
/** Below it nothing of a double is left. */
const LEAST_DIGITS = -310n;

/**
 * @param digits decimals that stay; below 0, places before the point that go
 * @param half what becomes of a half: away from zero, or all is cut off
 */
export function exactRound(value: number, digits: bigint, half: 'away' | 'truncate'): number {
  if (!Number.isFinite(value) || value === 0 || digits > MOST_DIGITS) return value;
  if (digits < LEAST_DIGITS) return 0;
  const { integer, exponent } = doubleParts(Math.abs(value));
  const scale = 10n ** (digits < 0n ? -digits : digits);
  const numerator = (integer << BigInt(Math.max(0, exponent))) * (digits > 0n ? scale : 1n);
  const denominator = (1n << BigInt(Math.max(0, -exponent))) * (digits > 0n ? 1n : scale);
  const cut = numerator / denominator;
  const up = half === 'away' && 2n * (numerator % denominator) >= denominator;
  const whole = up ? cut + 1n : cut;
  const rounded = digits > 0n ? nearestDouble(whole, scale, 0) : Number(whole * scale);
  return value < 0 ? -rounded : rounded;
}
