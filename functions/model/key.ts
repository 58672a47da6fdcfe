/**
 * Keys. Invariant: two keys are equal exactly when their texts are equal (catalogue V07: key encoding is deterministic):
 * members of an object are sorted, numbers are written as JSON writes them, and no text of one kind is one of another.
 */
import { EncodeError } from './errors.ts';

/** What elements can be keyed by. */
export type Key = string | number | boolean | null | readonly Key[] | { readonly [name: string]: Key };

/** A keyed element. */
export interface KV<K, V> {
  readonly key: K;
  readonly value: V;
}

/**
 * The text that stands for a key wherever keys are compared, hashed or stored.
 * @throws {EncodeError} when the value is no key: not JSON, or not finite
 */
export function keyText(key: unknown): string {
  return typeof key === 'string' ? stringText(key) : canonical(key, 0);
}

/** The same keys come again and again; the texts of the newest are kept. */
const MAX_KEPT = 20_000;
let kept = new Map<string, string>();

function stringText(key: string): string {
  let text = kept.get(key);
  if (text === undefined) {
    text = JSON.stringify(key);
    if (kept.size >= MAX_KEPT) kept = new Map();
    if (key.length < 100) kept.set(key, text);
  }
  return text;
}

/** The key that a text stands for. */
export function keyOf(text: string): Key {
  return JSON.parse(text) as Key;
}

function canonical(key: unknown, depth: number): string {
  if (depth > 20) throw new EncodeError('a key is nested deeper than 20');
  switch (typeof key) {
    case 'string':
    case 'boolean':
      return JSON.stringify(key);
    case 'number':
      if (!Number.isFinite(key)) throw new EncodeError(`${key} cannot be a key; keys are finite JSON values`);
      return JSON.stringify(key);
    case 'object':
      break;
    default:
      throw new EncodeError(
        `${key === undefined ? '' : 'a '}${typeof key} cannot be a key; keys are strings, numbers, booleans, null, and arrays or objects of them`,
      );
  }
  if (key === null) return 'null';
  if (Array.isArray(key)) return `[${key.map((member) => canonical(member, depth + 1)).join(',')}]`;
  const prototype = Object.getPrototypeOf(key);
  if (prototype !== Object.prototype && prototype !== null)
    throw new EncodeError(
      `a ${prototype.constructor?.name ?? 'class'} instance cannot be a key; use its text or number`,
    );
  const record = key as Record<string, unknown>;
  const names = Object.keys(record).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(record[name], depth + 1)}`).join(',')}}`;
}
