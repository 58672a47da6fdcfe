/** CAST(… FORMAT '…') for dates and times: `YYYY-MM-DD HH24:MI:SS` and their like, both ways. */
import { civilOf, dayOfYear, daysInMonth, daysOf, weekday } from './civil-date.ts';
import { dayOfMicros, floorModulo, microsOf, timeOfMicros } from './clock-time.ts';
import type { Moment } from './strftime.ts';
import { MONTH_NAMES, WEEKDAY_NAMES } from './strftime.ts';
import { formatOffset, instantOf } from './time-zone.ts';
import { ValueError } from './value-error.ts';

/** Longest first, so that HH24 is not read as HH and 24. */
const ELEMENT =
  /YYYY|YYY|YY|Y|RRRR|RR|MONTH|MON|MM|MI|DDD|DD|DAY|DY|D|HH24|HH12|HH|SSSSS|SS|FF[1-9]|A\.M\.|P\.M\.|AM|PM|TZH|TZM|"(?:[^"\\]|\\.)*"|[-./,';:\s]/iy;

interface Token {
  /** Upper case; a literal text begins with a quote. */
  readonly element: string;
  readonly written: string;
}

const models = new Map<string, readonly Token[]>();

function tokensOf(model: string): readonly Token[] {
  const known = models.get(model);
  if (known) return known;
  const tokens: Token[] = [];
  ELEMENT.lastIndex = 0;
  while (ELEMENT.lastIndex < model.length) {
    const at = ELEMENT.lastIndex;
    const written = ELEMENT.exec(model)?.[0];
    if (written === undefined)
      throw new ValueError(`Cannot find matched format element at ${at} in FORMAT '${model.slice(0, 100)}'`);
    tokens.push({ element: written.startsWith('"') ? written : written.toUpperCase(), written });
  }
  if (models.size > 500) models.clear();
  models.set(model, tokens);
  return tokens;
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

/** A name in the case in which the element is written: MONTH, Month, month. */
function cased(name: string, written: string): string {
  if (written === written.toUpperCase()) return name.toUpperCase();
  return written === written.toLowerCase() ? name.toLowerCase() : name;
}

function literal(written: string): string {
  return written.slice(1, -1).replaceAll(/\\(.)/g, '$1');
}

function formatToken({ element, written }: Token, moment: Moment): string {
  const days = dayOfMicros(moment.localMicros);
  const { year, month, day } = civilOf(days);
  const seconds = Number(timeOfMicros(moment.localMicros) / 1_000_000n);
  const hour = Math.floor(seconds / 3600);
  switch (element) {
    case 'YYYY':
    case 'RRRR':
      return pad(year, 4);
    case 'YYY':
      return pad(year % 1000, 3);
    case 'YY':
    case 'RR':
      return pad(year % 100, 2);
    case 'Y':
      return String(year % 10);
    case 'MONTH':
      return cased(MONTH_NAMES[month - 1] ?? '', written);
    case 'MON':
      return cased((MONTH_NAMES[month - 1] ?? '').slice(0, 3), written);
    case 'MM':
      return pad(month, 2);
    case 'DAY':
      return cased(WEEKDAY_NAMES[weekday(days)] ?? '', written);
    case 'DY':
      return cased((WEEKDAY_NAMES[weekday(days)] ?? '').slice(0, 3), written);
    case 'D':
      return String(weekday(days) + 1);
    case 'DD':
      return pad(day, 2);
    case 'DDD':
      return pad(dayOfYear(days), 3);
    case 'HH':
    case 'HH12':
      return pad(((hour + 11) % 12) + 1, 2);
    case 'HH24':
      return pad(hour, 2);
    case 'MI':
      return pad(Math.floor(seconds / 60) % 60, 2);
    case 'SS':
      return pad(seconds % 60, 2);
    case 'SSSSS':
      return pad(seconds, 5);
    case 'AM':
    case 'PM':
      return cased(hour < 12 ? 'AM' : 'PM', written);
    case 'A.M.':
    case 'P.M.':
      return cased(hour < 12 ? 'A.M.' : 'P.M.', written);
    case 'TZH':
      return formatOffset(moment.zone?.offsetMicros ?? 0n).slice(0, 3);
    case 'TZM':
      return formatOffset(moment.zone?.offsetMicros ?? 0n).slice(4) || '00';
  }
  if (element.startsWith('"')) return literal(written);
  if (element.startsWith('FF'))
    return String(floorModulo(moment.localMicros, 1_000_000n))
      .padStart(6, '0')
      .padEnd(9, '0')
      .slice(0, Number(element[2]));
  return written;
}

/** Kinds of elements that a type has no value for. */
const DATE_ONLY = /^(Y|R|M(?!I)|D)/;
const TIME_ONLY = /^(HH|MI|SS|FF|A|P)/;

export type FormattedType = 'DATE' | 'TIME' | 'DATETIME' | 'TIMESTAMP';

function checkTokens(tokens: readonly Token[], type: FormattedType, model: string): void {
  for (const { element } of tokens) {
    const wrong =
      (type === 'DATE' && TIME_ONLY.test(element)) ||
      (type === 'TIME' && DATE_ONLY.test(element)) ||
      (type !== 'TIMESTAMP' && element.startsWith('TZ'));
    if (wrong)
      throw new ValueError(`${type} does not support the format element ${element} of FORMAT '${model.slice(0, 100)}'`);
  }
}

export function formatByModel(model: string, moment: Moment, type: FormattedType): string {
  const tokens = tokensOf(model);
  checkTokens(tokens, type, model);
  return tokens.map((token) => formatToken(token, moment)).join('');
}

interface Parts {
  year?: number;
  month?: number;
  day?: number;
  dayOfYear?: number;
  hour?: number;
  hour12?: number;
  pm?: boolean;
  minute?: number;
  second?: number;
  secondOfDay?: number;
  micros?: bigint;
  zoneHours?: string;
  zoneMinutes?: number;
}

class Cursor {
  readonly text: string;
  at = 0;
  constructor(text: string) {
    this.text = text;
  }
  fail(): ValueError {
    return new ValueError(`Failed to parse input string "${this.text.slice(0, 100)}"`);
  }
  take(pattern: RegExp): string {
    const found = pattern.exec(this.text.slice(this.at))?.[0];
    if (found === undefined) throw this.fail();
    this.at += found.length;
    return found;
  }
  name(names: readonly string[], length?: number): number {
    const rest = this.text.slice(this.at).toLowerCase();
    const index = names.findIndex((name) => rest.startsWith(name.slice(0, length).toLowerCase()));
    if (index < 0) throw this.fail();
    this.at += (names[index] ?? '').slice(0, length).length;
    return index;
  }
}

/** Two digits of a year as RR reads them: in the century nearest to now. */
function nearYear(twoDigits: number, currentYear: number): number {
  const century = Math.floor(currentYear / 100) * 100;
  const nowLate = currentYear % 100 >= 50;
  if (twoDigits < 50) return nowLate ? century + 100 + twoDigits : century + twoDigits;
  return nowLate ? century + twoDigits : century - 100 + twoDigits;
}

function parseToken({ element, written }: Token, cursor: Cursor, parts: Parts, currentYear: number): void {
  const number = (width: number) => Number(cursor.take(new RegExp(`^\\d{1,${width}}`)));
  switch (element) {
    case 'YYYY':
      parts.year = Number(cursor.take(/^\d{1,5}/));
      return;
    case 'RRRR':
    case 'RR': {
      const text = cursor.take(element === 'RR' ? /^\d{1,2}/ : /^\d{1,4}/);
      parts.year = text.length <= 2 ? nearYear(Number(text), currentYear) : Number(text);
      return;
    }
    case 'YYY':
    case 'YY':
    case 'Y': {
      const unit = 10 ** element.length;
      parts.year = Math.floor(currentYear / unit) * unit + number(element.length);
      return;
    }
    case 'MONTH':
      parts.month = cursor.name(MONTH_NAMES) + 1;
      return;
    case 'MON':
      parts.month = cursor.name(MONTH_NAMES, 3) + 1;
      return;
    case 'MM':
      parts.month = number(2);
      return;
    case 'DD':
      parts.day = number(2);
      return;
    case 'DDD':
      parts.dayOfYear = number(3);
      return;
    case 'HH':
    case 'HH12':
      parts.hour12 = number(2);
      return;
    case 'HH24':
      parts.hour = number(2);
      return;
    case 'MI':
      parts.minute = number(2);
      return;
    case 'SS':
      parts.second = number(2);
      return;
    case 'SSSSS':
      parts.secondOfDay = number(5);
      return;
    case 'AM':
    case 'PM':
      parts.pm = /p/i.test(cursor.take(/^[ap]m/i));
      return;
    case 'A.M.':
    case 'P.M.':
      parts.pm = /p/i.test(cursor.take(/^[ap]\.m\./i));
      return;
    case 'TZH':
      parts.zoneHours = cursor.take(/^[-+ ]?\d{1,2}/);
      return;
    case 'TZM':
      parts.zoneMinutes = number(2);
      return;
  }
  if (element.startsWith('FF'))
    parts.micros = BigInt(
      cursor
        .take(new RegExp(`^\\d{1,${element[2]}}`))
        .padEnd(6, '0')
        .slice(0, 6),
    );
  else if (element.startsWith('"')) cursor.at = matchText(cursor, literal(written));
  else if (/^\s$/.test(element)) cursor.take(/^\s*/);
  else if (/^[-./,';:]$/.test(element)) cursor.at = matchText(cursor, written);
  else throw new ValueError(`The format element ${element} cannot be used to read a value`);
}

function matchText(cursor: Cursor, text: string): number {
  if (!cursor.text.startsWith(text, cursor.at)) throw cursor.fail();
  return cursor.at + text.length;
}

function dayOf(parts: Parts, currentYear: number, currentMonth: number, cursor: Cursor): number {
  const year = parts.year ?? currentYear;
  if (year < 1 || year > 9999) throw cursor.fail();
  if (parts.dayOfYear !== undefined) return daysOf({ year, month: 1, day: 1 }) + parts.dayOfYear - 1;
  const month = parts.month ?? currentMonth;
  const day = parts.day ?? 1;
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) throw cursor.fail();
  return daysOf({ year, month, day });
}

function timeOf(parts: Parts, cursor: Cursor): bigint {
  if (parts.secondOfDay !== undefined) return BigInt(parts.secondOfDay) * 1_000_000n + (parts.micros ?? 0n);
  const hour = parts.hour ?? (parts.hour12 === undefined ? 0 : (parts.hour12 % 12) + (parts.pm ? 12 : 0));
  const { minute = 0, second = 0 } = parts;
  if (hour > 23 || minute > 59 || second > 59) throw cursor.fail();
  return BigInt(hour * 3600 + minute * 60 + second) * 1_000_000n + (parts.micros ?? 0n);
}

/** Reads a text by a model into local microseconds, or an instant for TIMESTAMP. What is not given is that of the present month. */
export function parseByModel(
  model: string,
  text: string,
  type: FormattedType,
  now: { readonly year: number; readonly month: number },
  zone = 'UTC',
): bigint {
  const tokens = tokensOf(model);
  checkTokens(tokens, type, model);
  const cursor = new Cursor(text);
  const parts: Parts = {};
  cursor.take(/^\s*/);
  for (const token of tokens) parseToken(token, cursor, parts, now.year);
  cursor.take(/^\s*/);
  if (cursor.at < text.length) throw cursor.fail();
  const time = timeOf(parts, cursor);
  if (type === 'TIME') return time;
  const local = microsOf(dayOf(parts, now.year, now.month, cursor), time);
  if (type !== 'TIMESTAMP') return local;
  if (parts.zoneHours === undefined) return instantOf(local, zone);
  const negative = parts.zoneHours.startsWith('-');
  const minutes = Math.abs(Number(parts.zoneHours.trim())) * 60 + (parts.zoneMinutes ?? 0);
  return local - BigInt(negative ? -minutes : minutes) * 60_000_000n;
}
