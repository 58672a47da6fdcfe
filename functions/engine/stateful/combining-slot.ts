import type { CombineFn } from '../../model/combine.ts';
import type { CombiningState } from '../../model/state.ts';
import type { EpochMillis } from '../../model/time.ts';
import { Lifetime, type Slot, type SlotSetting } from './slot.ts';
import { printValue, parseValue } from './value-text.ts';

/** An accumulator; always in the cell. It lives as an object while it is added to, and is written once a bundle. */
export class CombiningSlot implements CombiningState<unknown, unknown>, Slot {
  readonly #setting: SlotSetting;
  readonly #combine: CombineFn<unknown, unknown, unknown>;
  readonly #lifetime: Lifetime;
  #kept: string | undefined;
  /** The accumulator while it is ahead of what is kept. */
  #live: { readonly accumulator: unknown } | undefined;

  constructor(setting: SlotSetting, combine: CombineFn<unknown, unknown, unknown>, encoded: string | undefined) {
    this.#setting = setting;
    this.#combine = combine;
    this.#lifetime = new Lifetime(setting);
    this.#kept = encoded;
  }

  add(value: unknown): void {
    this.#setting.moment.check();
    this.#setting.changed();
    const accumulator = this.#combine.add(this.#accumulator() ?? this.#combine.create(), value);
    this.#live = { accumulator };
  }

  read(): unknown {
    this.#setting.moment.check();
    return this.#combine.extract(this.#accumulator() ?? this.#combine.create());
  }

  isEmpty(): boolean {
    this.#setting.moment.check();
    return this.#live === undefined && this.#lifetime.live(this.#kept) === undefined;
  }

  clear(): void {
    this.#setting.moment.check();
    if (this.#kept === undefined && this.#live === undefined) return;
    this.#kept = undefined;
    this.#live = undefined;
    this.#setting.changed();
  }

  encode(): string | undefined {
    if (this.#live !== undefined) {
      this.#kept = this.#lifetime.stamp(printValue(this.#live.accumulator, this.#setting.what));
      this.#live = undefined;
    }
    return this.#kept;
  }

  movable(): number {
    return 0;
  }

  spill(): void {}

  purgeDue(): EpochMillis {
    const kept = this.encode();
    return this.#lifetime.purgeDue(kept === undefined ? undefined : this.#lifetime.writtenAt(kept));
  }

  purge(): void {
    const kept = this.encode();
    if (kept === undefined || this.#lifetime.live(kept) !== undefined) return;
    this.#kept = undefined;
    this.#setting.changed();
  }

  drop(): void {}

  /** Of nothing, undefined; an accumulator itself is JSON and so never undefined. */
  #accumulator(): unknown {
    if (this.#live !== undefined) return this.#live.accumulator;
    const text = this.#lifetime.live(this.#kept);
    return text === undefined ? undefined : parseValue(text);
  }
}
