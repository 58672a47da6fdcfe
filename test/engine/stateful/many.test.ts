/** Very many keys and timers: order, pages, crashes, and nothing left behind. */
import { describe, expect, it } from 'vitest';
import { bagState, emits, eventTimer, eventTimerFamily, fixedWindows, valueState } from '../../../functions/index.ts';
import type { KeyedPCollection } from '../../../functions/model/collection.ts';
import type { TestOptions, TestPipeline } from '../../../functions/local/testing.ts';
import { kv, start } from './keyed-stream.ts';

const KEYS = 100_000;

/** A timer for each key, at the instant that its value says, in a window with state. */
function oneEach(stream: KeyedPCollection<string, number>) {
  stream.window('long', fixedWindows(1_000_000)).statefulParDo('timed', {
    emits: emits<number>(),
    state: { seen: valueState<number>(), all: bagState<number>() },
    timers: { t: eventTimer() },
    process({ value }, { state, timers }) {
      state.seen.write(value);
      state.all.add(value);
      timers.t.set(value);
    },
    onTimer: { t: ({ firedAt, output }) => output(firedAt) },
  });
}

async function sendAll(test: TestPipeline, count: number, value: (i: number) => number): Promise<void> {
  for (let from = 0; from < count; from += 5_000)
    await test.send('in', ...Array.from({ length: 5_000 }, (_, i) => kv(`key ${from + i}`, value(from + i), 0)));
}

/** Counts commits that deliver timers, and how many timers each delivers at most. */
function pages(test: TestPipeline, begun: () => number): { count: number; most: number } {
  const { store } = test;
  const { commit } = store;
  const seen = { count: 0, most: 0 };
  store.commit = async (batch) => {
    const before = begun();
    const result = await commit.call(store, batch);
    const cells = [...batch.sets, ...batch.deletes].filter(({ collection }) => collection === 'cells').length;
    if (cells > 0) seen.count += 1;
    seen.most = Math.max(seen.most, cells, begun() - before);
    return result;
  };
  return seen;
}

describe('a hundred thousand timers that are due at once', () => {
  it('of as many keys are delivered in pages, in time order in each shard, and leave nothing', async () => {
    const options: TestOptions = { shards: 1, watch: ['timed'] };
    const test = await start(oneEach, options);
    // 77,777 has no common divisor with 100,000, so each instant comes once and in disorder.
    await sendAll(test, KEYS, (i) => 1 + ((i * 77_777) % KEYS));
    expect(test.store.size('cells')).toBe(KEYS);
    const delivering = pages(test, () => 0);
    await test.advanceWatermark(KEYS + 1);
    expect(delivering.count).toBeGreaterThanOrEqual(KEYS / 1_000);
    expect(delivering.most).toBeLessThanOrEqual(1_000);
    expect(test.outputs('timed')).toEqual(Array.from({ length: KEYS }, (_, i) => i + 1));
    expect(test.store.size('cells')).toBe(KEYS);
    await test.advanceWatermark(1_000_000);
    expect(test.store.size('cells')).toBe(0);
    for (const { body } of test.store.all('roots')) {
      const { holds, eventDue, processingDue } = body as { holds: unknown[]; eventDue: number; processingDue: number };
      expect({ holds, eventDue, processingDue }).toEqual({ holds: [], eventDue: 8.64e15, processingDue: 8.64e15 });
    }
    await test.drain();
    expect(test.remains()).toEqual([]);
  }, 180_000);

  it('of one key, which keeps them in parts, come in time order too, twenty thousand here', async () => {
    const MANY = 20_000;
    const test = await start<number>(
      (stream) =>
        stream.statefulParDo('timed', {
          emits: emits<number>(),
          timers: { each: eventTimerFamily() },
          process({ value }, { timers }) {
            for (let i = value; i < value + 1_000; i++) timers.each.set(`${i}`, 1 + ((i * 7_777) % MANY));
          },
          onTimer: { each: ({ firedAt, output }) => output(firedAt) },
        }),
      { shards: 1, watch: ['timed'] },
    );
    for (let i = 0; i < MANY; i += 1_000) await test.send('in', kv('k', i, 0));
    expect(test.outputWatermark('timed')).toBe(-8.64e15);
    await test.advanceWatermark(MANY + 1);
    expect(test.outputs('timed')).toEqual(Array.from({ length: MANY }, (_, i) => i + 1));
    await test.drain();
    expect(test.remains()).toEqual([]);
  }, 120_000);

  it('none is lost or doubled when the process dies after each page', async () => {
    const keys = 20_000;
    const test = await start(oneEach, { shards: 2, watch: ['timed'], troubles: { crashAfterCommits: true } });
    await sendAll(test, keys, (i) => 1 + ((i * 7_777) % keys));
    await test.advanceWatermark(keys + 1);
    const fired = test.outputs('timed') as number[];
    expect(fired.length).toBe(keys);
    expect(new Set(fired).size).toBe(keys);
    await test.drain();
    expect(test.remains()).toEqual([]);
  }, 120_000);
});
