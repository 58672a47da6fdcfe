/** FLOAT64 as text: GoogleSQL's CAST, and the Java spelling that BigQuery's REST answers carry. */
import { ValueError } from './value-error.ts';

/** C's `%.{precision}g`. */
export function formatG(value: number, precision: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [mantissa = '', exponentText = '0'] = value.toExponential(precision - 1).split('e');
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= precision) {
    const trimmed = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa;
    const digits = String(Math.abs(exponent)).padStart(2, '0');
    return `${trimmed}e${exponent < 0 ? '-' : '+'}${digits}`;
  }
  const fixed = value.toFixed(Math.max(0, precision - 1 - exponent));
  return fixed.includes('.') ? fixed.replace(/\.?0+$/, '') : fixed;
}

/** CAST(x AS STRING): 15 significant digits where they read back as the same number, else 17. */
export function formatFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const short = formatG(value, 15);
  return Number(short) === value ? short : formatG(value, 17);
}

/** Java's `Double.toString`, which is what a FLOAT64 looks like in BigQuery's answers: `1.0`, `1.5E10`. */
export function formatFloatWire(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  const magnitude = Math.abs(value);
  if (magnitude === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  if (magnitude >= 1e-3 && magnitude < 1e7) {
    const text = String(value);
    return text.includes('.') ? text : `${text}.0`;
  }
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  return `${mantissa.includes('.') ? mantissa : `${mantissa}.0`}E${exponent.replace('+', '')}`;
}

const FLOAT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Reads `1.5`, `-inf`, `nan`, `1e3`. */
export function parseFloat64(text: string): number {
  const trimmed = text.trim();
  if (FLOAT.test(trimmed)) {
    const value = Number(trimmed);
    if (Number.isFinite(value)) return value;
    throw new ValueError(`Bad double value: ${text.slice(0, 100)}`);
  }
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(trimmed);
  if (!special) throw new ValueError(`Bad double value: ${text.slice(0, 100)}`);
  if (/nan/i.test(trimmed)) return Number.NaN;
  return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** A finite, non-negative double as the fraction that it exactly is. */
export function exactRatio(value: number): { readonly numerator: bigint; readonly denominator: bigint } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponentBits = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = exponentBits === 0 ? fraction : fraction | 0x10000000000000n;
  const exponent = (exponentBits === 0 ? 1 : exponentBits) - 1075;
  return exponent >= 0
    ? { numerator: mantissa << BigInt(exponent), denominator: 1n }
    : { numerator: mantissa, denominator: 1n << BigInt(-exponent) };
}
