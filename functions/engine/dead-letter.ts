/**
 * Dead letters: the end of what failed for good, written in the very commit that gives up, so each exactly once. A letter
 * says what failed, why, and how often, and holds enough to bring it back to the step that failed (`operate/replay`).
 */
import { MillraceError, messageOf, textOf } from '../model/errors.ts';
import { encodeValue } from '../model/json.ts';
import type { PaneInfo } from '../model/pane.ts';
import { type EpochMillis, earlier } from '../model/time.ts';
import type { Window } from '../model/windows.ts';
import type { Received, StepFailure } from './chain/bundle-output.ts';
import { nameOfId } from './ids/element-id.ts';
import { parseReplayId } from './replay-id.ts';
import type { FiringFailure } from './shard/cell.ts';
import type { LateElement } from './shard/key-output.ts';

/** What a dead letter says. All of it is plain JSON. */
export interface DeadLetter {
  readonly id: string;
  /**
   * `element`: an element failed in a step. `firing`: a pane or timer did. `source`: a message could not be read. `late`: a
   * window takes it no more. `row`: the warehouse refused it.
   */
  readonly kind: 'element' | 'firing' | 'source' | 'late' | 'row';
  /** The stage or source whose commit wrote it. */
  readonly stage: string;
  /** The step that failed; a stage's own name stands for its head. */
  readonly step: string;
  readonly code: string;
  readonly errorClass: string;
  readonly message: string;
  readonly stack?: string;
  /** What the outside system answered, where one did. */
  readonly answer?: unknown;
  readonly key?: unknown;
  /** The element, the raw message, or the state of the firing. */
  readonly value: unknown;
  readonly timestamp?: EpochMillis;
  readonly windows?: readonly Window[];
  readonly pane?: PaneInfo;
  /** Of an element that failed in a head, or came too late for one: as what it came there. */
  readonly received?: Received;
  /** Of a timer's firing: which timer. */
  readonly timer?: unknown;
  /** Of a source's message: when it was published, or read. */
  readonly arrival?: EpochMillis;
  /** Of a source's message, where it had any. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** Of a source's message: it is no JSON; `value` is its text. */
  readonly unparsed?: boolean;
  /** Only of late records: the input watermark that judged them. */
  readonly watermark?: EpochMillis;
  /** How many elements it stands for. */
  readonly count: number;
  /** The source's message, or the id that its author names, as far as the element still carries it. */
  readonly messageId?: string;
  /** Of what failed at ingest: the id under which the first keyed stage would have taken it. */
  readonly elementId?: string;
  /** How often the step was tried in this generation. */
  readonly attempts: number;
  /** When its first generation failed. */
  readonly firstFailedAt: EpochMillis;
  /** When this generation failed. */
  readonly failedAt: EpochMillis;
  /** How often it has failed: 0 the first time, one more after each replay. */
  readonly generation: number;
  /** The letter of its first failure; its own id in generation 0. */
  readonly origin: string;
  /** The deployed version of the pipeline that gave up. */
  readonly version: string;
  readonly status: 'dead' | 'replayed' | 'discarded';
  /** Who ended it, and when. Absent while it is dead. */
  readonly ended?: { readonly at: EpochMillis; readonly by: string };
}

/** What every kind of dead letter needs to know of where it happened. */
export interface DeadLetterPlace {
  readonly id: string;
  readonly stage: string;
  readonly failedAt: EpochMillis;
  readonly version: string;
}

/** A source's message that could not be read. */
export interface UnreadMessage {
  readonly id: string;
  readonly value: unknown;
  readonly arrival: EpochMillis;
  readonly attributes?: Readonly<Record<string, string>>;
  /** Set when `value` is a text that is no JSON. */
  readonly problem?: string;
}

const LONGEST_TEXT = 10_000;

export function elementDeadLetter(place: DeadLetterPlace, failure: StepFailure): DeadLetter {
  const { element, step, error, received, attempts = 1 } = failure;
  const { value, timestamp, windows, pane, id } = element;
  return {
    ...place,
    ...lineage(place, id),
    kind: 'element',
    step,
    ...errorFields(error),
    value: carried(value),
    timestamp,
    windows,
    pane,
    ...(received === undefined ? {} : { received }),
    count: received?.count ?? 1,
    attempts,
  };
}

