/** FORMAT: C's printf with GoogleSQL's `%t`, `%T`, `%p` and `'`. */
import { type Type, typeName } from '../types/type.ts';
import { formatDecimal, scaleOf } from './decimal.ts';
import { exactRatio, formatG } from './float.ts';
import { parseJson, type JsonValue, writeJson } from './json-text.ts';
import { displayText, literalText } from './literal-text.ts';
import { characterLength, sliceCharacters } from './text.ts';
import { ValueError } from './value-error.ts';

const DIRECTIVE = /%([-+ #0']*)(\*|\d+)?(?:\.(\*|-?\d*))?([a-zA-Z%])/g;

/** Widest field and longest precision taken: more is a mistake, or an attack on memory. */
const MAX_WIDTH = 100_000;

interface Directive {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
  readonly conversion: string;
}

function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

function sign(negative: boolean, flags: string): string {
  if (negative) return '-';
  return flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
}

function padded(text: string, { flags, width }: Directive, zeroAfter = -1): string {
  const missing = width - characterLength(text);
  if (missing <= 0) return text;
  if (flags.includes('-')) return text + ' '.repeat(missing);
  if (zeroAfter >= 0 && flags.includes('0'))
    return text.slice(0, zeroAfter) + '0'.repeat(missing) + text.slice(zeroAfter);
  return ' '.repeat(missing) + text;
}

function formatInteger(value: bigint, directive: Directive): string {
  const { flags, conversion, precision } = directive;
  const negative = value < 0n;
  const magnitude = negative ? -value : value;
  const base = conversion === 'o' ? 8 : conversion === 'x' || conversion === 'X' ? 16 : 10;
  let digits = magnitude.toString(base);
  if (conversion === 'X') digits = digits.toUpperCase();
  if (precision !== undefined) digits = digits.padStart(precision, '0');
  if (flags.includes("'") && base === 10) digits = grouped(digits);
  const radix = flags.includes('#') && magnitude !== 0n ? (base === 16 ? `0${conversion}` : base === 8 ? '0' : '') : '';
  const lead = sign(negative, flags) + radix;
  return padded(lead + digits, directive, precision === undefined ? lead.length : -1);
}

function exponential(value: number, precision: number): string {
  return value.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2');
}

function generalFormat(value: number, precision: number): string {
  return formatG(value, precision === 0 ? 1 : precision);
}

/** The digits of an unsigned decimal, rounded half away from zero. */
function decimalDigits(unscaled: bigint, scale: number, precision: number): string {
  const shift = 10n ** BigInt(Math.abs(scale - precision));
  const rounded = precision >= scale ? unscaled * shift : (unscaled + shift / 2n) / shift;
  return decimalPoint(rounded, precision);
}

function formatReal(value: unknown, type: Type, directive: Directive): string {
  const { flags, conversion } = directive;
  const precision = directive.precision ?? 6;
  const lower = conversion.toLowerCase();
  let negative: boolean;
  let digits: string;
  if (type.kind === 'NUMERIC' || type.kind === 'BIGNUMERIC') {
    const unscaled = value as bigint;
    negative = unscaled < 0n;
    const magnitude = negative ? -unscaled : unscaled;
    const scale = scaleOf(type.kind);
    const asNumber = Number(formatDecimal(magnitude, scale));
    digits =
      lower === 'f'
        ? decimalDigits(magnitude, scale, precision)
        : lower === 'e'
          ? exponential(asNumber, precision)
          : generalFormat(asNumber, precision);
  } else {
    const number = Number(value);
    if (!Number.isFinite(number)) {
      const text = Number.isNaN(number) ? 'nan' : `${sign(number < 0, flags)}inf`;
      return padded(conversion === lower ? text : text.toUpperCase(), directive);
    }
    negative = number < 0 || Object.is(number, -0);
    const magnitude = Math.abs(number);
    digits =
      lower === 'f'
        ? fixed(magnitude, precision)
        : lower === 'e'
          ? exponential(magnitude, precision)
          : generalFormat(magnitude, precision);
  }
  if (flags.includes("'")) digits = digits.replace(/^\d+/, grouped);
  const lead = sign(negative, flags);
  const text = lead + digits;
  return padded(conversion === lower ? text : text.toUpperCase(), directive, lead.length);
}

/** The double's exact value at so many decimals, ties to even as C does (JavaScript's toFixed rounds them up). */
function fixed(value: number, precision: number): string {
  const { numerator, denominator } = exactRatio(value);
  const scaled = numerator * 10n ** BigInt(precision);
  const quotient = scaled / denominator;
  const twice = (scaled % denominator) * 2n;
  const up = twice > denominator || (twice === denominator && quotient % 2n === 1n);
  return decimalPoint(up ? quotient + 1n : quotient, precision);
}

function decimalPoint(digits: bigint, places: number): string {
  const text = digits.toString().padStart(places + 1, '0');
  return places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`;
}

function pretty(value: JsonValue, indent: string): string {
  if (Array.isArray(value) && value.length > 0) {
    return `[\n${value.map((item) => `${indent}  ${pretty(item, `${indent}  `)}`).join(',\n')}\n${indent}]`;
  }
  if (value instanceof Map && value.size > 0) {
    const members = [...value].map(
      ([name, item]) => `${indent}  ${JSON.stringify(name)}: ${pretty(item, `${indent}  `)}`,
    );
    return `{\n${members.join(',\n')}\n${indent}}`;
  }
  return writeJson(value);
}

function convert(value: unknown, type: Type, directive: Directive): string {
  const { conversion, precision } = directive;
  const lower = conversion.toLowerCase();
  const cut = (text: string) => (precision === undefined ? text : sliceCharacters(text, 0, precision));
  if (conversion === 't') return padded(cut(displayText(value, type)), directive);
  if (conversion === 'T') return padded(cut(literalText(value, type)), directive);
  if ('dioxX'.includes(conversion) && type.kind === 'INT64') return formatInteger(value as bigint, directive);
  if ('feg'.includes(lower) && (type.kind === 'FLOAT64' || type.kind === 'NUMERIC' || type.kind === 'BIGNUMERIC'))
    return formatReal(value, type, directive);
  if (conversion === 's' && (type.kind === 'STRING' || type.kind === 'DATE' || type.kind === 'TIMESTAMP'))
    return padded(cut(displayText(value, type)), directive);
  if (lower === 'p' && type.kind === 'JSON') {
    const json = parseJson(value as string);
    return padded(conversion === 'p' ? writeJson(json) : pretty(json, ''), directive);
  }
  throw new ValueError(`Invalid type for argument of FORMAT's %${conversion}: ${typeName(type)}`);
}

/** FORMAT(format, …). A NULL argument makes the result NULL, except for `%t` and `%T`, which show it. */
export function printf(format: string, types: readonly Type[], values: readonly unknown[]): string | null {
  let next = 0;
  let isNull = false;
  const take = (): { value: unknown; type: Type } => {
    const type = types[next];
    if (!type) throw new ValueError(`Too few arguments to FORMAT for pattern "${format.slice(0, 100)}"`);
    return { value: values[next++] ?? null, type };
  };
  const size = (text: string | undefined): number | undefined => {
    if (text === undefined) return undefined;
    if (text !== '*') return bounded(Number(text));
    const { value, type } = take();
    if (type.kind !== 'INT64') throw new ValueError('FORMAT needs an INT64 for "*"');
    if (value === null) isNull = true;
    return bounded(Number(value ?? 0));
  };
  const text = format.replace(
    DIRECTIVE,
    (_, flags: string, width: string | undefined, precision: string | undefined, conversion: string) => {
      if (conversion === '%') return '%';
      const wide = size(width) ?? 0;
      const directive: Directive = {
        flags: wide < 0 ? `${flags}-` : flags,
        width: Math.abs(wide),
        precision: size(precision),
        conversion,
      };
      const { value, type } = take();
      if (value === null && conversion !== 't' && conversion !== 'T') {
        isNull = true;
        return '';
      }
      return convert(value, type, directive);
    },
  );
  if (next < types.length) throw new ValueError(`Too many arguments to FORMAT for pattern "${format.slice(0, 100)}"`);
  return isNull ? null : text;
}

function bounded(size: number): number {
  if (Math.abs(size) > MAX_WIDTH) throw new ValueError(`FORMAT takes no width or precision above ${MAX_WIDTH}`);
  return size;
}
