/** Adding intervals to dates and date-times, the difference between two of them, and buckets of a fixed width. */
import { addMonths, checkedDays } from './civil-date.ts';
import { checkedMicros, dayOfMicros, floorDivide, microsOf, timeOfMicros } from './clock-time.ts';
import { DATE_PARTS, diffDays, MICROS_PER_DAY, PART_MICROS } from './date-part.ts';
import { checkedInterval, type Interval } from './interval.ts';
import { ValueError } from './value-error.ts';

export function negated({ months, days, micros }: Interval): Interval {
  return { months: -months, days: -days, micros: -micros };
}

/** A DATE plus whole days and months. */
export function addToDate(days: number, interval: Interval): number {
  if (interval.micros !== 0n) throw new ValueError('A DATE takes no interval with hours, minutes or seconds');
  const shifted = interval.months === 0 ? days : addMonths(days, interval.months);
  return checkedDays(shifted + interval.days, 'Adding the interval: the DATE');
}

export function addToDatetime(micros: bigint, interval: Interval): bigint {
  const day = dayOfMicros(micros);
  const shifted = interval.months === 0 ? day : addMonths(day, interval.months);
  return checkedMicros(microsOf(shifted + interval.days, timeOfMicros(micros)) + interval.micros, 'DATETIME');
}

/** A TIMESTAMP plus an interval of a fixed length: days count 24 hours. */
export function addToTimestamp(micros: bigint, interval: Interval): bigint {
  if (interval.months !== 0) throw new ValueError('A TIMESTAMP takes no interval with months or years: use a DATETIME');
  return checkedMicros(micros + BigInt(interval.days) * MICROS_PER_DAY + interval.micros, 'TIMESTAMP');
}

/** A TIME plus an interval, around midnight. */
export function addToTime(micros: bigint, interval: Interval): bigint {
  if (interval.months !== 0 || interval.days !== 0)
    throw new ValueError('A TIME takes no interval with days or longer parts');
  return timeOfMicros(micros + interval.micros);
}

/** Whole units between two instants, cut towards zero: TIMESTAMP_DIFF. */
export function elapsed(to: bigint, from: bigint, part: string): bigint {
  const unit = PART_MICROS[part];
  if (unit === undefined) throw new ValueError(`TIMESTAMP_DIFF does not support the part ${part}`);
  return (to - from) / unit;
}

/** Boundaries of the part between two date-times: DATETIME_DIFF and TIME_DIFF. */
export function boundaries(to: bigint, from: bigint, part: string): bigint {
  if (DATE_PARTS.includes(part)) return BigInt(diffDays(dayOfMicros(to), dayOfMicros(from), part));
  const unit = PART_MICROS[part];
  if (unit === undefined) throw new ValueError(`A valid date part is required, found ${part}`);
  return floorDivide(to, unit) - floorDivide(from, unit);
}

/** The interval between two date-times: days and the rest. */
export function intervalBetween(to: bigint, from: bigint): Interval {
  const micros = to - from;
  const days = Number(micros / MICROS_PER_DAY);
  return checkedInterval({ months: 0, days, micros: micros % MICROS_PER_DAY });
}

/** The start of the bucket of a fixed width, counted from an origin. Widths in months count calendar months. */
export function bucketStart(micros: bigint, width: Interval, origin: bigint): bigint {
  if (width.months !== 0 && (width.days !== 0 || width.micros !== 0n))
    throw new ValueError('A bucket width cannot mix months with days or shorter parts');
  if (
    width.months < 0 ||
    width.days < 0 ||
    width.micros < 0n ||
    (width.months === 0 && width.days === 0 && width.micros === 0n)
  ) {
    throw new ValueError('A bucket width must be positive');
  }
  if (width.months === 0) {
    const length = BigInt(width.days) * MICROS_PER_DAY + width.micros;
    return origin + floorDivide(micros - origin, length) * length;
  }
  const months = diffDays(dayOfMicros(micros), dayOfMicros(origin), 'MONTH');
  const at = (index: number) => addToDatetime(origin, { months: index * width.months, days: 0, micros: 0n });
  let index = Math.floor(months / width.months);
  while (at(index) > micros) index--;
  while (at(index + 1) <= micros) index++;
  return at(index);
}

const DAYS_PER_MONTH = 30;

/** JUSTIFY_HOURS: 24 hours become a day. JUSTIFY_DAYS: 30 days become a month. All parts end with one sign. */
export function justify(interval: Interval, hours: boolean, days: boolean): Interval {
  let { months, days: dayCount, micros } = interval;
  if (hours) {
    dayCount += Number(micros / MICROS_PER_DAY);
    micros %= MICROS_PER_DAY;
    if (dayCount > 0 && micros < 0n) [dayCount, micros] = [dayCount - 1, micros + MICROS_PER_DAY];
    if (dayCount < 0 && micros > 0n) [dayCount, micros] = [dayCount + 1, micros - MICROS_PER_DAY];
  }
  if (days) {
    months += Math.trunc(dayCount / DAYS_PER_MONTH);
    dayCount %= DAYS_PER_MONTH;
    if (months > 0 && (dayCount < 0 || (dayCount === 0 && micros < 0n && hours)))
      [months, dayCount] = [months - 1, dayCount + DAYS_PER_MONTH];
    if (months < 0 && (dayCount > 0 || (dayCount === 0 && micros > 0n && hours)))
      [months, dayCount] = [months + 1, dayCount - DAYS_PER_MONTH];
    if (hours) {
      if (dayCount > 0 && micros < 0n) [dayCount, micros] = [dayCount - 1, micros + MICROS_PER_DAY];
      if (dayCount < 0 && micros > 0n) [dayCount, micros] = [dayCount + 1, micros - MICROS_PER_DAY];
    }
  }
  return checkedInterval({ months, days: dayCount, micros });
}
