/** How commands show times and tables to people. */
import Table from 'cli-table3';
import { DecodeError } from '../model/errors.ts';
import { type Duration, type EpochMillis, epochMillis, MAX_TIMESTAMP, MIN_TIMESTAMP, millis } from '../model/time.ts';
import { instant } from '../model/instant.ts';
import { ConfigurationError } from '../model/errors.ts';

/** A table without vertical lines; short enough to be read and grepped. */
export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const none = { top: '', 'top-mid': '', 'top-left': '', 'top-right': '', mid: '', 'left-mid': '', 'mid-mid': '' };
  const noMore = {
    'right-mid': '',
    bottom: '',
    'bottom-mid': '',
    'bottom-left': '',
    'bottom-right': '',
    left: '',
    right: '',
    middle: '  ',
  };
  const made = new Table({
    head: [...head],
    chars: { ...none, ...noMore },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of rows) made.push(row.map(String));
  return made
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** `-` where there is none. */
export function at(moment: EpochMillis | 'beginning' | 'end' | null): string {
  if (moment === null) return '-';
  if (moment === 'beginning' || moment === 'end') return moment;
  if (moment <= MIN_TIMESTAMP) return 'beginning';
  return moment >= MAX_TIMESTAMP ? 'end' : new Date(moment).toISOString();
}

/** The two largest units of a length of time. */
export function span(millis: number | null): string {
  if (millis === null) return '-';
  if (millis < 1_000) return `${Math.round(millis)}ms`;
  const seconds = Math.floor(millis / 1_000);
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count}${unit}`)
    .join('');
}

/** @param flag to blame @param text an instant, or how long ago: `2026-01-31T10:00`, `30m` */
export function readTime(flag: string, text: string, now: EpochMillis): EpochMillis {
  if (/^\d+(ms|s|m|h|d)$/.test(text)) return epochMillis(now - millis(flag, text as Duration));
  const read = instant(text);
  if (read === undefined)
    throw new ConfigurationError(
      `${flag}: expected a time such as 2026-01-31T10:00Z, or how long ago, such as 30m; got '${text}'`,
    );
  return read;
}

/** As `readNumber`, without a fraction. */
export function readWholeNumber(flag: string, text: string, least = 1): number {
  const number = readNumber(flag, text, least);
  if (!Number.isInteger(number)) throw new ConfigurationError(`${flag}: expected a whole number, got '${text}'`);
  return number;
}

export function readNumber(flag: string, text: string, least = 1): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number) || number < least)
    throw new ConfigurationError(`${flag}: expected a number from ${least} and up, got '${text}'`);
  return number;
}

/** A key as people type it: JSON, or else the text itself. @throws {DecodeError} when it is no JSON and looks like it */
export function readKey(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (/^[[{"]/.test(text)) throw new DecodeError(`the key ${text} is no JSON; quote it for your shell`);
    return text;
  }
}

/** A number of things: `1 element`, `2 elements`. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
