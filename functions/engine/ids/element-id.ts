/**
 * What identifies an element of a source that delivers at least once: the source's name for its record, and which of the
 * record's outputs it is; beside it a time, by which ids are kept, found and forgotten. Invariant: two elements have one
 * identity exactly when they are the same output of the same record, on whatever instance and how often it was taken in.
 * A mark of a message's content may stand beside: the copy that Pub/Sub gives to a dead-letter topic has a new id, and is
 * known by it (`fate.ts`).
 */
import type { EpochMillis } from '../../model/time.ts';

/** `@{time in base 36}[.{ordinal in base 36}][#{mark}]~{name}`. No other id begins with `@`. */
const ELEMENT_ID = /^@(-?[0-9a-z]+)(?:\.([0-9a-z]+))?(?:#([\w-]+))?~/;

/**
 * @param name a message's id, or what the source's author names
 * @param time when the message was published; of named ids, when the element happened
 * @param mark of what the message holds; letters, digits, `_` and `-`
 */
export function elementId(name: string, time: EpochMillis, mark?: string): string {
  return `@${time.toString(36)}${mark === undefined ? '' : `#${mark}`}~${name}`;
}

/** The id of one of several outputs of a record; the first, 0, keeps the record's. Other ids stay as they are. */
export function withOrdinal(id: string, ordinal: number): string {
  const match = ordinal === 0 ? null : ELEMENT_ID.exec(id);
  if (match === null) return id;
  const [whole, time, , mark] = match;
  return `@${time}.${ordinal.toString(36)}${mark === undefined ? '' : `#${mark}`}~${id.slice(whole.length)}`;
}

/** The time of an id that `elementId` made; undefined for others. */
export function timeOfId(id: string): EpochMillis | undefined {
  const match = ELEMENT_ID.exec(id);
  return match === null ? undefined : (Number.parseInt(match[1]!, 36) as EpochMillis);
}

/** What of an id is the same for every copy of its element: all but the time and the mark. */
export function identityOf(id: string): string {
  const match = ELEMENT_ID.exec(id);
  return match === null ? id : `${match[2] ?? ''}~${id.slice(match[0].length)}`;
}

/** The name in an id that `elementId` made; others are their own. */
export function nameOfId(id: string): string {
  const match = ELEMENT_ID.exec(id);
  return match === null ? id : id.slice(match[0].length);
}

/** The mark in an id, where it has one. */
export function markOfId(id: string): string | undefined {
  return ELEMENT_ID.exec(id)?.[3];
}
