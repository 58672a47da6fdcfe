/**
 * Elements that wait for the watermark, to be taken in the order of their timestamps. Those that come last move into parts
 * when there are too many. Invariant: elements of one timestamp come out as they came in.
 */
import { type EpochMillis, earlier, MAX_TIMESTAMP } from '../../model/time.ts';
import { decodeBody, encodeElement, type Incoming } from '../element-codec.ts';
import type { CellParts } from '../shard/cell-parts.ts';
import { MinHeap } from './min-heap.ts';
import { type EncodedRuns, SortedRuns } from './sorted-runs.ts';
import { instantOf, sortableInstant } from './timer-text.ts';

type Header = readonly [sequence: number, runs: EncodedRuns | null];

/** An element in the cell itself. */
interface Near {
  /** By it the elements are sorted: the timestamp, and the place among those of one timestamp. */
  readonly key: string;
  readonly timestamp: EpochMillis;
  readonly text: string;
  /** Only of one that has come since the cell was read. */
  readonly incoming: Incoming | undefined;
}

const SEQUENCE_LENGTH = 12;

export class SortedBuffer {
  readonly #near = new MinHeap<Near>((a, b) => a.key < b.key);
  readonly #parts: CellParts;
  #far: SortedRuns | undefined;
  #sequence = 0;
  #weight = 0;
  #text: string | undefined;

  /** @param text what `encode` gave; undefined for an empty one */
  constructor(parts: CellParts, text: string | undefined) {
    this.#parts = parts;
    if (text === undefined) return;
    const [header, ...fields] = text.split('\t');
    const [sequence, runs] = JSON.parse(header!) as Header;
    this.#sequence = sequence;
    if (runs !== null) this.#far = this.#runs(runs);
    for (let i = 0; i + 1 < fields.length; i += 2)
      this.#keep({ key: fields[i]!, timestamp: instantOf(fields[i]!), text: fields[i + 1]!, incoming: undefined });
    this.#text = text;
  }

  /** One line; undefined when nothing waits. */
  encode(): string | undefined {
    if (this.isEmpty) return undefined;
    if (this.#text === undefined) {
      const header: Header = [this.#sequence, this.#far?.encode() ?? null];
      let line = JSON.stringify(header);
      for (const { key, text } of this.#near.items()) line += `\t${key}\t${text}`;
      this.#text = line;
    }
    return this.#text;
  }

  get isEmpty(): boolean {
    return this.#near.size === 0 && (this.#far === undefined || this.#far.isEmpty);
  }

  add(incoming: Incoming): void {
    const { inlet, keyText, value, timestamp, windows, pane, id } = incoming;
    const text = encodeElement(inlet, keyText, value, { value, timestamp, windows, pane, id });
    const place = String(this.#sequence++).padStart(SEQUENCE_LENGTH, '0');
    this.#keep({ key: sortableInstant(timestamp) + place, timestamp, text, incoming });
    this.#text = undefined;
  }

  /** No timestamp that waits is earlier; `MAX_TIMESTAMP` = nothing waits. */
  next(): EpochMillis {
    const near = this.#near.peek()?.timestamp ?? MAX_TIMESTAMP;
    return this.#far === undefined ? near : earlier(near, this.#farFrom());
  }

  /** Whether a part must be read before `take` for timestamps before `until`. */
  isNextFar(until: EpochMillis): boolean {
    return this.#isFarNext(until) && !this.#far!.isLoaded;
  }

  /** Reads what `take` needs next. */
  async bringNear(): Promise<void> {
    await this.#far?.load();
  }

  /** Takes out the earliest element if its timestamp is before `until`. */
  take(until: EpochMillis): Incoming | undefined {
    this.#text = undefined;
    if (this.#isFarNext(until)) {
      const entry = this.#far!.take();
      return entry === undefined ? undefined : elementOf(entry[1]);
    }
    const near = this.#near.peek();
    if (near === undefined || near.timestamp >= until) return undefined;
    this.#near.pop();
    this.#weight -= weightOf(near);
    return near.incoming ?? elementOf(near.text);
  }

  /** About how many characters could be moved into parts. */
  movable(): number {
    return this.#near.size > 2 * this.#parts.limits.elementsNear ? this.#weight : 0;
  }

  async spill(): Promise<void> {
    const { elementsNear } = this.#parts.limits;
    const sorted = [...this.#near.items()].sort((a, b) => (a.key < b.key ? -1 : 1));
    this.#far ??= this.#runs(undefined);
    await this.#far.add(sorted.slice(elementsNear).map(({ key, text }) => [key, text] as const));
    this.#near.clear();
    this.#weight = 0;
    for (const near of sorted.slice(0, elementsNear)) this.#keep(near);
    this.#text = undefined;
  }

  #farFrom(): EpochMillis {
    const next = this.#far?.next();
    return next === undefined ? MAX_TIMESTAMP : instantOf(next);
  }

  /** Whether the earliest element before `until` may be a far one. Of one instant, what was moved away came first. */
  #isFarNext(until: EpochMillis): boolean {
    const next = this.#far?.next();
    if (next === undefined) return false;
    const near = this.#near.peek();
    return this.#farFrom() < until && (near === undefined || next <= near.key);
  }

  #runs(encoded: EncodedRuns | undefined): SortedRuns {
    return new SortedRuns('sorted.', this.#parts, () => 0, encoded);
  }

  #keep(near: Near): void {
    this.#near.push(near);
    this.#weight += weightOf(near);
  }
}

function weightOf({ key, text }: Near): number {
  return key.length + text.length;
}

function elementOf(text: string): Incoming {
  return decodeBody(`[${text}]`)[0]!;
}
