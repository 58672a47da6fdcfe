/** When what failed in a replay has failed that nothing readable has arrived before. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LocalRun } from '../../functions/local/local-run.ts';
import { pipeline } from '../../functions/model/pipeline.ts';

const MAY = Date.parse('2001-05-01T10:00Z');

const replayed = pipeline('replayed', (p) => {
  p.readFile<{ at: number }>('events', {
    schema: {
      parse(value) {
        if (typeof (value as { at: unknown }).at === 'number') return value as { at: number };
        throw new Error('no time');
      },
    },
    eventTime: ({ at }) => at,
    arrivalTime: ({ at }) => at,
  }).writePubSub('out', { data: ({ at }) => String(at) });
});

describe('records of a replay that cannot be read', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-first-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function run(lines: readonly unknown[]) {
    const file = join(folder, 'events.jsonl');
    await writeFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const run = new LocalRun(replayed, { inputs: new Map([['events', file]]) });
    const { events } = await run.run();
    const letters = await run.deadLetters();
    return {
      events,
      failedAt: letters.map((letter) => letter.failedAt),
      out: run.bus.published.map(({ data }) => data),
    };
  }

  it('fail when the first that can be read arrives, where they come before it', async () => {
    const { events, failedAt, out } = await run([{}, { at: 'never' }, { at: MAY }, {}, { at: MAY + 1_000 }]);
    expect(failedAt.slice(0, 2)).toEqual([MAY, MAY]);
    expect(failedAt[2]).toBeGreaterThanOrEqual(MAY);
    expect(failedAt[2]).toBeLessThanOrEqual(MAY + 1_000);
    expect(events).toBe(5);
    expect(out).toEqual([String(MAY), String(MAY + 1_000)]);
  });

  it('fail when the run began, where none can be read', async () => {
    const before = Date.now();
    const { events, failedAt } = await run([{}, {}, {}]);
    expect(events).toBe(3);
    for (const at of failedAt) expect(at).toBeGreaterThanOrEqual(before);
    expect(failedAt).toHaveLength(3);
  });
});
