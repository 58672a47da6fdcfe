/**
 * How elements are written into envelopes: one JSON array an element, in a JSON array a body. Invariant: decoding gives
 * back what was encoded, and elements of one body come out in order.
 */
import { CorruptionError } from '../model/errors.ts';
import { decodeValue, encodeValue } from '../model/json.ts';
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

/** @throws {EncodeError} when the value cannot be carried */
export function encodeElement(inlet: number, key: unknown, value: unknown, element: Element): string {
  const json = encodeValue(value);
  return JSON.stringify([
    inlet,
    json === value ? PLAIN : TAGGED,
    element.timestamp,
    key,
    json === undefined ? null : json,
    encodeWindows(element.windows),
    encodePane(element.pane),
    element.id ?? 0,
  ]);
}

/** A pre-combined part of a key and window. */
export interface Lifted {
  accumulator: unknown;
  count: number;
  timestamp: EpochMillis;
  latest: EpochMillis;
  readonly window: Window;
}

/** @param id only where an operator has replayed it */
export function encodeLifted(inlet: number, key: unknown, part: Lifted, id?: string): string {
  const json = encodeValue(part.accumulator);
  const { window } = part;
  const bounds = [window.start, window.end];
  const kind = json === part.accumulator ? LIFTED : LIFTED_TAGGED;
  const tuple = [inlet, kind, part.timestamp, key, json, bounds, part.count, part.latest];
  return JSON.stringify(id === undefined ? tuple : [...tuple, id]);
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
  return tuples.map(decodeElement);
}

function decodeElement(tuple: unknown): Incoming {
  if (!Array.isArray(tuple) || tuple.length < 8)
    throw new CorruptionError('an envelope holds something that is no element');
  const [inlet, kind, timestamp, key, json, windows, sixth, seventh, replay] = tuple;
  const lifted = kind === LIFTED || kind === LIFTED_TAGGED;
  return {
    inlet,
    keyText: keyText(key),
    key,
    value: kind === PLAIN || kind === LIFTED ? json : decodeValue(json),
    lifted,
    count: lifted ? sixth : 1,
    timestamp,
    latest: lifted ? seventh : timestamp,
    windows: decodeWindows(windows),
    pane: lifted ? UNGROUPED : decodePane(sixth),
    id: lifted ? replay : seventh === 0 ? undefined : seventh,
  };
}

function encodeWindows(windows: readonly Window[]): number | number[] {
  if (windows.length === 1 && windows[0] === GLOBAL_WINDOW) return 0;
  return windows.flatMap((window) => [window.start, window.end]);
}

function decodeWindows(encoded: unknown): readonly Window[] {
  if (encoded === 0) return GLOBAL;
  const bounds = encoded as EpochMillis[];
  if (bounds.length === 2) return [{ start: bounds[0]!, end: bounds[1]! }];
  const windows: Window[] = [];
  for (let i = 0; i + 1 < bounds.length; i += 2) windows.push({ start: bounds[i]!, end: bounds[i + 1]! });
  return windows;
}

function encodePane(pane: PaneInfo): number | number[] {
  if (pane === UNGROUPED) return 0;
  return [TIMINGS.indexOf(pane.timing), pane.index, pane.nonSpeculativeIndex, pane.isLast ? 1 : 0];
}

function decodePane(encoded: unknown): PaneInfo {
  if (encoded === 0) return UNGROUPED;
  const [timing, index, nonSpeculativeIndex, last] = encoded as [number, number, number, number];
  return { timing: TIMINGS[timing]!, index, nonSpeculativeIndex, isFirst: index === 0, isLast: last === 1 };
}
