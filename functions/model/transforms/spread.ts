/**
 * Spreading the elements of one key over several, so that they need not all meet in one place. Invariant: where an element
 * goes follows from the element alone, so that it goes there again when it comes again.
 */
import type { ElementContext } from '../dofn.ts';
import { valueText } from '../json.ts';
import type { Key, KV } from '../key.ts';

/** A key and which of its parts. */
export type SpreadKey<K extends Key> = readonly [key: K, part: number];

/** @param parts over how many parts a key is spread; less than two: not at all */
export function spreadOver<K extends Key, V>(
  parts: (key: K) => number,
): (pair: KV<K, V>, context: ElementContext) => KV<SpreadKey<K>, V> {
  return ({ key, value }, { timestamp }) => {
    const count = parts(key);
    const part = count < 2 ? 0 : hashOf(`${timestamp} ${valueText(value)}`) % count;
    return { key: [key, part], value };
  };
}

/** FNV-1a, 32 bits, with the end of MurmurHash3, since the low bits of neighbours would go together. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
