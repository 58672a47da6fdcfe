/**
 * What identifies an element of a source that delivers at least once: the source's name for its record, and the way on which
 * it was made of that; beside it a time, by which ids are kept, found and forgotten. Invariant: two elements have one
 * identity exactly when they are the same output of the same record, on whatever instance, however often it was taken in,
 * and whatever became of the record's other outputs.
 * A mark of a message's content may stand beside: the copy that Pub/Sub gives to a dead-letter topic has a new id, and is
 * known by it (`fate.ts`); and the replay that brings the element, where one does (`replay-id.ts`).
 */
import type { EpochMillis } from '../../model/time.ts';

/** `@{time}{.ordinal …}[#{mark}][!{replay in base64}]~{name}`, numbers in base 36. No other id begins with `@`. */
const ELEMENT_ID = /^@(-?[0-9a-z]+)((?:\.[0-9a-z]+)*)(?:#([\w-]+))?(?:!([\w-]+))?~/;
const TIME_AND_WAY = /^@-?[0-9a-z]+(?:\.[0-9a-z]+)*/;

/**
 * @param name a message's id, or what the source's author names
 * @param time when the message was published; of named ids, when the element happened
 * @param mark of what the message holds; letters, digits, `_` and `-`
 */
export function elementId(name: string, time: EpochMillis, mark?: string): string {
  return `@${time.toString(36)}${mark === undefined ? '' : `#${mark}`}~${name}`;
}

/**
 * The id of one of several elements that a step makes of one, so that no two ends of a record have the same. Ids that
 * `elementId` did not make stay as they are.
 */
export function withOrdinal(id: string, ordinal: number): string {
  const match = TIME_AND_WAY.exec(id);
  if (match === null) return id;
  const [way] = match;
  return `${way}.${ordinal.toString(36)}${id.slice(way.length)}`;
}

/** The same element's id, as a replay brings it. @param replay what the replay says of itself */
export function withReplay(id: string, replay: string): string {
  const own = withoutReplay(id);
  const [before] = ELEMENT_ID.exec(own)!;
  const text = Buffer.from(replay).toString('base64url');
  return `${before.slice(0, -1)}!${text}~${own.slice(before.length)}`;
}

/** What `withReplay` has added to it; undefined where an element comes from its source. */
export function replayIn(id: string): string | undefined {
  const replay = ELEMENT_ID.exec(id)?.[4];
  return replay === undefined ? undefined : Buffer.from(replay, 'base64url').toString();
}

export function withoutReplay(id: string): string {
  const match = ELEMENT_ID.exec(id);
  if (match?.[4] === undefined) return id;
  const [whole, , , , replay] = match;
  return `${whole.slice(0, -replay!.length - 2)}~${id.slice(whole.length)}`;
}

/** The time of an id that `elementId` made; undefined for others. */
export function timeOfId(id: string): EpochMillis | undefined {
  const match = ELEMENT_ID.exec(id);
  return match === null ? undefined : (Number.parseInt(match[1]!, 36) as EpochMillis);
}

/** What of an id is the same for every copy of its element: all but the time, the mark and the replay. */
export function identityOf(id: string): string {
  const match = ELEMENT_ID.exec(id);
  return match === null ? id : `${match[2]!.slice(1)}~${id.slice(match[0].length)}`;
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
