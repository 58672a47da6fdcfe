/**
 * Elements that wait before their step: for another try after user code has failed on them, or for a side input that is
 * not ready. They wait inside their cell and are committed with it.
 *
 * Invariants (design: "Watermarks"): what is parked holds the stage's output watermark at its timestamp, and holds the
 * input watermark that the step behind sees for this key, so that no window of it expires and no timer behind it fires
 * while it waits; that watermark never steps back either, also when what is parked is late; lateness was judged when the
 * element arrived and is not judged again.
 */
import { CorruptionError } from '../../model/errors.ts';
import { type EpochMillis, earlier, later, MAX_TIMESTAMP } from '../../model/time.ts';
import type { Element } from '../element.ts';
import { decodeBody, encodeElement, type Incoming } from '../element-codec.ts';

/** Why an element waits: `retry`, or what it waits for, e.g. `view:rates:[0,10)`. */
export type ParkingReason = string;

export interface ParkedElement {
  readonly element: Incoming;
  readonly reason: ParkingReason;
  /** The processing time at which it is due by itself; `MAX_TIMESTAMP` = it waits for its reason to pass. */
  readonly until: EpochMillis;
  /** How often it was tried. */
  readonly attempts: number;
}

/** `[reason, until, attempts, element]` of each, as the element codec writes elements. */
type EncodedParking = readonly [floor: EpochMillis, ...parked: [ParkingReason, EpochMillis, number, unknown][]];

/** The parked elements of one cell. Mutable; lives and is thrown away with its cell. */
export class Parking {
  readonly #parked: ParkedElement[] = [];
  /** The highest input watermark that the step behind has seen, as long as anything is parked. */
  #floor: EpochMillis | undefined;
  #text: string | undefined;

  /** @param text what `encode` gave; undefined for a cell in which nothing waits */
  static decode(text: string | undefined): Parking {
    const parking = new Parking();
    if (text === undefined) return parking;
    const [floor, ...parked] = parse(text);
    parking.#floor = floor;
    for (const [reason, until, attempts, tuple] of parked) {
      const [element] = decodeBody(JSON.stringify([tuple]));
      parking.#parked.push({ element: element!, reason, until, attempts });
    }
    parking.#text = text;
    return parking;
  }

  /** The parking's part of its cell's text; undefined when nothing is parked. No line breaks. */
  encode(): string | undefined {
    if (this.#parked.length === 0) return undefined;
    this.#text ??= JSON.stringify([
      this.#floor,
      ...this.#parked.map(({ element, reason, until, attempts }) => [reason, until, attempts, encodeParked(element)]),
    ]);
    return this.#text;
  }

  get size(): number {
    return this.#parked.length;
  }

  /**
   * Parks an element.
   * @param inputWatermark the stage's own, now; when it is parked again, what the step behind saw while it was parked
   */
  park(parked: ParkedElement, inputWatermark: EpochMillis): void {
    this.#floor = this.watermark(inputWatermark);
    this.#parked.push(parked);
    this.#text = undefined;
  }

  /**
   * The input watermark that the step behind what is parked sees for this key. Ask whenever the stage's has moved, so
   * that it is remembered how far it was seen.
   */
  watermark(inputWatermark: EpochMillis): EpochMillis {
    if (this.#parked.length === 0) {
      this.#floor = undefined;
      return inputWatermark;
    }
    const held = earlier(inputWatermark, this.hold()!);
    const seen = this.#floor === undefined ? held : later(this.#floor, held);
    if (seen !== this.#floor) this.#text = undefined;
    this.#floor = seen;
    return seen;
  }

  /** The earliest timestamp that waits: where the cell holds the watermark. */
  hold(): EpochMillis | undefined {
    let earliest: EpochMillis | undefined;
    for (const { element } of this.#parked)
      if (earliest === undefined || element.timestamp < earliest) earliest = element.timestamp;
    return earliest;
  }

  /** The smallest processing time at which `takeDue` gives something, or `MAX_TIMESTAMP`. */
  due(): EpochMillis {
    let due: EpochMillis = MAX_TIMESTAMP;
    for (const { until } of this.#parked) due = earlier(due, until);
    return due;
  }

  /** The stage's input watermark at which the step behind sees `due`; `MAX_TIMESTAMP` where what is parked comes first. */
  stageDue(due: EpochMillis): EpochMillis {
    const hold = this.hold();
    if (hold === undefined || due <= hold) return due;
    return this.#floor !== undefined && due <= this.#floor ? due : MAX_TIMESTAMP;
  }

  /** What is waited for, without what is due by itself. */
  reasons(): ReadonlySet<ParkingReason> {
    return new Set(this.#parked.filter(({ until }) => until >= MAX_TIMESTAMP).map(({ reason }) => reason));
  }

  /**
   * Takes out what is due by processing time, in order of arrival.
   * @param most how many at most
   */
  takeDue(processingTime: EpochMillis, most = Number.POSITIVE_INFINITY): readonly ParkedElement[] {
    if (this.#parked.length === 0) return NOTHING;
    let left = most;
    return this.#take(({ until }) => until <= processingTime && until < MAX_TIMESTAMP && left-- > 0);
  }

  /** Takes out what waits for `reason`, in order of arrival. */
  release(reason: ParkingReason): ParkedElement[] {
    return this.#take((parked) => parked.reason === reason);
  }

  #take(wanted: (parked: ParkedElement) => boolean): ParkedElement[] {
    const taken: ParkedElement[] = [];
    let kept = 0;
    for (const parked of this.#parked) {
      if (wanted(parked)) taken.push(parked);
      else this.#parked[kept++] = parked;
    }
    this.#parked.length = kept;
    if (taken.length > 0) this.#text = undefined;
    return taken;
  }
}

const NOTHING: readonly ParkedElement[] = [];

/** The element codec's tuple. Only elements that are not combined can wait. */
function encodeParked(incoming: Incoming): unknown {
  const { inlet, keyText, value, timestamp, windows, pane, id } = incoming;
  const element: Element = { value, timestamp, windows, pane, id };
  return JSON.parse(encodeElement(inlet, keyText, value, element));
}

function parse(text: string): EncodedParking {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new CorruptionError('the parked elements of a cell are not JSON', { cause });
  }
  if (!Array.isArray(parsed) || parsed.length < 2 || typeof parsed[0] !== 'number')
    throw new CorruptionError(`the parked elements of a cell cannot be read: ${text.slice(0, 200)}`);
  return parsed as unknown as EncodedParking;
}
