/**
 * Dead letters: the end of what failed for good, written in the very commit that gives up, so each exactly once.
 */
import { MillraceError, messageOf } from '../model/errors.ts';
import { encodeValue } from '../model/json.ts';
import type { LateRecord } from '../model/late.ts';
import type { PaneInfo } from '../model/pane.ts';
import type { EpochMillis } from '../model/time.ts';
import type { Window } from '../model/windows.ts';
import type { Document } from '../ports/store.ts';
import type { StepFailure } from './chain/bundle-output.ts';
import type { FiringFailure } from './shard/cell.ts';

/** What a dead letter says. All of it is plain JSON. */
export interface DeadLetter {
  readonly id: string;
  /** `element`: an element failed in a step. `firing`: a pane or timer did. `source`: a message could not be read. `late`: a window takes it no more. */
  readonly kind: 'element' | 'firing' | 'source' | 'late';
  /** The stage or source. */
  readonly stage: string;
  readonly step: string;
  readonly code: string;
  readonly errorClass: string;
  readonly message: string;
  readonly stack?: string;
  readonly key?: unknown;
  /** The element, the raw message, or the state of the firing. */
  readonly value: unknown;
  readonly timestamp?: EpochMillis;
  readonly windows?: readonly Window[];
  readonly pane?: PaneInfo;
  /** Only of late records. */
  readonly watermark?: EpochMillis;
  /** How many elements it stands for. */
  readonly count: number;
  readonly failedAt: EpochMillis;
  /** How often it has failed: 0 the first time, one more after each replay. */
  readonly generation: number;
  readonly status: 'dead' | 'replayed' | 'discarded';
}

/** What every kind of dead letter needs to know of where it happened. */
export interface DeadLetterPlace {
  readonly id: string;
  readonly stage: string;
  readonly failedAt: EpochMillis;
}

const FIRST = { generation: 0, status: 'dead' } as const;

export function elementDeadLetter(place: DeadLetterPlace, failure: StepFailure): DeadLetter {
  const { element, step, error } = failure;
  const { value, timestamp, windows, pane } = element;
  return {
    ...place,
    ...FIRST,
    kind: 'element',
    step,
    ...errorFields(error),
    value: carried(value),
    timestamp,
    windows,
    pane,
    count: 1,
  };
}

export function firingDeadLetter(place: DeadLetterPlace, key: unknown, failure: FiringFailure): DeadLetter {
  const { window, error, state, pane } = failure;
  const at = { windows: [window], ...(pane === undefined ? {} : { pane }) };
  return {
    ...place,
    ...FIRST,
    kind: 'firing',
    step: place.stage,
    ...errorFields(error),
    key,
    value: carried(state),
    ...at,
    count: 1,
  };
}

export function lateDeadLetter(place: DeadLetterPlace, record: LateRecord<unknown, unknown>): DeadLetter {
  const { key, value, count, window, reason } = record;
  const what = reason === 'expired' ? 'came beyond allowed lateness' : 'came into a window whose trigger has finished';
  return {
    ...place,
    ...FIRST,
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
    count,
  };
}

export function sourceDeadLetter(place: DeadLetterPlace, raw: unknown, error: unknown): DeadLetter {
  return {
    ...place,
    ...FIRST,
    kind: 'source',
    step: place.stage,
    ...errorFields(error),
    value: carried(raw),
    count: 1,
  };
}

export function deadLetterDocument(letter: DeadLetter): Document {
  return {
    collection: 'deadLetters',
    id: letter.id,
    body: letter,
    index: { status: letter.status, failedAt: letter.failedAt },
  };
}

function errorFields(error: unknown): { code: string; errorClass: string; message: string; stack?: string } {
  return {
    code: error instanceof MillraceError ? error.code : 'USER_CODE',
    errorClass: error instanceof Error ? error.name : typeof error,
    message: messageOf(error),
    ...(error instanceof Error && error.stack !== undefined ? { stack: error.stack } : {}),
  };
}

/** A value's plain JSON; where it has none, its description: a dead letter must be writable whatever it holds. */
function carried(value: unknown): unknown {
  try {
    return encodeValue(value);
  } catch (error) {
    return { unreadable: messageOf(error), text: String(value).slice(0, 10_000) };
  }
}
