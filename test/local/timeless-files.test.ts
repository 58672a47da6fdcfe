import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { boundedOutOfOrderness, emits, pipeline, type ViewOptions } from '../../functions/index.ts';
import { LocalRun } from '../../functions/local/local-run.ts';
import type { Graph } from '../../functions/model/graph.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-timeless-'));
});
afterAll(() => rm(folder, { recursive: true }));

const Shop = z.object({ shop: z.string(), region: z.string() });
const Sale = z.object({ id: z.number(), shop: z.string(), at: z.string() });

/** Sales, replayed, each with the region of its shop, which stands in a file without times. */
function regions(options: ViewOptions = {}): Graph {
  return pipeline('regions', (p) => {
    const regionOf = p
      .readFile('shops', { schema: Shop })
      .keyBy('by-shop', ({ shop }) => shop)
      .asMap('region-of', options);
    p.readPubSub('sales', {
      schema: Sale,
      eventTime: ({ at }) => at,
      arrivalTime: ({ at }) => at,
      watermark: boundedOutOfOrderness('1m'),
    })
      .parDo(
        'with-region',
        {
          emits: emits<{ id: number; region: string }>(),
          async process({ id, shop }, { side, output }) {
            output({ id, region: (await side.regionOf.get(shop))?.region ?? 'none' });
          },
        },
        { sideInputs: { regionOf } },
      )
      .writeBigQuery('sold', { columns: { id: 'INT64', region: 'STRING' }, key: ['id'], row: (row) => row });
  });
}

async function ran(graph: Graph): Promise<unknown> {
  await writeFile(join(folder, 'shops.csv'), 'shop,region\na,north\nb,south\n');
  const sales = [
    { id: 1, shop: 'a', at: '2026-01-01T10:00:00Z' },
    { id: 2, shop: 'b', at: '2026-01-01T12:00:00Z' },
    { id: 3, shop: 'c', at: '2026-01-01T14:00:00Z' },
  ];
  await writeFile(join(folder, 'sales.jsonl'), sales.map((sale) => JSON.stringify(sale)).join('\n'));
  const inputs = new Map(['shops.csv', 'sales.jsonl'].map((name) => [name.split('.')[0]!, join(folder, name)]));
  const run = new LocalRun(graph, { inputs });
  const { deadLettered } = await run.run();
  return { rows: [...run.warehouse.rows('sold')].map(({ id, region }) => [id, region]), deadLettered };
}

const WITH_REGIONS = {
  rows: [
    [1, 'north'],
    [2, 'south'],
    [3, 'none'],
  ],
  deadLettered: 0,
};

it('a file without times is there from when a replay began', async () => {
  expect(await ran(regions())).toEqual(WITH_REGIONS);
});

it('and each time that a view reads it again', async () => {
  expect(await ran(regions({ refreshEvery: '1h' }))).toEqual(WITH_REGIONS);
});

it('messages without times are refused in a replay, which could not say when they came', async () => {
  const graph = pipeline('two', (p) => {
    p.readPubSub('shops', { schema: Shop });
    p.readPubSub('sales', { schema: Sale, arrivalTime: ({ at }) => at });
  });
  await expect(ran(graph)).rejects.toThrow(
    "source 'shops' has neither eventTime nor arrivalTime; in a replay (another source has an arrivalTime) nobody knows when",
  );
});
