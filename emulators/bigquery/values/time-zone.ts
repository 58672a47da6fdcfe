/** Time zones: offsets from UTC by name (`America/New_York`) or in figures (`+05:30`, `UTC-8`). */
import { floorDivide } from './clock-time.ts';
import { ValueError } from './value-error.ts';

const MICROS_PER_MINUTE = 60_000_000n;
const MICROS_PER_QUARTER_HOUR = 900_000_000n;

/** Formatters by zone, and offsets by zone and quarter of an hour: asking Intl costs microseconds, and data is clustered in time. */
const formatters = new Map<string, Intl.DateTimeFormat>();
const offsets = new Map<string, Map<bigint, bigint>>();
const MAX_REMEMBERED = 50_000;

function fixedOffset(zone: string): bigint | undefined {
  if (zone === 'UTC' || zone === 'Z' || zone === 'z') return 0n;
  const match = /^(?:UTC)?([+-])(\d{1,2})(?::?(\d{2}))?$/.exec(zone);
  if (!match) return undefined;
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0);
  if (minutes > 14 * 60 || Number(match[3] ?? 0) > 59) return undefined;
  return BigInt(match[1] === '-' ? -minutes : minutes) * MICROS_PER_MINUTE;
}

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known) return known;
  try {
    const made = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formatters.set(zone, made);
    return made;
  } catch {
    throw new ValueError(`Invalid time zone: ${zone}`);
  }
}

function namedOffset(zone: string, utcMicros: bigint): bigint {
  const millis = Number(floorDivide(utcMicros, 1000n));
  const parts: Record<string, string> = {};
  for (const part of formatterOf(zone).formatToParts(millis)) parts[part.type] = part.value;
  const year = parts.era === 'BC' ? 1 - Number(parts.year) : Number(parts.year);
  const local = new Date(0);
  local.setUTCFullYear(year, Number(parts.month) - 1, Number(parts.day));
  local.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second), 0);
  return BigInt(local.getTime() - Math.floor(millis / 1000) * 1000) * 1000n;
}

/**
 * Microseconds that the zone is ahead of UTC at an instant.
 * @throws {ValueError} when there is no such zone.
 */
export function zoneOffset(zone: string, utcMicros: bigint): bigint {
  const fixed = fixedOffset(zone);
  if (fixed !== undefined) return fixed;
  // Transitions fall on quarters of an hour in every zone since its standard time began.
  const bucket = floorDivide(utcMicros, MICROS_PER_QUARTER_HOUR);
  const remembered = offsets.get(zone) ?? new Map<bigint, bigint>();
  const known = remembered.get(bucket);
  if (known !== undefined) return known;
  const offset = namedOffset(zone, utcMicros);
  if (remembered.size > MAX_REMEMBERED) remembered.clear();
  remembered.set(bucket, offset);
  offsets.set(zone, remembered);
  return offset;
}

/** The local date-time of an instant. */
export function localOf(utcMicros: bigint, zone: string): bigint {
  return utcMicros + zoneOffset(zone, utcMicros);
}

/**
 * The instant of a local date-time. One that the clock showed twice means the first; one that it skipped is read with the
 * offset that held before the gap.
 */
export function instantOf(localMicros: bigint, zone: string): bigint {
  const fixed = fixedOffset(zone);
  if (fixed !== undefined) return localMicros - fixed;
  const day = 86_400_000_000n;
  const before = zoneOffset(zone, localMicros - day);
  const early = localMicros - before;
  if (zoneOffset(zone, early) === before) return early;
  const after = zoneOffset(zone, localMicros + day);
  const late = localMicros - after;
  return zoneOffset(zone, late) === after ? late : early;
}

/** `+00`, `-08`, `+05:30`: the shortest spelling, as CAST to STRING shows it. */
export function formatOffset(offsetMicros: bigint): string {
  const minutes = Number(offsetMicros / MICROS_PER_MINUTE);
  const sign = minutes < 0 ? '-' : '+';
  const absolute = Math.abs(minutes);
  const pad = (value: number) => String(value).padStart(2, '0');
  const rest = absolute % 60;
  return `${sign}${pad(Math.floor(absolute / 60))}${rest ? `:${pad(rest)}` : ''}`;
}
