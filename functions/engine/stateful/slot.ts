/**
 * A slot: one declared state of one key and window, live in memory. What it needs of its surroundings, and what the cell
 * needs of it.
 */
import { type EpochMillis, MAX_TIMESTAMP, type Millis, plus } from '../../model/time.ts';
import type { CellParts } from '../shard/cell-parts.ts';
import type { Moment } from './moment.ts';

export interface SlotSetting {
  /** Names it in errors, e.g. `state.total of 'alerts'`. */
  readonly what: string;
  readonly ttl: Millis | undefined;
  readonly moment: Moment;
  readonly parts: CellParts;
  /** Begins the names of its parts. */
  readonly prefix: string;
  /** To be called with every change. */
  readonly changed: () => void;
}

export interface Slot {
  /** Its text, fields parted by tabs; undefined when it is empty. */
  encode(): string | undefined;
  /** About how many characters of its text could be moved into parts. */
  movable(): number;
  /** Moves into parts what can be. */
  spill(): void | Promise<void>;
  /** When something in it reaches its time to live, to be purged then; `MAX_TIMESTAMP` = nothing will. */
  purgeDue(): EpochMillis;
  /** Removes what has reached its time to live. */
  purge(): void;
  /** Removes its parts: the window has expired, or the state was cleared. */
  drop(): void;
}

/** In how many steps a time to live is kept: purges come at most so often in its course, and so much of it late. */
const PURGES_A_LIFETIME = 8;

/** Texts that carry when they were written, if their state has a time to live. */
export class Lifetime {
  readonly #ttl: Millis | undefined;
  readonly #moment: Moment;

  constructor({ ttl, moment }: SlotSetting) {
    this.#ttl = ttl;
    this.#moment = moment;
  }

  /** The text as it is kept. */
  stamp(text: string): string {
    return this.#ttl === undefined ? text : `${this.#moment.processingTime} ${text}`;
  }

  /** When a kept text was written; what has no time to live was written at zero. */
  writtenAt(kept: string): EpochMillis {
    return (this.#ttl === undefined ? 0 : Number(kept.slice(0, kept.indexOf(' ')))) as EpochMillis;
  }

  /** When what is written now was written. */
  now(): EpochMillis {
    return (this.#ttl === undefined ? 0 : this.#moment.processingTime) as EpochMillis;
  }

  /** The text of what is kept, or undefined when it has reached its time to live. */
  live(kept: string | undefined): string | undefined {
    if (kept === undefined || this.#ttl === undefined) return kept;
    return this.isOver(this.writtenAt(kept)) ? undefined : kept.slice(kept.indexOf(' ') + 1);
  }

  isOver(written: EpochMillis): boolean {
    return this.#ttl !== undefined && this.#moment.processingTime >= plus(written, this.#ttl);
  }

  /** When what was written at `written` is to be purged. */
  purgeDue(written: EpochMillis | undefined): EpochMillis {
    if (this.#ttl === undefined || written === undefined) return MAX_TIMESTAMP;
    const step = Math.ceil(this.#ttl / PURGES_A_LIFETIME);
    return plus((Math.ceil((written + this.#ttl) / step) * step) as EpochMillis, 0);
  }
}

/** The earliest of when texts were written, as far as they carry it. */
export function earliestOf(written: Iterable<EpochMillis>): EpochMillis | undefined {
  let earliest: EpochMillis | undefined;
  for (const at of written) if (earliest === undefined || at < earliest) earliest = at;
  return earliest;
}
