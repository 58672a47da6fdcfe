/** CAST of numbers to STRING by a format model such as `$9,999.00`: what its elements are, and how a number fills them. */
import { ValueError } from './value-error.ts';

/** A number as a fraction, since rounding has to see all of it. */
export interface Fraction {
  readonly negative: boolean;
  readonly numerator: bigint;
  readonly denominator: bigint;
  /** Ties go to the even neighbour, as FLOAT64's do; else away from zero. */
  readonly tiesToEven: boolean;
  /** In place of digits. */
  readonly name?: 'INF' | 'NAN';
}

interface Model {
  readonly sign: 'plain' | 'before' | 'after' | 'MI' | 'PR';
  readonly currency: string;
  readonly blankZero: boolean;
  /** Without spaces in front and zeros behind. */
  readonly compact: boolean;
  /** `9`, `0`, `X`, `x` and `,` before the point. */
  readonly whole: readonly string[];
  readonly decimals: readonly string[];
  /** `.`, or nothing where V multiplies. */
  readonly point: string;
  readonly scientific: boolean;
}

const ELEMENT = /MI|PR|EEEE|TM[9E]?|RN|FM|[09XSBV$LC.,DG]/giy;

/** Reads a model. @throws {ValueError} that says which element stands where it cannot */
function parseModel(text: string): Model {
  const refuse = (why: string): ValueError => new ValueError(`Error in format string: ${why}`);
  const whole: string[] = [];
  const decimals: string[] = [];
  let [sign, currency, point]: [Model['sign'], string, string | undefined] = ['plain', '', undefined];
  let [blankZero, compact, scientific] = [false, false, false];
  const digits = (): number => whole.length + decimals.length;
  ELEMENT.lastIndex = 0;
  for (let at = 0; at < text.length; at = ELEMENT.lastIndex) {
    const found = ELEMENT.exec(text)?.[0];
    if (found === undefined) throw refuse(`Invalid format element '${text.slice(at, at + 1)}'`);
    const element = found === 'x' ? found : found.toUpperCase();
    const only = (taken: boolean, names: string): void => {
      if (taken) throw refuse(`There can be at most one of ${names}`);
    };
    switch (element) {
      case '0':
      case '9':
      case 'X':
      case 'x':
        if (scientific) throw refuse(`'${element}' cannot appear after 'EEEE'`);
        (point === undefined ? whole : decimals).push(element);
        break;
      case ',':
      case 'G':
        if (point !== undefined) throw refuse(`',' or 'G' cannot appear after '.', 'D' or 'V'`);
        whole.push(',');
        break;
      case '.':
      case 'D':
      case 'V':
        only(point !== undefined, "'.', 'D', or 'V'");
        point = element === 'V' ? '' : '.';
        break;
      case '$':
      case 'L':
      case 'C':
        only(currency !== '', "'$', 'C' or 'L'");
        currency = element === 'C' ? 'USD' : '$';
        break;
      case 'S':
      case 'MI':
      case 'PR':
        only(sign !== 'plain', "'S', 'MI', or 'PR'");
        if (element !== 'S' && digits() === 0) throw refuse(`'${element}' can only appear after all digits`);
        sign = element === 'S' ? (digits() === 0 ? 'before' : 'after') : (element as 'MI' | 'PR');
        break;
      case 'B':
        only(blankZero, "'B'");
        blankZero = true;
        break;
      case 'FM':
        compact = true;
        break;
      case 'EEEE':
        if (digits() === 0 || scientific) throw refuse("Unexpected 'EEEE'");
        scientific = true;
        break;
      default:
        throw refuse(`'${element}' is not supported by this local BigQuery server`);
    }
  }
  if (!/[09X]/i.test([...whole, ...decimals].join('')))
    throw refuse("Format string must contain at least one of 'X', '0', '9'");
  if (/x/i.test(whole.join('')) && (/9/.test(whole.join('')) || point !== undefined))
    throw refuse("'X' cannot appear together with '9', '.', 'D' or 'V'");
  return { sign, currency, blankZero, compact, whole, decimals, point: point ?? '', scientific };
}

/** The number, times 10^decimals, as a whole one. */
function rounded({ numerator, denominator, tiesToEven }: Fraction, decimals: number, hex = false): bigint {
  const scaled = decimals < 0 ? numerator : numerator * 10n ** BigInt(decimals);
  const divisor = decimals < 0 ? denominator * 10n ** BigInt(-decimals) : denominator;
  const quotient = scaled / divisor;
  const twice = (scaled % divisor) * 2n;
  const up = twice > divisor || (twice === divisor && (hex || !tiesToEven || quotient % 2n === 1n));
  return up ? quotient + 1n : quotient;
}

