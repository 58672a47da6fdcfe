import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { boundedOutOfOrderness, count, fixedWindows, pipeline } from '../../functions/index.ts';
import type { Graph } from '../../functions/model/graph.ts';
import { runEmbedded } from './run-embedded.ts';

/** Counts by windows of ten milliseconds; the watermark follows the largest event time closely. */
function counts(allowedLateness: number): Graph {
  return pipeline('counts', (p) => {
    p.readPubSub('events', {
      schema: z.object({ t: z.number() }),
      eventTime: ({ t }) => t,
      arrivalTime: () => 1_000_000,
      watermark: boundedOutOfOrderness(0),
    })
      .keyBy('one-key', () => 'k')
      .window('tens', fixedWindows(10), { allowedLateness, accumulation: 'accumulating' })
      .combinePerKey('counted', count())
      .writeBigQuery('counts-table', {
        table: 'counts',
        columns: { start: 'INT64', n: 'INT64' },
        key: ['start'],
        row: ({ value }, { window }) => ({ start: window.start, n: value }),
      });
  });
}

async function run(
  times: readonly number[],
  allowedLateness: number,
): Promise<{ table: Record<string, number>; late: number }> {
  // One record a bundle, so that the watermark moves between any two of them.
  const { rows, late } = await runEmbedded(
    counts(allowedLateness),
    { events: times.map((t) => ({ t })) },
    { bundle: 1 },
  );
  return { table: Object.fromEntries(rows('counts').map(({ start, n }) => [String(start), Number(n)])), late };
}

describe('exact boundaries', () => {
  it("an element at a window's end belongs to the next window", async () => {
    expect(await run([9, 10], 0)).toEqual({ table: { 0: 1, 10: 1 }, late: 0 });
  });

  it('negative timestamps floor towards the past', async () => {
    expect(await run([-11, -10, -1, 0], 0)).toEqual({ table: { '-20': 1, '-10': 2, 0: 1 }, late: 0 });
  });

  it('a watermark at the last instant of a window still lets elements in', async () => {
    expect(await run([9, 5], 0)).toEqual({ table: { 0: 2 }, late: 0 });
  });

  it("a watermark at a window's end closes it when no lateness is allowed", async () => {
    expect(await run([10, 5], 0)).toEqual({ table: { 10: 1 }, late: 1 });
  });

  it('lateness counts to the millisecond', async () => {
    // The window [0, 10) with lateness 5 expires when the watermark passes 14.
    expect(await run([14, 5], 5)).toEqual({ table: { 0: 1, 10: 1 }, late: 0 });
    expect(await run([15, 5], 5)).toEqual({ table: { 10: 1 }, late: 1 });
  });
});
