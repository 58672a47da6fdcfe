/** Elements beside the groupings, each a row of a table that refuses some of them. */
import type { PCollection } from '../../../../functions/model/collection.ts';
import type { StoredSpec } from '../../scenario.ts';
import type { Item } from '../tokens.ts';
import { REFUSED } from '../warehouse.ts';

export const STORED = 'stored';

export function addStored(items: PCollection<Item>, { hasKey, refuses, flushRows }: StoredSpec): void {
  items.writeBigQuery(`${STORED}-rows`, {
    columns: { token: 'STRING', note: 'STRING' },
    key: hasKey ? ['token'] : [],
    row: ({ token }) => ({ token, note: isRefused(token, refuses) ? REFUSED : 'fine' }),
    flush: { rows: flushRows, every: 10_000 },
  });
}

export function isRefused(token: string, refuses: number): boolean {
  return Number(token.slice(1)) % refuses === 0;
}
