/** Deduplicate (catalogue L10). */
import { describe, expect, it } from 'vitest';
import { fixedWindows, pipeline, sessions } from '../../../functions/index.ts';
import type { PCollection } from '../../../functions/model/collection.ts';
import { type TestOptions, testPipeline, timestamped } from '../../../functions/local/testing.ts';
import { keyed, kv, start, values } from '../stateful/keyed-stream.ts';

interface Event {
  readonly id: string;
  readonly n: number;
}

function once(build: (events: PCollection<Event>) => void, options: TestOptions = {}) {
  return testPipeline(
    pipeline('p', (p) => build(values<Event>(p))),
    options,
  );
}

const event = (id: string, n: number, at: number) => timestamped({ id, n }, at);
const numbers = (outputs: readonly unknown[]): number[] => outputs.map((output) => (output as Event).n);

describe('the first of each', () => {
  it('L10: passes in each window', async () => {
    const test = await start<number>((stream) => {
      stream.window('thirties', fixedWindows('30s')).deduplicate('once');
    });
    const at = [0, 10, 20, 30, 40, 50].map((second) => second * 1_000);
    for (const [i, time] of at.entries())
      await test.send('in', kv(`k${(i % 3) + 1}`, i, time), kv(`k${(i % 3) + 1}`, 99, time));
    const passed = test
      .panes('once')
      .map(({ value, window }) => `${(value as Any).key} ${(value as Any).value} in ${window.start}`);
    expect(passed.sort()).toEqual([
      'k1 0 in 0',
      'k1 3 in 30000',
      'k2 1 in 0',
      'k2 4 in 30000',
      'k3 2 in 0',
      'k3 5 in 30000',
    ]);
  });

  it('in one bundle and over bundles; what passes stays as it was', async () => {
    const test = await once((events) => events.deduplicate('once', { by: ({ id }) => id }));
    await test.send('in', event('a', 1, 5), event('a', 2, 6), event('b', 3, 7));
    await test.send('in', event('a', 4, 8), event('c', 5, 3));
    expect(test.panes('once').map(({ value, timestamp }) => [value, timestamp])).toEqual(
      expect.arrayContaining([
        [{ id: 'a', n: 1 }, 5],
        [{ id: 'b', n: 3 }, 7],
        [{ id: 'c', n: 5 }, 3],
      ]),
    );
    expect(test.outputs('once').length).toBe(3);
  });

  it('by the element itself where nothing else is said', async () => {
    const test = await testPipeline(
      pipeline('p', (p) => {
        values<unknown>(p).deduplicate('once');
      }),
    );
    const at = (value: unknown) => timestamped(value, 1);
    await test.send('in', at(1), at('1'), at(1), at({ a: 1, b: 2 }), at({ b: 2, a: 1 }), at(null), at(null));
    expect(test.outputs('once').length).toBe(4);
  });

  it('in several windows at once, in those in which it is the first', async () => {
    const { slidingWindows } = await import('../../../functions/index.ts');
    const test = await once((events) =>
      events.window('sliding', slidingWindows(20, { every: 10 })).deduplicate('once', { by: ({ id }) => id }),
    );
    await test.send('in', event('a', 1, 5));
    await test.send('in', event('a', 2, 15));
    expect(test.panes('once').map(({ value, window }) => [(value as Event).n, window.start])).toEqual([
      [1, 0],
      [1, -10],
      [2, 10],
    ]);
  });
});

describe('the horizon', () => {
  it('in processing time is ten minutes unless said otherwise, and is kept at least so long', async () => {
    const test = await once((events) => events.deduplicate('once', { by: ({ id }) => id }));
    await test.send('in', event('a', 1, 5));
    await test.advanceProcessingTime(599_999);
    await test.send('in', event('a', 2, 5));
    expect(numbers(test.outputs('once'))).toEqual([1]);
    await test.advanceProcessingTime('90s');
    await test.send('in', event('a', 3, 5));
    expect(numbers(test.outputs('once'))).toEqual([1, 3]);
  });

  it('in event time runs from the element’s own time', async () => {
    const test = await once((events) =>
      events.deduplicate('once', { by: ({ id }) => id, horizon: 800, clock: 'event' }),
    );
    await test.send('in', event('a', 1, 1_000));
    await test.advanceWatermark(1_800);
    await test.send('in', event('a', 2, 1_000));
    expect(numbers(test.outputs('once'))).toEqual([1]);
    // An eighth of the horizon may pass before it is forgotten.
    await test.advanceWatermark(1_901);
    await test.send('in', event('a', 3, 1_950));
    expect(numbers(test.outputs('once'))).toEqual([1, 3]);
  });

  it('of what comes late runs from the watermark, so that its repetition is known too', async () => {
    const test = await once((events) =>
      events.deduplicate('once', { by: ({ id }) => id, horizon: 800, clock: 'event' }),
    );
    await test.advanceWatermark(10_000);
    await test.send('in', event('a', 1, 50));
    await test.send('in', event('a', 2, 50));
    await test.advanceWatermark(10_799);
    await test.send('in', event('a', 3, 50));
    expect(numbers(test.outputs('once'))).toEqual([1]);
    expect(test.late()).toEqual([]);
  });

  it('forgets whole documents, and in the end all', async () => {
    const test = await once((events) => events.deduplicate('once', { by: ({ id }) => id, horizon: '24h' }), {
      watch: ['once'],
      shards: 1,
    });
    for (let hour = 0; hour < 60; hour++) {
      await test.send('in', ...Array.from({ length: 200 }, (_, i) => event(`${hour} ${i}`, i, hour)));
      await test.advanceProcessingTime('1h');
      expect(test.store.size('ids')).toBeLessThan(12);
    }
    expect(test.outputs('once').length).toBe(12_000);
    await test.drain();
    await test.advanceProcessingTime('28h');
    expect(test.store.size('ids')).toBe(0);
    expect(test.store.size('cells')).toBe(0);
  });
});

