import type { EpochMillis } from '../../model/time.ts';
import { Readable } from '../../model/readable.ts';
import { KeyedTexts } from './keyed-texts.ts';
import type { Moment } from './moment.ts';
import type { Slot, SlotSetting } from './slot.ts';

/** What sets and maps have in common. */
export abstract class KeyedSlot implements Slot {
  protected readonly what: string;
  readonly #moment: Moment;
  readonly #texts: KeyedTexts;

  constructor(setting: SlotSetting, encoded: string | undefined) {
    this.what = setting.what;
    this.#moment = setting.moment;
    this.#texts = new KeyedTexts(setting, encoded);
  }

  isEmpty(): Readable<boolean> {
    return new Readable(() => this.texts.isEmpty());
  }

  clear(): void {
    this.texts.clear();
  }

  encode(): string | undefined {
    return this.#texts.encode();
  }

  movable(): number {
    return this.#texts.movable();
  }

  spill(): Promise<void> {
    return this.#texts.spill();
  }

  purgeDue(): EpochMillis {
    return this.#texts.purgeDue();
  }

  purge(): void {
    this.#texts.purge();
  }

  drop(): void {
    this.#texts.drop();
  }

  /** For callbacks. */
  protected get texts(): KeyedTexts {
    this.#moment.check();
    return this.#texts;
  }
}
