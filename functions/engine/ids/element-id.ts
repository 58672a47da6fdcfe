/**
 * What identifies an element of a source that delivers at least once: the source's name for its record, and which of the
 * record's outputs it is; beside it a time, by which ids are kept, found and forgotten. Invariant: two elements have one
 * identity exactly when they are the same output of the same record, on whatever instance and how often it was taken in.
 */
import type { EpochMillis } from '../../model/time.ts';

/** `@{time in base 36}[.{ordinal in base 36}]~{name}`. No other id begins with `@`. */
const ELEMENT_ID = /^@(-?[0-9a-z]+)(?:\.([0-9a-z]+))?~/;

/**
 * @param name a message's id, or what the source's author names
 * @param time when the message was published; of named ids, when the element happened
 */
export function elementId(name: string, time: EpochMillis): string {
  return `@${time.toString(36)}~${name}`;
}

/** The id of one of several outputs of a record; the first, 0, keeps the record's. Other ids stay as they are. */
export function withOrdinal(id: string, ordinal: number): string {
  const match = ordinal === 0 ? null : ELEMENT_ID.exec(id);
  return match === null ? id : `@${match[1]}.${ordinal.toString(36)}~${id.slice(match[0].length)}`;
}

/** The time of an id that `elementId` made; undefined for others. */
export function timeOfId(id: string): EpochMillis | undefined {
  const match = ELEMENT_ID.exec(id);
  return match === null ? undefined : (Number.parseInt(match[1]!, 36) as EpochMillis);
}

/** What of an id is the same for every copy of its element: all but the time. */
export function identityOf(id: string): string {
  const match = ELEMENT_ID.exec(id);
  return match === null ? id : `${match[2] ?? ''}~${id.slice(match[0].length)}`;
}

/** The name in an id that `elementId` made; others are their own. */
export function nameOfId(id: string): string {
  const match = ELEMENT_ID.exec(id);
  return match === null ? id : id.slice(match[0].length);
}
