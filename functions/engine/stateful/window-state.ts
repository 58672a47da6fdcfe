/**
 * One key's state and timers in one window, live in memory, and how they are written.
 *
 * The text is a line `[start,end]`, then a line for each state that is not empty, begun by a tab: its name, its kind, and
 * what its slot wrote. The slots are made from it when they are first used.
 */
import { ConfigurationError, CorruptionError } from '../../model/errors.ts';
import type { StateSpec } from '../../model/state.ts';
import { type EpochMillis, earlier, MAX_TIMESTAMP, type Millis, plus } from '../../model/time.ts';
import { maxTimestamp, type Window } from '../../model/windows.ts';
import { expiryOf } from '../reduce/spec.ts';
import type { CellParts } from '../shard/cell-parts.ts';
import { BagSlot } from './bag-slot.ts';
import { CombiningSlot } from './combining-slot.ts';
import { MapSlot } from './map-slot.ts';
import type { Moment } from './moment.ts';
import { SetSlot } from './set-slot.ts';
import type { Slot, SlotSetting } from './slot.ts';
import type { StatefulSpec } from './spec.ts';
import { dueOf, TimerStore } from './timer-store.ts';
import { ValueSlot } from './value-slot.ts';

const TIMERS = '@timers';
const TIMER_INDEX = '@timer-index';

interface Line {
  readonly kind: StateSpec['kind'];
  readonly payload: string;
}

export class WindowState implements Window {
  readonly start: EpochMillis;
  readonly end: EpochMillis;
  /** The last watermark at which it still takes elements. */
  readonly expiry: EpochMillis;
  readonly timers: TimerStore;
  readonly #spec: StatefulSpec;
  readonly #moment: Moment;
  readonly #parts: CellParts;
  readonly #slots = new Map<string, { readonly kind: StateSpec['kind']; readonly slot: Slot }>();
  /** States that nobody has used since the text was read. */
  readonly #lines = new Map<string, Line>();
  #text: string | undefined;

