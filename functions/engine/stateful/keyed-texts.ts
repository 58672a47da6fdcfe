/**
 * Texts by key: what sets and maps are made of. The newest changes lie in the cell; when they are too many they move into
 * parts together, so changing a key reads nothing, and reading one reads few parts, mostly one.
 */
import type { EpochMillis } from '../../model/time.ts';
import { keyHash } from '../chain/outlet.ts';
import { type EncodedKeyedParts, KeyedParts, REMOVED } from './keyed-parts.ts';
import { earliestOf, Lifetime, type SlotSetting } from './slot.ts';

export class KeyedTexts {
  readonly #setting: SlotSetting;
  readonly #lifetime: Lifetime;
  /** By key text; null = removed, though a part may still hold it. */
  readonly #near = new Map<string, string | null>();
  readonly #far: KeyedParts;
  readonly #pending = new Map<string, Promise<unknown>>();
  #weight = 0;
  /** Counts the times everything was removed, so that what was asked before does not take effect after. */
  #generation = 0;

  /** @param encoded `[leaves]`, then key and text of each, parted by tabs */
  constructor(setting: SlotSetting, encoded: string | undefined) {
    this.#setting = setting;
    this.#lifetime = new Lifetime(setting);
    // What says that a text was removed lives as long as that could: else the text would come back.
    const newest = (texts: readonly string[]): number =>
      Math.max(...texts.map((kept) => (kept === REMOVED ? this.#lifetime.now() : this.#lifetime.writtenAt(kept))));
    const [header, ...fields] = encoded?.split('\t') ?? [];
    const leaves = header === undefined ? undefined : (JSON.parse(header) as EncodedKeyedParts);
    this.#far = new KeyedParts(setting.prefix, setting.parts, newest, leaves);
    for (let i = 0; i + 1 < fields.length; i += 2)
      this.#keep(fields[i]!, fields[i + 1] === REMOVED ? null : fields[i + 1]!);
  }

  get(key: string): string | undefined | Promise<string | undefined> {
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending.then(() => this.#lookUp(key));
    return this.#lookUp(key);
  }

  put(key: string, text: string): void {
    this.#keep(key, this.#lifetime.stamp(text));
    this.#setting.changed();
  }

  remove(key: string): void {
    this.#keep(key, this.#far.isEmpty ? undefined : null);
    this.#setting.changed();
  }

  /**
   * Puts what `make` gives unless the key is there; takes effect whether or not anybody waits for the answer.
   * @returns the text that was there before, and the one that is there now
   */
  putIfAbsent(key: string, make: () => string): PutIfAbsent | Promise<PutIfAbsent> {
    const before = this.get(key);
    if (!(before instanceof Promise)) return this.#settle(key, before, make);
    const generation = this.#generation;
    const work = before.then((text) => {
      // What was put, or cleared, since it was asked is newer.
      const now = this.#near.get(key) ?? undefined;
      if (this.#near.has(key) || generation !== this.#generation)
        return { before: text, now: this.#lifetime.live(now) };
      return this.#settle(key, text, make);
    });
    this.#pending.set(key, work);
    const done = (): void => {
      if (this.#pending.get(key) === work) this.#pending.delete(key);
    };
    work.then(done, done);
    this.#setting.moment.defer(work);
    return work;
  }

  async entries(): Promise<(readonly [key: string, text: string])[]> {
    while (this.#pending.size > 0) await Promise.all(this.#pending.values());
    const near = new Map(this.#near);
    const result: (readonly [string, string])[] = [];
    const add = (key: string, kept: string | null | undefined): void => {
      const text = this.#lifetime.live(kept ?? undefined);
      if (text !== undefined) result.push([key, text]);
    };
    for (const [sorted, kept] of await this.#far.entries()) {
      const key = keyOfSorted(sorted);
      if (!near.has(key)) add(key, kept);
    }
    for (const [key, kept] of near) add(key, kept);
    return result;
  }

  /** Reads parts only where nothing in the cell answers. */
  async isEmpty(): Promise<boolean> {
    for (const kept of this.#near.values()) if (this.#lifetime.live(kept ?? undefined) !== undefined) return false;
    if (this.#far.isEmpty && this.#pending.size === 0) return true;
    return (await this.entries()).length === 0;
  }

  clear(): void {
    this.#generation += 1;
    this.#near.clear();
    this.#weight = 0;
    this.#far.drop();
    this.#setting.changed();
  }

  encode(): string | undefined {
    if (this.#far.isEmpty && this.#near.size === 0) return undefined;
    const fields = [JSON.stringify(this.#far.encode())];
    for (const [key, kept] of this.#near) fields.push(key, kept ?? REMOVED);
    return fields.join('\t');
  }

  movable(): number {
    return this.#weight;
  }

  async spill(): Promise<void> {
    const changes = new Map([...this.#near].map(([key, kept]) => [sortedKey(key), kept] as const));
    await this.#far.absorb(changes);
    this.#near.clear();
    this.#weight = 0;
    this.#setting.changed();
  }

  purgeDue(): EpochMillis {
    const written = [...this.#near.values()].flatMap((kept) => (kept === null ? [] : [this.#lifetime.writtenAt(kept)]));
    return this.#lifetime.purgeDue(earliestOf([...written, ...(this.#far.summaries() as EpochMillis[])]));
  }

  purge(): void {
    this.#far.dropWhere((newest) => this.#lifetime.isOver(newest as EpochMillis));
    for (const [key, kept] of this.#near)
      if (kept === null ? this.#far.isEmpty : this.#lifetime.live(kept) === undefined)
        this.#keep(key, this.#far.isEmpty ? undefined : null);
    this.#setting.changed();
  }

  drop(): void {
    this.#far.drop();
  }

  #lookUp(key: string): string | undefined | Promise<string | undefined> {
    const near = this.#near.get(key);
    if (near !== undefined) return this.#lifetime.live(near ?? undefined);
    const far = this.#far.get(sortedKey(key));
    return far instanceof Promise ? far.then((kept) => this.#lifetime.live(kept)) : this.#lifetime.live(far);
  }

  #settle(key: string, before: string | undefined, make: () => string): PutIfAbsent {
    if (before !== undefined) return { before, now: before };
    const text = make();
    this.put(key, text);
    return { before, now: text };
  }

  /** Undefined = the cell knows nothing of the key. */
  #keep(key: string, kept: string | null | undefined): void {
    const known = this.#near.get(key);
    if (known !== undefined) this.#weight -= weightOf(key, known);
    if (kept === undefined) this.#near.delete(key);
    else {
      this.#near.set(key, kept);
      this.#weight += weightOf(key, kept);
    }
  }
}

export interface PutIfAbsent {
  readonly before: string | undefined;
  readonly now: string | undefined;
}

const HASH_LENGTH = 8;

/** Spreads keys evenly over the leaves, whatever they have in common. */
function sortedKey(key: string): string {
  return keyHash(key).slice(0, HASH_LENGTH) + key;
}

function keyOfSorted(sorted: string): string {
  return sorted.slice(HASH_LENGTH);
}

function weightOf(key: string, kept: string | null): number {
  return key.length + (kept?.length ?? 1) + 2;
}
