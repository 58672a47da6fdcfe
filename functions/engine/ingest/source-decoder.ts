/** From what a source delivers to elements with times. */
import { DecodeError } from '../../model/errors.ts';
import { schemaProblem } from '../../model/schema-problem.ts';
import type { RecordFacts, Source } from '../../model/source.ts';
import { type Instant, instant } from '../../model/instant.ts';
import { type EpochMillis, earlier, MIN_TIMESTAMP, plus } from '../../model/time.ts';
import { GLOBAL_WINDOW, type Window } from '../../model/windows.ts';
import { type Element, UNGROUPED } from '../element.ts';

/** What came, before anything is known about it. */
export interface RawRecord {
  /** Parsed JSON, or whatever the schema takes. */
  readonly value: unknown;
  /** Names the record at its source for ever: a message id, or a place in a file. */
  readonly id: string;
  /** When it was published, or read; `MIN_TIMESTAMP` where nobody knows, as in the replay of a file. */
  readonly arrival: EpochMillis;
  /** Set when `value` could not even be parsed; then `value` is the text. */
  readonly problem?: string;
  /** Roughly what it took where it was read, in characters. Absent: not known. */
  readonly characters?: number;
  /** Of a message. */
  readonly attributes?: Readonly<Record<string, string>>;
}

export interface Decoded {
  readonly element: Element;
  readonly arrival: EpochMillis;
  /** The event time that may move the watermark: at most the arrival plus `maxAhead`. */
  readonly advances: EpochMillis;
}

const GLOBAL: readonly Window[] = [GLOBAL_WINDOW];

export class SourceDecoder {
  readonly #source: Source;
  readonly #name: string;

  constructor(name: string, source: Source) {
    this.#name = name;
    this.#source = source;
  }

  /** @throws {DecodeError} naming what is wrong; the record then becomes a dead letter */
  decode(raw: RawRecord): Decoded {
    const source = this.#source;
    if (raw.problem !== undefined) throw new DecodeError(raw.problem);
    let value: unknown;
    try {
      value = source.schema.parse(raw.value);
    } catch (cause) {
      throw new DecodeError(`source '${this.#name}': ${schemaProblem(cause)}`, { cause });
    }
    const { arrival, timestamp } = this.#times(raw, value);
    const id = source.id === undefined ? raw.id : this.#named(ask(source.id, value, raw));
    const element = { value, timestamp, windows: GLOBAL, pane: UNGROUPED, id: source.exactlyOnce ? id : undefined };
    return { element, arrival, advances: earlier(timestamp, plus(arrival, source.maxAhead)) };
  }

  /** Of arrival and event time, one stands in for the other where it is not known. */
  #times(raw: RawRecord, value: unknown): { arrival: EpochMillis; timestamp: EpochMillis } {
    const { arrivalTime, eventTime } = this.#source;
    const happened = eventTime === undefined ? undefined : this.#instant('eventTime', eventTime, value, raw);
    const known = raw.arrival > MIN_TIMESTAMP ? raw.arrival : undefined;
    const arrival = arrivalTime === undefined ? known : this.#instant('arrivalTime', arrivalTime, value, raw);
    const timestamp = happened ?? arrival;
    if (timestamp === undefined)
      throw new DecodeError(
        `source '${this.#name}' replays a file and has neither eventTime nor arrivalTime; give it one`,
      );
    return { arrival: arrival ?? timestamp, timestamp };
  }

  #named(id: unknown): string {
    if (typeof id === 'string' && id !== '') return id;
    throw new DecodeError(`source '${this.#name}': id gave ${String(id)}; give a text that is not empty`);
  }

  #instant(
    field: string,
    read: (value: unknown, record: RecordFacts) => Instant,
    value: unknown,
    raw: RawRecord,
  ): EpochMillis {
    const given = ask(read, value, raw);
    const at = instant(given);
    if (at === undefined)
      throw new DecodeError(
        `source '${this.#name}': ${field} gave ${String(given)}, which is no instant; give epoch milliseconds, a Date, or a text such as 2001-01-31T07:05:00Z`,
      );
    return at;
  }
}

const NO_ATTRIBUTES: Readonly<Record<string, string>> = Object.freeze({});

/** Calls an author's function; with the record's facts only when it takes them. */
function ask<R>(read: (value: unknown, record: RecordFacts) => R, value: unknown, raw: RawRecord): R {
  if (read.length < 2) return (read as (value: unknown) => R)(value);
  const { id, arrival, attributes = NO_ATTRIBUTES } = raw;
  return read(value, { id, arrival, attributes });
}
