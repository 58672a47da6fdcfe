import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { lookUp, pipeline, RetryableError } from '../../functions/index.ts';
import { LocalRun } from '../../functions/local/local-run.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-run-clock-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('a run waits for a store that is away for a while, and goes on', async () => {
  const file = join(folder, 'payments.jsonl');
  await writeFile(file, '{"merchant":"m1"}\n');
  let asked = 0;
  const client = () => ({
    async get(keys: readonly string[]) {
      asked += 1;
      if (asked < 3) throw new RetryableError('the store is away');
      return keys.map((key) => ({ name: `name of ${key}` }));
    },
  });
  const graph = pipeline('named-payments', (p) => {
    const payments = p.readPubSub('payments', { schema: z.object({ merchant: z.string() }) });
    lookUp('with-merchant', payments, { key: ({ merchant }) => merchant, client }).writeBigQuery('named', {
      columns: { merchant: 'STRING', name: 'STRING' },
      key: ['merchant'],
      row: ({ value, found }) => ({ merchant: value.merchant, name: found?.name ?? '' }),
    });
  });
  const run = new LocalRun(graph, { inputs: new Map([['payments', file]]) });
  expect(await run.run()).toMatchObject({ events: 1, deadLettered: 0 });
  expect(asked).toBe(3);
  expect([...run.warehouse.rows('named')]).toMatchObject([{ merchant: 'm1', name: 'name of m1' }]);
});
