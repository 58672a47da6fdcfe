/**
 * One key's state in one window, and how it is written.
 *
 * A window whose trigger has finished keeps only its bounds, as a tombstone, until it expires (R11). The text of a window
 * is one line of JSON, with its end; it is kept, and made again only after the window has changed.
 */
import { CorruptionError } from '../../model/errors.ts';
import { decodeValue, plainText, taggedText } from '../../model/json.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Window } from '../../model/windows.ts';
import { newTriggerState } from './compile-trigger.ts';
import { expiryOf, type ReduceSpec } from './spec.ts';
import type { TriggerState } from './trigger-machine.ts';

export class WindowState<Acc> implements Window {
  readonly start: EpochMillis;
  readonly end: EpochMillis;
  /** See `expiryOf`. */
  readonly expiry: EpochMillis;

  /** Whether the trigger has finished. Everything below is without meaning then. */
  closed = false;
  accumulator: Acc | undefined;
  hasAccumulator = false;
  /** Elements since the last firing. */
  pending = 0;
  /** The combined timestamp of the elements since the last firing that were in time for it. */
  elementHold: EpochMillis | undefined;
  /** Whether the watermark is held at the window's expiry. */
  expiryHold = false;
  /** Of the last pane; -1 before the first. */
  paneIndex = -1;
  nonSpeculativeIndex = -1;
  trigger: TriggerState;

  /** Elements that the bundle under way has added, and their timestamps as far as the output watermark allows. */
  added = 0;
  addedHold: EpochMillis | undefined;
  addedLate = false;

  /** The encoded line with its end, while it is current. */
  text: string | undefined;
  /** How each line of it begins. */
  readonly bounds: string;

  constructor(window: Window, spec: ReduceSpec<never, Acc, unknown>) {
    this.start = window.start;
    this.end = window.end;
    this.bounds = `[${window.start},${window.end}`;
    this.expiry = expiryOf(window, spec.strategy);
    this.trigger = newTriggerState(spec.trigger);
  }

  /** The window's last instant. */
  get last(): EpochMillis {
    return (this.end - 1) as EpochMillis;
  }

  /** The earliest timestamp at which this window holds the watermark. */
  get hold(): EpochMillis | undefined {
    if (this.closed) return undefined;
    if (!this.expiryHold) return this.elementHold;
    return this.elementHold !== undefined && this.elementHold < this.expiry ? this.elementHold : this.expiry;
  }

  discard(): void {
    this.accumulator = undefined;
    this.hasAccumulator = false;
  }

  /** Leaves the tombstone. */
  close(): void {
    this.closed = true;
    this.discard();
  }
}

const EXPIRY_HOLD = 1;
const END_OF_WINDOW_TIMER = 2;
const HAS_ACCUMULATOR = 4;
const TAGGED_ACCUMULATOR = 8;
/** The elements hold the watermark at the window's last instant, as most do. */
const HELD_AT_END = 16;

/** `[start, end]` of a tombstone, else all fields in order; the trigger's only where there is something to say. */
export function encodeWindow<Acc>(state: WindowState<Acc>): string {
  if (state.closed) return `${state.bounds}]\n`;
  const { trigger, accumulator } = state;
  const plain = state.hasAccumulator ? plainText(accumulator) : 'null';
  const flags =
    (state.expiryHold ? EXPIRY_HOLD : 0) +
    (trigger.endOfWindowTimer ? END_OF_WINDOW_TIMER : 0) +
    (state.hasAccumulator ? HAS_ACCUMULATOR : 0) +
    (plain === undefined ? TAGGED_ACCUMULATOR : 0) +
    (state.elementHold === state.last ? HELD_AT_END : 0);
  const { bounds, pending, elementHold, last, paneIndex, nonSpeculativeIndex } = state;
  const hold = elementHold === undefined || elementHold === last ? 'null' : elementHold;
  const rest = isAtRest(trigger) ? ']\n' : `,${triggerText(trigger)}]\n`;
  const json = plain ?? taggedText(accumulator);
  return `${bounds},${flags},${pending},${hold},${paneIndex},${nonSpeculativeIndex},${json}${rest}`;
}

/** Whether a trigger stands as it began. */
function isAtRest({ finished, timers, slots }: TriggerState): boolean {
  if (timers.length > 0) return false;
  for (const machine of finished) if (machine) return false;
  for (const slot of slots) if (slot !== null) return false;
  return true;
}

function triggerText({ finished, timers, slots }: TriggerState): string {
  let machines = '';
  for (let i = 0; i < finished.length; i++) if (finished[i]) machines += machines === '' ? i : `,${i}`;
  let slotTexts = '';
  for (let i = 0; i < slots.length; i++) slotTexts += i === 0 ? slots[i] : `,${slots[i]}`;
  return `[${slotTexts}],[${timers.length === 1 ? timers[0] : timers.join(',')}],[${machines}]`;
}

/** @throws {CorruptionError} when the line is not what `encodeWindow` wrote for this grouping step */
export function decodeWindow<Acc>(line: string, spec: ReduceSpec<never, Acc, unknown>): WindowState<Acc> {
  const fields = parseLine(line);
  const state = new WindowState<Acc>({ start: fields[0] as EpochMillis, end: fields[1] as EpochMillis }, spec);
  state.text = `${line}\n`;
  if (fields.length === 2) {
    state.closed = true;
    return state;
  }
  const [, , flags, pending, elementHold, paneIndex, nonSpeculativeIndex, json, slots, timers, finished] = fields;
  const has = (flag: number): boolean => ((flags as number) & flag) !== 0;
  state.expiryHold = has(EXPIRY_HOLD);
  state.trigger.endOfWindowTimer = has(END_OF_WINDOW_TIMER);
  state.hasAccumulator = has(HAS_ACCUMULATOR);
  if (state.hasAccumulator) state.accumulator = (has(TAGGED_ACCUMULATOR) ? decodeValue(json) : json) as Acc;
  state.pending = pending as number;
  state.elementHold = has(HELD_AT_END) ? state.last : ((elementHold as EpochMillis | null) ?? undefined);
  state.paneIndex = paneIndex as number;
  state.nonSpeculativeIndex = nonSpeculativeIndex as number;
  if (slots !== undefined) restoreTrigger(state.trigger, slots, timers, finished, line);
  return state;
}

function restoreTrigger(trigger: TriggerState, slots: unknown, timers: unknown, finished: unknown, line: string): void {
  const fits =
    Array.isArray(slots) &&
    slots.length === trigger.slots.length &&
    Array.isArray(finished) &&
    finished.every((machine) => machine < trigger.finished.length);
  if (!fits) throw corrupt(line, 'it was written for another trigger');
  trigger.slots = slots;
  trigger.timers = timers as EpochMillis[];
  for (const machine of finished) trigger.finished[machine] = true;
}

function parseLine(line: string): unknown[] {
  let fields: unknown;
  try {
    fields = JSON.parse(line);
  } catch (cause) {
    throw corrupt(line, 'it is not JSON', cause);
  }
  const length = Array.isArray(fields) ? fields.length : 0;
  if (length !== 2 && length !== 8 && length !== 11) throw corrupt(line, 'it does not have the fields of a window');
  return fields as unknown[];
}

function corrupt(line: string, why: string, cause?: unknown): CorruptionError {
  const shown = line.length > 200 ? `${line.slice(0, 200)}…` : line;
  return new CorruptionError(`the state of a window cannot be read, ${why}: ${shown}`, { cause });
}
