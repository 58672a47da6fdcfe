/** Of the elements of one key and window only the first passes, and goes to a table. */
import type { PCollection } from '../../../../functions/model/collection.ts';
import { fixedWindows } from '../../../../functions/model/windows.ts';
import type { DistinctSpec } from '../../scenario.ts';
import { type Item, keyIn } from '../tokens.ts';
import { TOKENS_BY_WINDOW, tokensByWindow } from './tokens-by-window.ts';

export const DISTINCT = 'distinct';

export function addDistinct(items: PCollection<Item>, { windows, keys, clock, horizon }: DistinctSpec): void {
  items
    .keyBy(`${DISTINCT}-key`, ({ key }) => keyIn(key, keys))
    .window(`${DISTINCT}-windows`, fixedWindows(windows))
    .deduplicate(DISTINCT, { clock, horizon })
    .writeBigQuery(`${DISTINCT}-rows`, {
      ...TOKENS_BY_WINDOW,
      row: ({ key, value }, { window }) => tokensByWindow(key, window, [value.token]),
    });
}