  /** @param text what `encode` gave; undefined for a window that is new */
  constructor(spec: StatefulSpec, window: Window, moment: Moment, parts: CellParts, text?: string) {
    this.start = window.start;
    this.end = window.end;
    this.expiry = expiryOf(window, spec.strategy);
    this.#spec = spec;
    this.#moment = moment;
    this.#parts = parts;
    const [, ...lines] = text?.split('\n\t') ?? [];
    let timers: string | undefined;
    let index: string | undefined;
    for (const line of lines) {
      const [name, kind, payload] = cut(line);
      if (name === TIMERS) timers = payload;
      else if (name === TIMER_INDEX) index = payload;
      else this.#lines.set(name, { kind: kind as StateSpec['kind'], payload });
    }
    this.timers = new TimerStore(this.#setting(TIMERS, undefined), { timers, index });
    this.#text = text;
  }

  /** The window that a text is of. */
  static windowOf(text: string): Window {
    const end = text.indexOf('\n');
    const [start, stop] = JSON.parse(end < 0 ? text : text.slice(0, end)) as [EpochMillis, EpochMillis];
    return { start, end: stop };
  }

  /** Its text; undefined when it has nothing to keep. */
  encode(): string | undefined {
    if (this.#text !== undefined) return this.#text;
    const lines: string[] = [];
    const { timers, index } = this.timers.encode();
    if (timers !== undefined) lines.push(`${TIMERS}\t\t${timers}`);
    if (index !== undefined) lines.push(`${TIMER_INDEX}\t\t${index}`);
    for (const [id, { kind, payload }] of this.#lines) lines.push(`${id}\t${kind}\t${payload}`);
    for (const [id, { kind, slot }] of this.#slots) {
      const payload = slot.encode();
      if (payload !== undefined) lines.push(`${id}\t${kind}\t${payload}`);
    }
    // A window that will be told of its expiration is remembered though it holds nothing.
    if (lines.length === 0 && this.#spec.doFn.onWindowExpiration === undefined) return undefined;
    this.#text = [`[${this.start},${this.end}]`, ...lines].join('\n\t');
    return this.#text;
  }

  /** The state of this name. @throws {ConfigurationError} when none is declared */
  slot(id: string): Slot {
    const known = this.#slots.get(id);
    if (known !== undefined) return known.slot;
    const spec = this.#spec.states[id];
    if (spec === undefined)
      throw new ConfigurationError(
        `'${this.#spec.step}' has no state '${id}'; declare it in state: { ${id}: valueState() }`,
      );
    const line = this.#lines.get(id);
    if (line !== undefined && line.kind !== spec.kind)
      throw new CorruptionError(
        `state.${id} of '${this.#spec.step}' is declared as ${spec.kind}, but was stored as ${line.kind}; give it another name`,
      );
    const slot = this.#makeSlot(id, spec, line?.payload);
    this.#lines.delete(id);
    this.#slots.set(id, { kind: spec.kind, slot });
    return slot;
  }

  /** Where it holds the watermark. */
  hold(): EpochMillis | undefined {
    const timers = this.timers.hold();
    if (this.#spec.doFn.onWindowExpiration === undefined) return timers;
    return earlier(timers ?? MAX_TIMESTAMP, maxTimestamp(this));
  }

  eventDue(): EpochMillis {
    return dueOf(earlier(plus(this.timers.next('event'), this.#spec.delay), this.expiry));
  }

  processingDue(): EpochMillis {
    return earlier(dueOf(this.timers.next('processing')), this.purgeDue());
  }

  /** When something reaches its time to live. */
  purgeDue(): EpochMillis {
    if (!this.#spec.hasTtl) return MAX_TIMESTAMP;
    let due: EpochMillis = MAX_TIMESTAMP;
    for (const id of this.#withTtl()) due = earlier(due, this.slot(id).purgeDue());
    return due;
  }

  purge(): void {
    for (const id of this.#withTtl()) this.slot(id).purge();
  }

  /** Moves what can be into parts, the largest first, until about `wanted` characters have gone. */
  async spill(wanted: number): Promise<void> {
    const candidates = [this.timers, ...this.#allSlots()].filter((each) => each.movable() > 0);
    candidates.sort((a, b) => b.movable() - a.movable());
    let gone = 0;
    for (const candidate of candidates) {
      if (gone >= wanted) break;
      gone += candidate.movable();
      await candidate.spill();
      gone -= candidate.movable();
    }
  }

  /** About how many characters could be moved into parts. */
  movable(): number {
    let total = this.timers.movable();
    for (const slot of this.#allSlots()) total += slot.movable();
    return total;
  }

  /** Removes all its parts: it has expired. */
  drop(): void {
    this.timers.dropAll();
    for (const slot of this.#allSlots()) slot.drop();
  }

  /** What a dead letter says of it. */
  describe(): unknown {
    const [, ...lines] = (this.encode() ?? '').split('\n\t');
    const states = lines.map(cut).map(([name, , payload]) => [name, payload.slice(0, LONGEST_DESCRIPTION)] as const);
    return { characters: this.#text?.length ?? 0, ...Object.fromEntries(states) };
  }

  #allSlots(): Slot[] {
    for (const [id, { kind, payload }] of this.#lines) {
      // Also what is no longer declared, so that its parts can go.
      const spec = this.#spec.states[id] ?? undeclared(kind);
      this.#slots.set(id, { kind, slot: this.#makeSlot(id, spec, payload) });
    }
    this.#lines.clear();
    return [...this.#slots.values()].map(({ slot }) => slot);
  }

  #withTtl(): string[] {
    return Object.keys(this.#spec.states).filter((id) => this.#spec.states[id]!.ttl !== undefined);
  }

  #makeSlot(id: string, spec: StateSpec, payload: string | undefined): Slot {
    const setting = this.#setting(id, spec.ttl);
    switch (spec.kind) {
      case 'value':
        return new ValueSlot(setting, payload);
      case 'combining':
        return new CombiningSlot(setting, spec.combine, payload);
      case 'bag':
        return new BagSlot(setting, payload);
      case 'set':
        return new SetSlot(setting, payload);
      case 'map':
        return new MapSlot(setting, payload);
    }
  }

  #setting(id: string, ttl: Millis | undefined): SlotSetting {
    return {
      what: `state.${id} of '${this.#spec.step}'`,
      ttl,
      moment: this.#moment,
      parts: this.#parts,
      prefix: `${this.start}.${this.end}.${id}.`,
      changed: () => {
        this.#text = undefined;
      },
    };
  }
}

const LONGEST_DESCRIPTION = 2_000;

function cut(line: string): [name: string, kind: string, payload: string] {
  const first = line.indexOf('\t');
  const second = line.indexOf('\t', first + 1);
  return [line.slice(0, first), line.slice(first + 1, second), line.slice(second + 1)];
}

/** A stand-in with the same parts. */
function undeclared(kind: StateSpec['kind']): StateSpec {
  return { kind: kind === 'combining' ? 'value' : kind, ttl: undefined };
}
