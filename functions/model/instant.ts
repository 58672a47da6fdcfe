/**
 * Reading instants as authors and events write them.
 */
import { epochMillis, type EpochMillis, isElementTimestamp } from './time.ts';

/** How authors may give an instant: epoch milliseconds, a `Date`, or text (see `utc`). */
export type Instant = number | Date | string;

/** The instant of what an author's function returned, or undefined when it is none. */
export function instant(value: Instant): EpochMillis | undefined {
  const at = typeof value === 'number' ? value : typeof value === 'string' ? utc(value) : value?.getTime?.();
  return isElementTimestamp(at) ? epochMillis(at) : undefined;
}

const TEXT =
  /^(\d{4})[-/](\d\d)[-/](\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?(Z| UTC|[+-]\d\d(?::?\d\d)?)?$/;
/** `YYYY-MM-DDTHH:MM:SS`, with or without a `Z`; and with `.mmmZ`. */
const SECONDS_LENGTH = 19;
const MILLIS_LENGTH = 24;
const ZERO = 48;
const Z = 90;
const COLON = 58;
const DOT = 46;

/** The day read last: event times of neighbours mostly share it. */
let lastDay = '';
let lastDayStart = Number.NaN;

/**
 * Reads a date and time as UTC unless it names another zone: `2001-01-31`, `2001-01-31 07:05`, `2001/01/31 07:05:01`,
 * `2001-01-31T07:05:01.250Z`, `…+01:00`, `…+01` (as databases write it), `… UTC` (as BigQuery exports it). Finer parts
 * than milliseconds are cut off. `NaN` when it is none of these, or before the year 100.
 */
export function utc(text: string): number {
  const plain = isPlain(text);
  if (plain && text.startsWith(lastDay) && lastDay !== '') {
    const seconds = secondsOfDay(text);
    const millis = text.length === MILLIS_LENGTH ? threeDigits(text, SECONDS_LENGTH + 1) : 0;
    if (seconds >= 0 && millis >= 0) return lastDayStart + seconds * 1000 + millis;
  }
  const at = parse(text);
  if (plain && !Number.isNaN(at)) {
    lastDay = text.slice(0, 11);
    lastDayStart = at - (((at % 86_400_000) + 86_400_000) % 86_400_000);
  }
  return at;
}

function isPlain(text: string): boolean {
  switch (text.length) {
    case SECONDS_LENGTH:
      // As long as `2001-01-31T07:05+01`.
      return text.charCodeAt(SECONDS_LENGTH - 3) === COLON;
    case SECONDS_LENGTH + 1:
      return text.charCodeAt(SECONDS_LENGTH) === Z;
    case MILLIS_LENGTH:
      return text.charCodeAt(SECONDS_LENGTH) === DOT && text.charCodeAt(MILLIS_LENGTH - 1) === Z;
    default:
      return false;
  }
}

/** The seconds of `…HH:MM:SS` at its place in the text, or -1 when it is not of that form. */
function secondsOfDay(text: string): number {
  if (text.charCodeAt(13) !== COLON || text.charCodeAt(16) !== COLON) return -1;
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  return hour < 24 && minute < 60 && second < 60 ? hour * 3600 + minute * 60 + second : -1;
}

/** Two digits as a number; 100 when they are none. */
function twoDigits(text: string, at: number): number {
  const tens = text.charCodeAt(at) - ZERO;
  const ones = text.charCodeAt(at + 1) - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : 100;
}

/** Three digits as a number; -1 when they are none. */
function threeDigits(text: string, at: number): number {
  const hundreds = text.charCodeAt(at) - ZERO;
  const rest = twoDigits(text, at + 1);
  return hundreds >= 0 && hundreds <= 9 && rest < 100 ? hundreds * 100 + rest : -1;
}

function parse(text: string): number {
  const match = TEXT.exec(text);
  if (match === null) return Number.NaN;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone] = match;
  const millisecond = fraction === '' ? 0 : Number(fraction.slice(0, 3).padEnd(3, '0'));
  const at = Date.UTC(+year!, +month! - 1, +day!, +hour, +minute, +second, millisecond);
  const isDay = +year! >= 100 && +month! >= 1 && +month! <= 12 && +day! >= 1 && new Date(at).getUTCDate() === +day!;
  return isDay && +hour < 24 && +minute < 60 && +second < 60 ? at - zoneOffset(zone) : Number.NaN;
}

function zoneOffset(zone: string | undefined): number {
  if (zone === undefined || zone === 'Z' || zone === ' UTC') return 0;
  const sign = zone.startsWith('-') ? -1 : 1;
  const minutes = zone.length > 3 ? Number(zone.slice(-2)) : 0;
  return sign * (Number(zone.slice(1, 3)) * 60 + minutes) * 60_000;
}
