/** Reads date and time by the `%` elements of PARSE_DATE, PARSE_TIMESTAMP and their like. */
import { isElementOf, isZoneElement } from './format-elements.ts';
import { daysInMonth, daysOf, isLeapYear, weekday } from './civil-date.ts';
import { checkedMicros, microsOf } from './clock-time.ts';
import { MONTH_NAMES, WEEKDAY_NAMES } from './strftime.ts';
import { instantOf } from './time-zone.ts';
import { ValueError } from './value-error.ts';

/** What a format may speak of; none of these has a zone. */
type Kind = 'date' | 'time' | 'datetime';

interface Parsed {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  micros: bigint;
  century?: number;
  yearOfCentury?: number;
  dayOfYear?: number;
  /** Of the year; weeks begin on weekday `from`, 0 = Sunday. */
  week?: { readonly number: number; readonly from: number };
  pm?: boolean;
  hour12?: number;
  epochSeconds?: bigint;
  zone?: string;
  offsetMicros?: bigint;
}

/** What an element stands for, when it is short for several. */
const COMPOSED: Readonly<Record<string, string>> = {
  c: '%a %b %e %H:%M:%S %Y',
  D: '%m/%d/%y',
  x: '%m/%d/%y',
  F: '%Y-%m-%d',
  R: '%H:%M',
  r: '%I:%M:%S %p',
  T: '%H:%M:%S',
  X: '%H:%M:%S',
};

class Reader {
  readonly text: string;
  at = 0;
  constructor(text: string) {
    this.text = text;
  }
  skipSpace(): void {
    while (/\s/.test(this.text[this.at] ?? '')) this.at++;
  }
  /** A number of at most `width` digits within bounds. */
  number(width: number, low: number, high: number): number {
    const digits = new RegExp(`^\\d{1,${width}}`).exec(this.text.slice(this.at, this.at + width))?.[0] ?? '';
    const value = Number(digits);
    if (digits === '' || value < low || value > high) throw mismatch(this.text);
    this.at += digits.length;
    return value;
  }
  match(pattern: RegExp): RegExpExecArray {
    const found = pattern.exec(this.text.slice(this.at, this.at + 64));
    if (!found) throw mismatch(this.text);
    this.at += found[0].length;
    return found;
  }
  /** The index of the name that stands here, in full or by its first three letters. */
  name(names: readonly string[]): number {
    const rest = this.text.slice(this.at).toLowerCase();
    const index = names.findIndex((name) => rest.startsWith(name.slice(0, 3).toLowerCase()));
    if (index < 0) throw mismatch(this.text);
    const full = (names[index] ?? '').toLowerCase();
    this.at += rest.startsWith(full) ? full.length : 3;
    return index;
  }
}

function mismatch(text: string): ValueError {
  return new ValueError(`Failed to parse input string "${text.slice(0, 100)}"`);
}

type Element = (reader: Reader) => Partial<Parsed>;

function secondsWithFraction(reader: Reader, digits: string): Partial<Parsed> {
  const second = reader.number(2, 0, 60);
  if (reader.text[reader.at] !== '.' || digits === '0') return { second };
  const limit = digits === '*' ? '12' : digits;
  const found = reader.match(new RegExp(`^\\.\\d{0,${limit}}`))[0].slice(1);
  return { second, micros: BigInt(found.slice(0, 6).padEnd(6, '0')) };
}

const offset: Element = (reader) => {
  if (/[zZ]/.test(reader.text[reader.at] ?? '')) {
    reader.at++;
    return { offsetMicros: 0n };
  }
  const found = reader.match(/^([+-])(\d{1,2}):?(\d{2})?/);
  const minutes = Number(found[2]) * 60 + Number(found[3] ?? 0);
  return { offsetMicros: BigInt(found[1] === '-' ? -minutes : minutes) * 60_000_000n };
};

/** Reads a number and keeps nothing of it: the date comes from other elements. */
const ignored =
  (width: number, low: number, high: number): Element =>
  (reader) => {
    reader.number(width, low, high);
    return {};
  };

const month: Element = (reader) => ({ month: reader.name(MONTH_NAMES) + 1 });
const meridiem: Element = (reader) => ({ pm: /p/i.test(reader.match(/^[aApP][mM]/)[0]) });
const space: Element = (reader) => {
  reader.skipSpace();
  return {};
};
const weekdayName: Element = (reader) => {
  reader.name(WEEKDAY_NAMES);
  return {};
};
const padded =
  (element: Element): Element =>
  (reader) => {
    reader.skipSpace();
    return element(reader);
  };
const day: Element = (reader) => ({ day: reader.number(2, 1, 31) });
const hour: Element = (reader) => ({ hour: reader.number(2, 0, 23) });
const hour12: Element = (reader) => ({ hour12: reader.number(2, 1, 12) });

