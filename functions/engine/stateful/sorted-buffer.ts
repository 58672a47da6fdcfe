/**
 * Elements that wait for the watermark, to be taken in the order of their timestamps. Those that come last move into parts
 * when there are too many. Invariant: elements of one timestamp come out as they came in.
 */
import { type EpochMillis, earlier, MAX_TIMESTAMP } from '../../model/time.ts';
import { decodeBody, encodeElement, type Incoming } from '../element-codec.ts';
import type { CellParts } from '../shard/cell-parts.ts';
import { MinHeap } from './min-heap.ts';
import { type EncodedLeaves, PartLeaves } from './part-leaves.ts';
import { instantOf, sortableInstant } from './timer-text.ts';

type Header = readonly [sequence: number, leaves: EncodedLeaves];

/** How many stay in the cell when the others move. */
const KEPT_NEAR = 50;
/** What one bundle may write into parts, in characters. */
const SPILL_BUDGET = 250_000;
const SEQUENCE_LENGTH = 12;

export class SortedBuffer {
  readonly #near = new Map<string, string>();
  readonly #queue = new MinHeap<string>((a, b) => a < b);
  readonly #far: PartLeaves;
  #sequence = 0;
  #weight = 0;
  #text: string | undefined;

  /** @param text what `encode` gave; undefined for an empty one */
  constructor(parts: CellParts, text: string | undefined) {
    const [header, ...fields] = text?.split('\t') ?? [];
    const [sequence, leaves] = header === undefined ? [0, undefined] : (JSON.parse(header) as Header);
    this.#sequence = sequence;
    this.#far = new PartLeaves('sorted.', parts, undefined, leaves);
    for (let i = 0; i + 1 < fields.length; i += 2) this.#keep(fields[i]!, fields[i + 1]!);
    this.#text = text;
  }

  /** One line; undefined when nothing waits. */
  encode(): string | undefined {
    if (this.isEmpty) return undefined;
    if (this.#text === undefined) {
      const header: Header = [this.#sequence, this.#far.encode()];
      this.#text = [JSON.stringify(header), ...[...this.#near].flat()].join('\t');
    }
    return this.#text;
  }

  get isEmpty(): boolean {
    return this.#near.size === 0 && this.#far.isEmpty;
  }

  add(incoming: Incoming): void {
    const { inlet, keyText, value, timestamp, windows, pane, id } = incoming;
    const text = encodeElement(inlet, keyText, value, { value, timestamp, windows, pane, id });
    const place = String(this.#sequence++).padStart(SEQUENCE_LENGTH, '0');
    this.#keep(sortableInstant(timestamp) + place, text);
    this.#text = undefined;
  }

  /** No timestamp that waits is earlier; `MAX_TIMESTAMP` = nothing waits. */
  next(): EpochMillis {
    const near = this.#queue.peek();
    return earlier(near === undefined ? MAX_TIMESTAMP : instantOf(near), this.#farFrom());
  }

  /** Whether the earliest element, if its timestamp is before `until`, lies in a part; bring it near before `take`. */
  isNextFar(until: EpochMillis): boolean {
    const near = this.#queue.peek();
    const from = this.#farFrom();
    return from < until && from <= (near === undefined ? MAX_TIMESTAMP : instantOf(near));
  }

  /** Moves the part that holds the earliest far elements into the cell. */
  async bringNear(): Promise<void> {
    for (const [key, text] of await this.#far.takeFirst()) this.#keep(key, text);
    this.#text = undefined;
  }

  /** Takes out the earliest element if its timestamp is before `until`. */
  take(until: EpochMillis): Incoming | undefined {
    const near = this.#queue.peek();
    if (near === undefined || instantOf(near) >= until) return undefined;
    const text = this.#near.get(near)!;
    this.#queue.pop();
    this.#near.delete(near);
    this.#weight -= near.length + text.length;
    this.#text = undefined;
    return decodeBody(`[${text}]`)[0]!;
  }

  /** About how many characters could be moved into parts. */
  movable(): number {
    return this.#near.size > 2 * KEPT_NEAR ? this.#weight : 0;
  }

  async spill(): Promise<void> {
    const last = [...this.#near].sort(([a], [b]) => (a < b ? -1 : 1)).slice(KEPT_NEAR);
    for (const key of await this.#far.absorb(new Map(last), SPILL_BUDGET)) {
      this.#weight -= key.length + this.#near.get(key)!.length;
      this.#near.delete(key);
    }
    while (this.#queue.size > 0) this.#queue.pop();
    for (const key of this.#near.keys()) this.#queue.push(key);
    this.#text = undefined;
  }

  #farFrom(): EpochMillis {
    return this.#far.from === undefined ? MAX_TIMESTAMP : instantOf(this.#far.from);
  }

  #keep(key: string, text: string): void {
    this.#near.set(key, text);
    this.#queue.push(key);
    this.#weight += key.length + text.length;
  }
}
