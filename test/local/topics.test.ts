/** Messages of a local run, whose clock leaps: each is there once. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { count, fixedWindows } from '../../functions/index.ts';
import { LocalRun } from '../../functions/local/local-run.ts';
import { pipeline } from '../../functions/model/pipeline.ts';

const visits = pipeline('visits', (p) => {
  p.readFile<{ page: string; at: string }>('visits', {
    schema: { parse: (value) => value as { page: string; at: string } },
    eventTime: ({ at }) => at,
    arrivalTime: ({ at }) => at,
  })
    .keyBy('by-page', ({ page }) => page)
    .window('hourly', fixedWindows('1h'))
    .combinePerKey('visits-each', count())
    .writePubSub('counts', { data: ({ key, value }) => `${key} ${value}` });
});

it('each message of a run is in its topic once, however far its clock leaps', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-topics-'));
  try {
    const file = join(folder, 'visits.jsonl');
    const lines = [1, 1, 2, 9, 9, 30].map((day, i) => ({
      page: `p${i % 2}`,
      at: `2026-01-${String(day).padStart(2, '0')}T10:00Z`,
    }));
    await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const run = new LocalRun(visits, { inputs: new Map([['visits', file]]) });
    await run.run();
    expect(run.bus.published.map(({ data }) => data).sort()).toEqual(['p0 1', 'p0 1', 'p0 1', 'p1 1', 'p1 1', 'p1 1']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