const ELEMENTS: Readonly<Record<string, Element>> = {
  A: weekdayName,
  a: weekdayName,
  B: month,
  b: month,
  h: month,
  C: (reader) => ({ century: reader.number(2, 0, 99) }),
  d: day,
  e: padded(day),
  H: hour,
  I: hour12,
  j: (reader) => ({ dayOfYear: reader.number(3, 1, 366) }),
  k: padded(hour),
  l: padded(hour12),
  M: (reader) => ({ minute: reader.number(2, 0, 59) }),
  m: (reader) => ({ month: reader.number(2, 1, 12) }),
  n: space,
  t: space,
  P: meridiem,
  p: meridiem,
  S: (reader) => ({ second: reader.number(2, 0, 60) }),
  s: (reader) => ({ epochSeconds: BigInt(reader.match(/^-?\d{1,13}/)[0]) }),
  u: ignored(1, 1, 7),
  w: ignored(1, 0, 6),
  U: (reader) => ({ week: { number: reader.number(2, 0, 53), from: 0 } }),
  W: (reader) => ({ week: { number: reader.number(2, 0, 53), from: 1 } }),
  V: ignored(2, 1, 53),
  G: ignored(4, 0, 9999),
  g: ignored(2, 0, 99),
  Q: (reader) => ({ month: (reader.number(1, 1, 4) - 1) * 3 + 1 }),
  Y: (reader) => ({ year: reader.number(4, 0, 9999) }),
  y: (reader) => ({ yearOfCentury: reader.number(2, 0, 99) }),
  Z: (reader) => ({ zone: reader.match(/^[A-Za-z0-9_/+:-]+/)[0] }),
  z: offset,
  Ez: offset,
  E4Y: (reader) => ({ year: Number(reader.match(/^\d{4}/)[0]) }),
  '%': (reader) => {
    reader.match(/^%/);
    return {};
  },
};

function apply(format: string, reader: Reader, parsed: Parsed, only?: Kind): void {
  for (let at = 0; at < format.length; ) {
    const character = format[at] ?? '';
    if (/\s/.test(character)) {
      reader.skipSpace();
      at++;
    } else if (character !== '%') {
      if (reader.text[reader.at] !== character) throw mismatch(reader.text);
      reader.at++;
      at++;
    } else {
      const element = /^(E4Y|Ez|E[0-9*]S|[EO][A-Za-z]|[\s\S])/.exec(format.slice(at + 1))?.[0] ?? '';
      at += 1 + element.length;
      if (only !== undefined && (isZoneElement(element) || (only !== 'datetime' && !isElementOf(element, only))))
        throw new ValueError(`Invalid format: %${element} is not allowed for the ${only.toUpperCase()} type.`);
      const composed = COMPOSED[element];
      if (composed) apply(composed, reader, parsed, only);
      else if (/^E[0-9*]S$/.test(element)) Object.assign(parsed, secondsWithFraction(reader, element[1] ?? ''));
      else {
        const rule = ELEMENTS[element] ?? ELEMENTS[element.slice(1)];
        if (!rule) throw new ValueError(`Invalid format element %${element}`);
        Object.assign(parsed, rule(reader));
      }
    }
  }
}

function yearOf(parsed: Parsed): number {
  if (parsed.yearOfCentury !== undefined) {
    if (parsed.century !== undefined) return parsed.century * 100 + parsed.yearOfCentury;
    return parsed.yearOfCentury >= 69 ? 1900 + parsed.yearOfCentury : 2000 + parsed.yearOfCentury;
  }
  return parsed.century === undefined ? parsed.year : parsed.century * 100;
}

/** The first day of a week of the year; week 0 is what lies before the first whole one. */
function weekStart(year: number, { number, from }: { readonly number: number; readonly from: number }): number {
  const first = daysOf({ year, month: 1, day: 1 });
  const untilWeek = (from - weekday(first) + 7) % 7;
  return number === 0 ? first : first + untilWeek + 7 * (number - 1);
}

function dateOf(parsed: Parsed, text: string): number {
  const year = yearOf(parsed);
  if (year < 1 || year > 9999) throw mismatch(text);
  if (parsed.dayOfYear !== undefined) {
    if (parsed.dayOfYear > (isLeapYear(year) ? 366 : 365)) throw mismatch(text);
    return daysOf({ year, month: 1, day: 1 }) + parsed.dayOfYear - 1;
  }
  if (parsed.week !== undefined) return weekStart(year, parsed.week);
  if (parsed.day > daysInMonth(year, parsed.month)) throw mismatch(text);
  return daysOf({ year, month: parsed.month, day: parsed.day });
}

function hourOf(parsed: Parsed): number {
  const hour = parsed.hour12 === undefined ? parsed.hour : parsed.hour12 % 12;
  if (parsed.pm === undefined) return parsed.hour12 ?? parsed.hour;
  return (hour % 12) + (parsed.pm ? 12 : 0);
}

function parse(format: string, text: string, only?: Kind): Parsed {
  const reader = new Reader(text);
  const parsed: Parsed = { year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0, micros: 0n };
  reader.skipSpace();
  apply(format, reader, parsed, only);
  reader.skipSpace();
  if (reader.at < text.length) throw mismatch(text);
  return parsed;
}

function localMicros(parsed: Parsed, text: string): bigint {
  const seconds = BigInt(hourOf(parsed) * 3600 + parsed.minute * 60 + parsed.second);
  return microsOf(dateOf(parsed, text), seconds * 1_000_000n + parsed.micros);
}

/**
 * The local date-time that a text means; what the format does not mention is that of 1970-01-01 00:00:00.
 * @param only what is asked for; the format may not speak of anything else
 */
export function strptimeLocal(format: string, text: string, only?: Kind): bigint {
  const parsed = parse(format, text, only);
  return parsed.epochSeconds === undefined ? localMicros(parsed, text) : parsed.epochSeconds * 1_000_000n;
}

/** The instant that a text means; read in `zone` where the format has no zone of its own. */
export function strptimeInstant(format: string, text: string, zone = 'UTC'): bigint {
  const parsed = parse(format, text);
  if (parsed.epochSeconds !== undefined) return checkedMicros(parsed.epochSeconds * 1_000_000n, 'TIMESTAMP');
  const local = localMicros(parsed, text);
  const instant =
    parsed.offsetMicros === undefined ? instantOf(local, parsed.zone ?? zone) : local - parsed.offsetMicros;
  return checkedMicros(instant, 'TIMESTAMP');
}
