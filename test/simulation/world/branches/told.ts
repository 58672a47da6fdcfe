/** Elements are looked up in a store outside, and what it has of them is published to a topic outside. */
import type { PCollection } from '../../../../functions/model/collection.ts';
import { lookUp } from '../../../../functions/model/transforms/look-up.ts';
import type { ToldSpec } from '../../scenario.ts';
import { type Item, keyIn } from '../tokens.ts';
import type { Outside } from '../outside.ts';

export const TOLD = 'told';

/** What is published of an element. */
export interface Told {
  readonly token: string;
  readonly key: string;
  readonly found: string | null;
}

export function addTold(items: PCollection<Item>, { keys, batch, entries, ttl }: ToldSpec, outside: Outside): void {
  lookUp(`${TOLD}-look-up`, items, {
    key: ({ key }) => keyIn(key, keys),
    client: () => ({ get: (wanted: readonly string[]) => outside.lookUp(wanted) }),
    batch,
    cache: { entries, ttl, negativeTtl: ttl },
  })
    .map(`${TOLD}-message`, ({ value, found }): Told => ({ token: value.token, key: keyIn(value.key, keys), found }))
    .writePubSub(TOLD, {});
}
