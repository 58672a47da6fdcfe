/** Date and time as text by the `%` elements of FORMAT_DATE, FORMAT_TIMESTAMP and their like. */
import { isElementOf, isZoneElement } from './format-elements.ts';
import { civilOf, dayOfYear, isoWeek, isoYear, weekday, weekOfYear } from './civil-date.ts';
import { dayOfMicros, floorDivide, floorModulo, timeOfMicros } from './clock-time.ts';
import { formatOffset } from './time-zone.ts';

export const MONTH_NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;
export const WEEKDAY_NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;

/** What is formatted: a local date-time, and the zone it is shown in where it has one. */
export interface Moment {
  readonly localMicros: bigint;
  readonly zone?: { readonly name: string; readonly offsetMicros: bigint };
  /** What of it there is, where that is not all: elements of the rest stay as they are. */
  readonly only?: 'date' | 'time';
}

/** Whether an element, without what modifies it, has something to show. */
function applies(element: string, { only, zone }: Moment): boolean {
  if (isZoneElement(element)) return zone !== undefined;
  return only === undefined || isElementOf(element, only);
}

function pad(value: number, width = 2, fill = '0'): string {
  return String(value).padStart(width, fill);
}

/** `+0530` or, with a colon, `+05:30`. */
function offsetText(offsetMicros: bigint, colon: boolean): string {
  const [hours = '+00', minutes = '00'] = formatOffset(offsetMicros).split(':');
  return `${hours}${colon ? ':' : ''}${minutes}`;
}

type Element = (moment: Moment, days: number, seconds: number) => string;

const hour12 = (seconds: number) => ((Math.floor(seconds / 3600) + 11) % 12) + 1;
const hour = (seconds: number) => Math.floor(seconds / 3600);
const utcSeconds = (moment: Moment) => floorDivide(moment.localMicros - (moment.zone?.offsetMicros ?? 0n), 1_000_000n);

const ELEMENTS: Readonly<Record<string, Element>> = {
  A: (_, days) => WEEKDAY_NAMES[weekday(days)] ?? '',
  a: (_, days) => (WEEKDAY_NAMES[weekday(days)] ?? '').slice(0, 3),
  B: (_, days) => MONTH_NAMES[civilOf(days).month - 1] ?? '',
  b: (_, days) => (MONTH_NAMES[civilOf(days).month - 1] ?? '').slice(0, 3),
  h: (_, days) => (MONTH_NAMES[civilOf(days).month - 1] ?? '').slice(0, 3),
  C: (_, days) => pad(Math.floor(civilOf(days).year / 100)),
  c: (moment) => strftime('%a %b %e %H:%M:%S %Y', moment),
  D: (moment) => strftime('%m/%d/%y', moment),
  d: (_, days) => pad(civilOf(days).day),
  e: (_, days) => pad(civilOf(days).day, 2, ' '),
  F: (moment) => strftime('%Y-%m-%d', moment),
  G: (_, days) => String(isoYear(days).year),
  g: (_, days) => pad(isoYear(days).year % 100),
  H: (_, __, seconds) => pad(hour(seconds)),
  I: (_, __, seconds) => pad(hour12(seconds)),
  J: (_, days) => pad(days - isoYear(days).start + 1, 3),
  j: (_, days) => pad(dayOfYear(days), 3),
  k: (_, __, seconds) => pad(hour(seconds), 2, ' '),
  l: (_, __, seconds) => pad(hour12(seconds), 2, ' '),
  M: (_, __, seconds) => pad(Math.floor(seconds / 60) % 60),
  m: (_, days) => pad(civilOf(days).month),
  n: () => '\n',
  P: (_, __, seconds) => (hour(seconds) < 12 ? 'am' : 'pm'),
  p: (_, __, seconds) => (hour(seconds) < 12 ? 'AM' : 'PM'),
  Q: (_, days) => String(Math.floor((civilOf(days).month - 1) / 3) + 1),
  R: (moment) => strftime('%H:%M', moment),
  r: (moment) => strftime('%I:%M:%S %p', moment),
  S: (_, __, seconds) => pad(seconds % 60),
  s: (moment) => String(utcSeconds(moment)),
  T: (moment) => strftime('%H:%M:%S', moment),
  t: () => '\t',
  U: (_, days) => pad(weekOfYear(days, 0)),
  u: (_, days) => String(weekday(days) || 7),
  V: (_, days) => pad(isoWeek(days)),
  W: (_, days) => pad(weekOfYear(days, 1)),
  w: (_, days) => String(weekday(days)),
  X: (moment) => strftime('%H:%M:%S', moment),
  x: (moment) => strftime('%m/%d/%y', moment),
  Y: (_, days) => String(civilOf(days).year),
  y: (_, days) => pad(civilOf(days).year % 100),
  Z: (moment) => zoneText(moment),
  z: ({ zone }) => offsetText(zone!.offsetMicros, false),
  '%': () => '%',
};

/** `UTC`, or `UTC-8` and `UTC+0530` for all other zones, as BigQuery shows them. */
function zoneText({ zone }: Moment): string {
  if (!zone) return '';
  if (zone.offsetMicros === 0n) return 'UTC';
  const [hours = '', minutes] = formatOffset(zone.offsetMicros).split(':');
  return minutes ? `UTC${hours}${minutes}` : `UTC${hours.replace(/^([+-])0/, '$1')}`;
}

/** Seconds with `digits` decimals; with `'*'` as many as the value has. */
function fractionalSeconds(moment: Moment, seconds: number, digits: string): string {
  const fraction = String(floorModulo(moment.localMicros, 1_000_000n)).padStart(6, '0');
  const shown = digits === '*' ? fraction.replace(/0+$/, '') : fraction.padEnd(9, '0').slice(0, Number(digits));
  return `${pad(seconds % 60)}${shown ? `.${shown}` : ''}`;
}

function extended(element: string, moment: Moment, days: number, seconds: number): string {
  if (element === 'Ez') return offsetText(moment.zone!.offsetMicros, true);
  if (element === 'E4Y') return pad(civilOf(days).year, 4);
  if (element.endsWith('S')) return fractionalSeconds(moment, seconds, element.slice(1, -1));
  return ELEMENTS[element.slice(1)]?.(moment, days, seconds) ?? `%${element}`;
}

/** Elements of one character, or `E4Y`, `Ez`, `E3S`, `E*S`, `Ey` and `Od`. */
const ELEMENT = /%(E4Y|Ez|E[0-9*]S|[EO][A-Za-z]|[\s\S])/g;

/** Replaces the elements in `format`; those it does not know stay as they are. */
export function strftime(format: string, moment: Moment): string {
  const days = dayOfMicros(moment.localMicros);
  const seconds = Number(timeOfMicros(moment.localMicros) / 1_000_000n);
  return format.replace(ELEMENT, (whole, element: string) => {
    if (!applies(element, moment)) return whole;
    if (element.length > 1) return extended(element, moment, days, seconds);
    return ELEMENTS[element]?.(moment, days, seconds) ?? whole;
  });
}
