/** The tokens by which the judge knows elements, and what they are called on their way. */
import type { CombineFn } from '../../../functions/model/combine.ts';
import type { Flaw } from '../scenario.ts';

/** An element on its way into a grouping. */
export interface Item {
  readonly token: string;
  readonly key: string;
  readonly flaw?: Flaw;
}

/** The key that a stage of `keys` keys makes of another. */
export function keyIn(key: string, keys: number): string {
  let sum = 0;
  for (let i = 0; i < key.length; i++) sum += key.charCodeAt(i);
  return `k${sum % keys}`;
}

/** What a pane is called in the next stage. */
export function paneToken(key: string, start: number, end: number, index: number): string {
  return `${key}@${start}..${end}#${index}`;
}

/** The token of an element on its way, whatever form it has there; undefined when it has none. */
export function tokenIn(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  const { token, split, id, value: inner } = value as { token?: string; split?: number; id?: string; value?: unknown };
  // Records have an id of their own; so has a message that could not be read, but that is another.
  return token ?? (split === undefined ? tokenIn(inner) : id);
}

/** The tokens of what a grouping was given: an item, a token, or several that were combined. */
export function tokensIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(tokensIn);
  return [(value as Item).token];
}

/** The split of a source as its root is named. */
export function splitName(split: number): string {
  return String(split);
}

/** Lists tokens; throws on an element that is flawed for it. */
export const collectTokens: CombineFn<Pick<Item, 'token' | 'flaw'>, string[], string[]> = {
  create: () => [],
  add: (tokens, { token, flaw }) => {
    tokens.push(token);
    // A combine that throws may have changed the accumulator by then.
    if (flaw === 'add') throw new Error('a combine that throws');
    return tokens;
  },
  merge: (into, from) => {
    into.push(...from);
    return into;
  },
  extract: (tokens) => [...tokens],
};