/** @param id the replay's, of a firing that was replayed */
export function firingDeadLetter(
  place: DeadLetterPlace,
  key: unknown,
  failure: FiringFailure,
  id?: string,
): DeadLetter {
  const { window, error, state, pane, timestamp, timer } = failure;
  return {
    ...place,
    ...lineage(place, id ?? failure.id),
    kind: 'firing',
    step: place.stage,
    ...errorFields(error),
    key,
    value: carried(state),
    windows: [window],
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(pane === undefined ? {} : { pane }),
    ...(timer === undefined ? {} : { timer }),
    count: 1,
    attempts: 1,
  };
}

export function lateDeadLetter(place: DeadLetterPlace, { record, id, received }: LateElement): DeadLetter {
  const { key, value, count, window, reason } = record;
  const what = reason === 'expired' ? 'came beyond allowed lateness' : 'came into a window whose trigger has finished';
  return {
    ...place,
    ...lineage(place, id),
    kind: 'late',
    step: place.stage,
    code: reason === 'expired' ? 'LATE_EXPIRED' : 'LATE_CLOSED',
    errorClass: 'LateRecord',
    message: `the element ${what}`,
    key,
    value: carried(value),
    timestamp: record.timestamp as EpochMillis,
    windows: [window],
    watermark: record.watermark as EpochMillis,
    ...(received === undefined ? {} : { received }),
    count,
    attempts: 1,
  };
}

/** The name of the letter of a message that Pub/Sub gave up on. @param copy the id of the copy on the dead-letter topic */
export function undeliveredId(source: string, copy: string): string {
  return `${source}~undelivered~${copy}`;
}

export function sourceDeadLetter(place: DeadLetterPlace, message: UnreadMessage, error: unknown): DeadLetter {
  return {
    ...place,
    ...lineage(place, message.id),
    kind: 'source',
    step: place.stage,
    ...errorFields(error),
    value: carried(message.value),
    arrival: message.arrival,
    ...(Object.keys(message.attributes ?? {}).length === 0 ? {} : { attributes: message.attributes! }),
    ...(message.problem === undefined ? {} : { unparsed: true }),
    count: 1,
    attempts: 1,
  };
}

/** @param row by column name, with the guard's columns where the table has them */
export function rowDeadLetter(
  place: DeadLetterPlace,
  row: Readonly<Record<string, unknown>>,
  id: string | undefined,
  attempts: number,
  error: unknown,
): DeadLetter {
  return {
    ...place,
    ...lineage(place, id),
    kind: 'row',
    step: place.stage,
    ...errorFields(error),
    value: carried(row),
    count: 1,
    attempts,
  };
}

/** How this failure follows on earlier ones of the same element, as its id tells. */
function lineage(
  { id, failedAt }: DeadLetterPlace,
  elementId: string | undefined,
): Pick<DeadLetter, 'generation' | 'origin' | 'firstFailedAt' | 'status' | 'messageId'> {
  const replay = parseReplayId(elementId);
  const named = elementId === undefined || elementId.startsWith('replay~') ? {} : { messageId: nameOfId(elementId) };
  if (replay === undefined) return { generation: 0, origin: id, firstFailedAt: failedAt, status: 'dead', ...named };
  const { origin, generation, firstFailedAt } = replay;
  const first = earlier(firstFailedAt, failedAt);
  return { generation: generation + 1, origin, firstFailedAt: first, status: 'dead', ...named };
}

function errorFields(error: unknown): Pick<DeadLetter, 'code' | 'errorClass' | 'message' | 'stack' | 'answer'> {
  const answer = (error as { readonly answer?: unknown } | null)?.answer;
  return {
    code: error instanceof MillraceError ? error.code : 'USER_CODE',
    errorClass: error instanceof Error ? error.name : typeof error,
    message: messageOf(error).slice(0, LONGEST_TEXT),
    ...stackOf(error),
    ...(answer === undefined ? {} : { answer: carried(answer) }),
  };
}

/** Where it was thrown first: the author's own line, where we have wrapped what they threw. */
function stackOf(error: unknown): { stack?: string } {
  let thrown = error;
  while (thrown instanceof Error && thrown.cause instanceof Error) thrown = thrown.cause;
  return thrown instanceof Error && thrown.stack !== undefined ? { stack: thrown.stack.slice(0, LONGEST_TEXT) } : {};
}

/** A value's plain JSON; where it has none, its description: a dead letter must be writable whatever it holds. */
function carried(value: unknown): unknown {
  try {
    return encodeValue(value);
  } catch (error) {
    return { unreadable: messageOf(error), text: textOf(value).slice(0, LONGEST_TEXT) };
  }
}
