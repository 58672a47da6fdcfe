import type { ValueState } from '../../model/state.ts';
import type { EpochMillis } from '../../model/time.ts';
import { Lifetime, type Slot, type SlotSetting } from './slot.ts';
import { printValue, parseValue } from './value-text.ts';

/** One value; always in the cell. */
export class ValueSlot implements ValueState<unknown>, Slot {
  readonly #setting: SlotSetting;
  readonly #lifetime: Lifetime;
  #kept: string | undefined;

  constructor(setting: SlotSetting, encoded: string | undefined) {
    this.#setting = setting;
    this.#lifetime = new Lifetime(setting);
    this.#kept = encoded;
  }

  read(): unknown {
    this.#setting.moment.check();
    const text = this.#lifetime.live(this.#kept);
    return text === undefined ? undefined : parseValue(text);
  }

  write(value: unknown): void {
    this.#setting.moment.check();
    this.#kept = this.#lifetime.stamp(printValue(value, this.#setting.what));
    this.#setting.changed();
  }

  clear(): void {
    this.#setting.moment.check();
    if (this.#kept === undefined) return;
    this.#kept = undefined;
    this.#setting.changed();
  }

  encode(): string | undefined {
    return this.#kept;
  }

  movable(): number {
    return 0;
  }

  spill(): void {}

  purgeDue(): EpochMillis {
    return this.#lifetime.purgeDue(this.#kept === undefined ? undefined : this.#lifetime.writtenAt(this.#kept));
  }

  purge(): void {
    if (this.#lifetime.live(this.#kept) !== undefined || this.#kept === undefined) return;
    this.#kept = undefined;
    this.#setting.changed();
  }

  drop(): void {}
}