/** Formats a number. What does not fit has `#` for every digit. */
export function formatNumber(number: Fraction, text: string): string {
  const model = parseModel(text);
  const body = model.scientific ? scientificBody(number, model) : plainBody(number, model);
  const width = widthOf(model);
  if (body === undefined) return ' '.repeat(width);
  return signed(model.currency + body, number, model, width);
}

/** Of all that the model may print, its sign included. */
function widthOf({ sign, currency, whole, decimals, point, scientific }: Model): number {
  const size = scientific ? 1 + decimals.length + 4 : whole.length + decimals.length;
  return size + point.length + currency.length + (sign === 'PR' ? 2 : 1);
}

function signed(body: string, { negative, name }: Fraction, { sign, compact }: Model, width: number): string {
  const plus = name === 'NAN' ? (compact ? '' : ' ') : '+';
  const text = {
    plain: `${negative ? '-' : compact ? '' : ' '}${body}`,
    before: `${negative ? '-' : plus}${body}`,
    after: `${body}${negative ? '-' : plus}`,
    MI: `${body}${negative ? '-' : compact ? '' : ' '}`,
    PR: negative ? `<${body}>` : compact ? body : ` ${body} `,
  }[sign];
  return compact ? text : text.padStart(width);
}

const overflow = (elements: readonly string[]): string => elements.map((one) => (one === ',' ? ',' : '#')).join('');

/** @returns undefined where all of it is blank */
function plainBody(number: Fraction, model: Model): string | undefined {
  const { whole, decimals, point, blankZero, compact } = model;
  const places = whole.filter((element) => element !== ',');
  const hex = places.find((element) => /x/i.test(element));
  const value = rounded(number, decimals.length, hex !== undefined);
  const unit = 10n ** BigInt(decimals.length);
  const integer = value / unit;
  const digits = integer === 0n ? '' : hex === undefined ? String(integer) : inHex(integer, hex);
  if (
    number.name !== undefined ? hex !== undefined || number.name.length > places.length : digits.length > places.length
  )
    return `${overflow(whole)}${point}${overflow(decimals)}`;
  if (number.name !== undefined) return number.name + (compact ? '' : ' '.repeat(point.length + decimals.length));
  if (blankZero && integer === 0n) return undefined;
  const firstZero = places.indexOf('0');
  let behind = decimals.length === 0 ? '' : String(value % unit).padStart(decimals.length, '0');
  if (compact) behind = behind.replace(/0+$/, '');
  const least = Math.max(firstZero < 0 ? 0 : places.length - firstZero, behind === '' ? 1 : 0);
  return `${grouped(digits.padStart(least, '0'), whole)}${point}${behind}`;
}

function inHex(integer: bigint, element: string): string {
  const digits = integer.toString(16);
  return element === 'X' ? digits.toUpperCase() : digits;
}

/** Digits from the right into their places; a comma only where a digit stands before it. */
function grouped(digits: string, whole: readonly string[]): string {
  let text = '';
  let left = digits.length;
  for (const element of [...whole].reverse()) {
    if (left === 0) break;
    text = (element === ',' ? ',' : digits[--left]) + text;
  }
  return text;
}

function scientificBody(number: Fraction, { whole, decimals, point }: Model): string {
  if (number.name !== undefined) return number.name;
  if (whole.length === 0) return `${point}${overflow(decimals)}####`;
  let exponent = number.numerator === 0n ? 0 : String(number.numerator).length - String(number.denominator).length;
  if (number.numerator !== 0n && rounded({ ...number, tiesToEven: true }, 20 - exponent) < 10n ** 20n) exponent -= 1;
  let mantissa = String(rounded(number, decimals.length - exponent));
  if (mantissa.length > decimals.length + 1) {
    exponent += 1;
    mantissa = mantissa.slice(0, -1);
  }
  mantissa = mantissa.padStart(decimals.length + 1, '0');
  const power = String(Math.abs(exponent)).padStart(2, '0');
  return `${mantissa.slice(0, 1)}${point}${mantissa.slice(1)}E${exponent < 0 ? '-' : '+'}${power}`;
}
