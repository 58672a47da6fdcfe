import { type Key, keyOf, keyText } from '../../model/key.ts';
import { Readable } from '../../model/readable.ts';
import type { SetState } from '../../model/state.ts';
import { KeyedSlot } from './keyed-slot.ts';

/** What a set keeps beside each element. */
const PRESENT = '1';

export class SetSlot extends KeyedSlot implements SetState<Key> {
  add(value: Key): void {
    this.texts.put(keyText(value), PRESENT);
  }

  addIfAbsent(value: Key): Readable<boolean> {
    const put = this.texts.putIfAbsent(keyText(value), () => PRESENT);
    return new Readable(async () => (await put).before === undefined);
  }

  has(value: Key): Readable<boolean> {
    return new Readable(async () => (await this.texts.get(keyText(value))) !== undefined);
  }

  remove(value: Key): void {
    this.texts.remove(keyText(value));
  }

  async read(): Promise<readonly Key[]> {
    return (await this.texts.entries()).map(([key]) => keyOf(key));
  }
}
