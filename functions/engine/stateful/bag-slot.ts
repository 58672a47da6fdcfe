import { Readable } from '../../model/readable.ts';
import type { BagState } from '../../model/state.ts';
import type { EpochMillis } from '../../model/time.ts';
import { earliestOf, Lifetime, type Slot, type SlotSetting } from './slot.ts';
import { printValue, parseValue } from './value-text.ts';

/** A part that holds the elements between two others, and when the newest of them was written. */
type Chunk = readonly [id: number, newest: EpochMillis];

/** `[next chunk, chunks]`, then the elements that are still in the cell, parted by tabs. */
type Header = readonly [next: number, chunks: readonly Chunk[]];

/**
 * Elements in order: the older ones in parts, sealed once they are written, the newest in the cell. So adding touches no
 * part, and clearing needs only their names.
 */
export class BagSlot implements BagState<unknown>, Slot {
  readonly #setting: SlotSetting;
  readonly #lifetime: Lifetime;
  #next = 0;
  #chunks: readonly Chunk[] = [];
  #tail: string[] = [];
  #weight = 0;

  constructor(setting: SlotSetting, encoded: string | undefined) {
    this.#setting = setting;
    this.#lifetime = new Lifetime(setting);
    if (encoded === undefined) return;
    const [header, ...tail] = encoded.split('\t');
    [this.#next, this.#chunks] = JSON.parse(header!) as Header;
    this.#tail = tail;
    this.#weight = encoded.length - header!.length;
  }

  add(value: unknown): void {
    this.#setting.moment.check();
    const kept = this.#lifetime.stamp(printValue(value, this.#setting.what));
    this.#tail.push(kept);
    this.#weight += kept.length + 1;
    this.#setting.changed();
  }

  async read(): Promise<readonly unknown[]> {
    this.#setting.moment.check();
    const tail = this.#tail.slice();
    const bodies = await this.#setting.parts.readAll(this.#chunks.map((chunk) => this.#name(chunk)));
    const kept = bodies.flatMap((body) => body.split('\t')).concat(tail);
    const values: unknown[] = [];
    for (const each of kept) {
      const text = this.#lifetime.live(each);
      if (text !== undefined) values.push(parseValue(text));
    }
    return values;
  }

  isEmpty(): Readable<boolean> {
    return new Readable(() => {
      this.#setting.moment.check();
      const lives = (written: EpochMillis): boolean => !this.#lifetime.isOver(written);
      return (
        !this.#chunks.some(([, newest]) => lives(newest)) &&
        !this.#tail.some((kept) => lives(this.#lifetime.writtenAt(kept)))
      );
    });
  }

  clear(): void {
    this.#setting.moment.check();
    if (this.#tail.length + this.#chunks.length === 0) return;
    this.drop();
    this.#tail = [];
    this.#weight = 0;
    this.#setting.changed();
  }

  encode(): string | undefined {
    if (this.#tail.length + this.#chunks.length === 0) return undefined;
    const header: Header = [this.#next, this.#chunks];
    return [JSON.stringify(header), ...this.#tail].join('\t');
  }

  movable(): number {
    return this.#weight;
  }

  spill(): void {
    const newest = Math.max(...this.#tail.map((kept) => this.#lifetime.writtenAt(kept))) as EpochMillis;
    const chunk: Chunk = [this.#next++, newest];
    this.#setting.parts.write(this.#name(chunk), this.#tail.join('\t'));
    this.#chunks = [...this.#chunks, chunk];
    this.#tail = [];
    this.#weight = 0;
    this.#setting.changed();
  }

  purgeDue(): EpochMillis {
    const [oldest] = this.#chunks;
    if (oldest !== undefined) return this.#lifetime.purgeDue(oldest[1]);
    return this.#lifetime.purgeDue(earliestOf(this.#tail.map((kept) => this.#lifetime.writtenAt(kept))));
  }

  purge(): void {
    for (const chunk of this.#chunks)
      if (this.#lifetime.isOver(chunk[1])) this.#setting.parts.delete(this.#name(chunk));
    this.#chunks = this.#chunks.filter(([, newest]) => !this.#lifetime.isOver(newest));
    this.#tail = this.#tail.filter((kept) => this.#lifetime.live(kept) !== undefined);
    this.#weight = this.#tail.reduce((sum, kept) => sum + kept.length + 1, 0);
    this.#setting.changed();
  }

  drop(): void {
    for (const chunk of this.#chunks) this.#setting.parts.delete(this.#name(chunk));
    this.#chunks = [];
  }

  #name([id]: Chunk): string {
    return `${this.#setting.prefix}${id}`;
  }
}
