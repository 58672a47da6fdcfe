import { expect, it } from 'vitest';
import { z } from 'zod';
import { rowValues } from '../../../functions/engine/sink/rows.ts';
import { pipeline } from '../../../functions/index.ts';
import type { WriteBigQueryNode } from '../../../functions/model/graph.ts';

const graph = pipeline('orders', (p) => {
  p.readPubSub('orders', { schema: z.object({ id: z.string() }) }).writeBigQuery('totals', {
    columns: { id: 'STRING', cents: 'INT64' },
    key: ['id'],
    row: ({ id }) => ({ id, cents: 0 }),
  });
});
const node = graph.nodes.find(({ name }) => name === 'totals') as WriteBigQueryNode;

it.each([
  [Number.NaN, 'NaN'],
  [Number.POSITIVE_INFINITY, 'Infinity'],
  [null, 'null'],
  [undefined, 'undefined'],
  ['many', '"many"'],
])('a refused value %s is named as it is', (cents, named) => {
  expect(() => rowValues(node, { id: 'a', cents })).toThrow(`table 'totals', column 'cents': ${named} is no INT64`);
});
