/** A grouping beside the others whose keys are hot: each is combined in parts first. */
import type { PCollection } from '../../../../functions/model/collection.ts';
import { fixedWindows } from '../../../../functions/model/windows.ts';
import type { SpreadSpec } from '../../scenario.ts';
import { collectTokens, type Item, keyIn } from '../tokens.ts';
import { TOKENS_BY_WINDOW, tokensByWindow } from './tokens-by-window.ts';

export const SPREAD = 'spread';

export function addSpread(items: PCollection<Item>, { windows, lateness, keys, trigger, fanout }: SpreadSpec): void {
  items
    .keyBy(`${SPREAD}-key`, ({ key }) => keyIn(key, keys))
    .mapValues(`${SPREAD}-token`, ({ token }) => ({ token }))
    .window(`${SPREAD}-windows`, fixedWindows(windows), {
      trigger,
      accumulation: 'discarding',
      allowedLateness: lateness,
    })
    .combinePerKey(SPREAD, collectTokens, { hotKeyFanout: fanout })
    .writeBigQuery(`${SPREAD}-rows`, {
      ...TOKENS_BY_WINDOW,
      row: ({ key, value }, { window }) => tokensByWindow(key, window, value),
    });
}