describe('what it costs', () => {
  it('is one document a bundle beside the root and the outbox, no cell, and no read', async () => {
    const test = await once((events) => events.deduplicate('once', { by: ({ id }) => id, horizon: '24h' }), {
      watch: [],
      shards: 1,
    });
    await test.send('in', event('first', 1, 1));
    const { store } = test;
    const { commit, get } = store;
    const written: string[] = [];
    let reads = 0;
    store.commit = async (batch) => {
      for (const { collection, id } of batch.sets) if (!id.startsWith('ingest')) written.push(collection);
      return commit.call(store, batch);
    };
    store.get = async (collection, ids) => {
      if (collection === 'ids' || collection === 'cells') reads += ids.length;
      return get.call(store, collection, ids);
    };
    await test.send('in', ...Array.from({ length: 500 }, (_, i) => event(`${i}`, i, 1)));
    expect(written).toEqual(['roots', 'ids']);
    expect(reads).toBe(0);
  });

  it('a hundred thousand ids are known again by a process that has just begun', async () => {
    const test = await once((events) => events.deduplicate('once', { by: ({ id }) => id, horizon: '24h' }), {
      watch: ['once'],
      shards: 2,
      troubles: { crashAfterCommits: true },
    });
    const all = Array.from({ length: 20_000 }, (_, i) => event(`transaction ${i}`, i, i));
    for (let i = 0; i < 10; i++) await test.send('in', ...all.slice(i * 2_000, (i + 1) * 2_000));
    for (let i = 9; i >= 0; i--) await test.send('in', ...all.slice(i * 2_000, (i + 1) * 2_000));
    expect(new Set(numbers(test.outputs('once'))).size).toBe(20_000);
    expect(test.outputs('once').length).toBe(20_000);
    expect(test.store.size('ids')).toBeLessThan(40);
  }, 30_000);
});

describe('whatever goes wrong', () => {
  it.each([{ everyMessageTwice: true, reordered: true }, { lost: 0.2 }, { crashAfterCommits: true }])(
    'each passes once: %o',
    async (troubles) => {
      const test = await once((events) => events.deduplicate('once', { by: ({ id }) => id, horizon: '24h' }), {
        watch: ['once'],
        troubles,
      });
      for (let i = 0; i < 5; i++)
        await test.send('in', ...Array.from({ length: 50 }, (_, j) => event(`${j % 30}`, i, j)));
      await test.drain();
      expect(
        test
          .outputs('once')
          .map((output) => (output as Event).id)
          .sort(),
      ).toEqual(Array.from({ length: 30 }, (_, i) => `${i}`).sort());
    },
  );

  it('late elements are reported', async () => {
    const test = await start<number>((stream) => {
      stream.window('tens', fixedWindows(10)).deduplicate('once');
    });
    await test.advanceWatermark(10);
    await test.send('in', kv('a', 1, 5), kv('b', 2, 15));
    expect(test.late('once').map(({ key, reason, watermark }) => [key, reason, watermark])).toEqual([
      ['a', 'expired', 10],
    ]);
    expect(test.outputs('once')).toEqual([{ key: 'b', value: 2 }]);
  });
});

describe('what cannot work is refused', () => {
  it('windows that merge', () => {
    expect(() => pipeline('p', (p) => void keyed(p).window('s', sessions(10)).deduplicate('once'))).toThrow(
      "deduplicate 'once': what was seen cannot follow windows that merge",
    );
  });

  it('another clock', () => {
    expect(() => pipeline('p', (p) => void keyed(p).deduplicate('once', { clock: 'wall' as 'event' }))).toThrow(
      "deduplicate 'once' clock: expected 'processing' or 'event', got \"wall\"",
    );
  });
});

// biome-ignore lint/suspicious/noExplicitAny: what a test has seen is of no static type
type Any = any;
