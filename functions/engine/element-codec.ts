/**
 * How elements are written into envelopes: one JSON array an element, in a JSON array a body. Invariant: decoding gives
 * back what was encoded, and elements of one body come out in order.
 */
import { CorruptionError } from '../model/errors.ts';
import { decodeValue, plainText, taggedText } from '../model/json.ts';
import { keyText } from '../model/key.ts';
import type { PaneInfo } from '../model/pane.ts';
import type { EpochMillis } from '../model/time.ts';
import { GLOBAL_WINDOW, type Window } from '../model/windows.ts';
import { type Element, UNGROUPED } from './element.ts';

/** An element as a stage receives it. */
export interface Incoming {
  /** As which of the head's inputs it comes. */
  readonly inlet: number;
  readonly keyText: string;
  readonly key: unknown;
  /** The value, or where the sender has combined several, their accumulator. */
  readonly value: unknown;
  readonly lifted: boolean;
  /** How many elements it stands for. */
  readonly count: number;
  /** The smallest timestamp of those. */
  readonly timestamp: EpochMillis;
  /** The largest timestamp of those. */
  readonly latest: EpochMillis;
  readonly windows: readonly Window[];
  readonly pane: PaneInfo;
  readonly id: string | undefined;
}

// The second field of an element's array.
const PLAIN = 0;
const TAGGED = 1;
const LIFTED = 2;
const LIFTED_TAGGED = 3;

const GLOBAL: readonly Window[] = [GLOBAL_WINDOW];
const TIMINGS = ['EARLY', 'ON_TIME', 'LATE'] as const;

/**
 * @param keyText the key's text (`model/key.ts`), which is its JSON
 * @throws {EncodeError} when the value cannot be carried
 */
export function encodeElement(inlet: number, keyText: string, value: unknown, element: Element): string {
  const plain = plainText(value);
  const kind = plain === undefined ? TAGGED : PLAIN;
  const json = plain ?? taggedText(value);
  const { timestamp, windows, pane, id } = element;
  const idText = id === undefined ? '0' : JSON.stringify(id);
  return `[${inlet},${kind},${timestamp},${keyText},${json},${windowsText(windows)},${paneText(pane)},${idText}]`;
}

/** A pre-combined part of a key and window. */
export interface Lifted {
  accumulator: unknown;
  count: number;
  timestamp: EpochMillis;
  latest: EpochMillis;
  readonly window: Window;
}

/**
 * @param keyText the key's text (`model/key.ts`), which is its JSON
 * @param id only where an operator has replayed it
 */
export function encodeLifted(inlet: number, keyText: string, part: Lifted, id?: string): string {
  const { accumulator, window, timestamp, count, latest } = part;
  const plain = plainText(accumulator);
  const kind = plain === undefined ? LIFTED_TAGGED : LIFTED;
  const json = plain ?? taggedText(accumulator);
  const idText = id === undefined ? '' : `,${JSON.stringify(id)}`;
  return `[${inlet},${kind},${timestamp},${keyText},${json},[${window.start},${window.end}],${count},${latest}${idText}]`;
}

/** @throws {CorruptionError} when the body is not what `encode…` wrote */
export function decodeBody(body: string): Incoming[] {
  let tuples: unknown;
  try {
    tuples = JSON.parse(body);
  } catch (cause) {
    throw new CorruptionError('an envelope has a body that is not JSON', { cause });
  }
  if (!Array.isArray(tuples)) throw new CorruptionError('an envelope has a body that is no list of elements');
  try {
    return tuples.map(decodeElement);
  } catch (cause) {
    if (cause instanceof CorruptionError) throw cause;
    throw new CorruptionError('an envelope holds an element that cannot be read', { cause });
  }
}

function decodeElement(tuple: unknown): Incoming {
  if (!Array.isArray(tuple) || tuple.length < 8)
    throw new CorruptionError('an envelope holds something that is no element');
  if (typeof tuple[2] !== 'number') throw new CorruptionError('an envelope holds an element without a timestamp');
  const kind = tuple[1];
  const key = tuple[3];
  const json = tuple[4];
  const lifted = kind === LIFTED || kind === LIFTED_TAGGED;
  return {
    inlet: tuple[0],
    keyText: keyText(key),
    key,
    value: kind === PLAIN || kind === LIFTED ? json : decodeValue(json),
    lifted,
    count: lifted ? tuple[6] : 1,
    timestamp: tuple[2] as EpochMillis,
    latest: lifted ? tuple[7] : (tuple[2] as EpochMillis),
    windows: decodeWindows(tuple[5]),
    pane: lifted ? UNGROUPED : decodePane(tuple[6]),
    id: lifted ? tuple[8] : tuple[7] === 0 ? undefined : tuple[7],
  };
}

function windowsText(windows: readonly Window[]): string {
  if (windows.length === 1) {
    const [window] = windows as [Window];
    return window === GLOBAL_WINDOW ? '0' : `[${window.start},${window.end}]`;
  }
  return `[${windows.map((window) => `${window.start},${window.end}`).join(',')}]`;
}

function decodeWindows(encoded: unknown): readonly Window[] {
  if (encoded === 0) return GLOBAL;
  if (!Array.isArray(encoded)) throw new CorruptionError('an envelope holds an element without windows');
  const bounds = encoded as EpochMillis[];
  if (bounds.length === 2) return [{ start: bounds[0]!, end: bounds[1]! }];
  const windows: Window[] = [];
  for (let i = 0; i + 1 < bounds.length; i += 2) windows.push({ start: bounds[i]!, end: bounds[i + 1]! });
  return windows;
}

function paneText(pane: PaneInfo): string {
  if (pane === UNGROUPED) return '0';
  return `[${TIMINGS.indexOf(pane.timing)},${pane.index},${pane.nonSpeculativeIndex},${pane.isLast ? 1 : 0}]`;
}

function decodePane(encoded: unknown): PaneInfo {
  if (encoded === 0) return UNGROUPED;
  const numbers = encoded as [number, number, number, number];
  return {
    timing: TIMINGS[numbers[0]]!,
    index: numbers[1],
    nonSpeculativeIndex: numbers[2],
    isFirst: numbers[1] === 0,
    isLast: numbers[3] === 1,
  };
}
