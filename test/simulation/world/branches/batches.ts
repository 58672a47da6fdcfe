/** Batches beside the groupings: what was batched goes to a table, a row a batch. */
import type { PCollection } from '../../../../functions/model/collection.ts';
import { fixedWindows } from '../../../../functions/model/windows.ts';
import type { BatchesSpec } from '../../scenario.ts';
import { type Item, keyIn } from '../tokens.ts';

export const BATCHES = 'batches';

export function addBatches(items: PCollection<Item>, spec: BatchesSpec): void {
  const { windows, keys, size, maxBuffering, spread } = spec;
  items
    .keyBy(`${BATCHES}-key`, ({ key }) => keyIn(key, keys))
    .mapValues(`${BATCHES}-token`, ({ token }) => token)
    .window(`${BATCHES}-windows`, fixedWindows(windows))
    .groupIntoBatches(BATCHES, { size, shards: spread, ...(maxBuffering === undefined ? {} : { maxBuffering }) })
    .writeBigQuery(`${BATCHES}-rows`, {
      columns: { k: 'STRING', window_start: 'INT64', window_end: 'INT64', tokens: 'JSON' },
      key: [],
      row: ({ key, value }, { window }) => ({
        k: key,
        window_start: window.start,
        window_end: window.end,
        tokens: value,
      }),
      flush: { rows: 10, every: 10_000 },
    });
}
