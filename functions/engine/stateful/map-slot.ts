import { type Key, keyOf, keyText } from '../../model/key.ts';
import { Readable } from '../../model/readable.ts';
import type { MapState } from '../../model/state.ts';
import { KeyedSlot } from './keyed-slot.ts';
import { printValue, parseValue } from './value-text.ts';

export class MapSlot extends KeyedSlot implements MapState<Key, unknown> {
  get(key: Key): Readable<unknown> {
    return new Readable(async () => optional(await this.texts.get(keyText(key))));
  }

  has(key: Key): Readable<boolean> {
    return new Readable(async () => (await this.texts.get(keyText(key))) !== undefined);
  }

  put(key: Key, value: unknown): void {
    this.texts.put(keyText(key), printValue(value, this.what));
  }

  putIfAbsent(key: Key, value: unknown): Readable<unknown> {
    const text = printValue(value, this.what);
    const put = this.texts.putIfAbsent(keyText(key), () => text);
    return new Readable(async () => optional((await put).before));
  }

  computeIfAbsent(key: Key, compute: (key: Key) => unknown): Readable<unknown> {
    const put = this.texts.putIfAbsent(keyText(key), () => printValue(compute(key), this.what));
    return new Readable(async () => optional((await put).now));
  }

  remove(key: Key): void {
    this.texts.remove(keyText(key));
  }

  keys(): Readable<readonly Key[]> {
    return new Readable(async () => (await this.texts.entries()).map(([key]) => keyOf(key)));
  }

  values(): Readable<readonly unknown[]> {
    return new Readable(async () => (await this.texts.entries()).map(([, text]) => parseValue(text)));
  }

  entries(): Readable<readonly (readonly [Key, unknown])[]> {
    return new Readable(async () =>
      (await this.texts.entries()).map(([key, text]) => [keyOf(key), parseValue(text)] as const),
    );
  }
}

function optional(text: string | undefined): unknown {
  return text === undefined ? undefined : parseValue(text);
}
