/** A join beside the groupings: all elements on its left side, every other one on its right too. */
import type { PCollection } from '../../../../functions/model/collection.ts';
import { coGroupByKey } from '../../../../functions/model/transforms/co-group-by-key.ts';
import { fixedWindows } from '../../../../functions/model/windows.ts';
import type { JoinedSpec } from '../../scenario.ts';
import { type Item, keyIn } from '../tokens.ts';
import { TOKENS_BY_WINDOW, tokensByWindow } from './tokens-by-window.ts';

export const JOINED = 'joined';

export function addJoined(items: PCollection<Item>, { windows, lateness, keys, trigger }: JoinedSpec): void {
  const side = (name: string, collection: PCollection<Item>) =>
    collection
      .keyBy(`${JOINED}-${name}-key`, ({ key }) => keyIn(key, keys))
      .mapValues(`${JOINED}-${name}-token`, ({ token }) => token)
      .window(`${JOINED}-${name}-windows`, fixedWindows(windows), {
        trigger,
        accumulation: 'discarding',
        allowedLateness: lateness,
      });
  const right = items.filter(`${JOINED}-odd`, ({ token }) => isOnTheRight(token));
  coGroupByKey(JOINED, { left: side('left', items), right: side('right', right) }).writeBigQuery(`${JOINED}-rows`, {
    ...TOKENS_BY_WINDOW,
    row: ({ key, value }, { window }) =>
      tokensByWindow(String(key), window, [...value.left, ...value.right.map((token) => onTheRight(token))]),
  });
}

export function isOnTheRight(token: string): boolean {
  return Number(token.slice(1)) % 2 === 1;
}

/** What an element of the right side is called in the rows. */
export function onTheRight(token: string): string {
  return `${token} on the right`;
}
