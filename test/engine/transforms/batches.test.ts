/** GroupIntoBatches (catalogue B2). */
import { describe, expect, it } from 'vitest';
import { type BatchOptions, fixedWindows, pipeline, sum, type WindowFn } from '../../../functions/index.ts';
import { testPipeline } from '../../../functions/local/testing.ts';
import { keyed, kv, start } from '../stateful/keyed-stream.ts';

const NAMES = 'Einstein Darwin Copernicus Pasteur Curie Faraday Newton Bohr Galilei Maxwell'.split(' ');

/** As Beam's coder counts a text: its bytes and one for its length. */
const beamBytes = (text: string): number => text.length + 1;

function batches(options: BatchOptions<string>, windowFn?: WindowFn) {
  return start<string>((stream) => {
    const windowed = windowFn === undefined ? stream : stream.window('windows', windowFn);
    windowed.groupIntoBatches('batches', options);
  });
}

type Test = Awaited<ReturnType<typeof batches>>;

const contents = (test: Test): string[][] => test.outputs('batches').map((pair) => (pair as { value: string[] }).value);
const sizes = (test: Test): number[] => contents(test).map((batch) => batch.length);
const send = (test: Test, values: readonly string[]): Promise<void> =>
  test.send('in', ...values.map((value, i) => kv('k', value, i)));

describe('batches by count', () => {
  it('GB01: ten elements by five make two, and an eleventh makes one of its own at the window’s end', async () => {
    const ten = await batches({ size: 5 });
    await send(ten, NAMES);
    await ten.drain();
    expect(contents(ten)).toEqual([NAMES.slice(0, 5), NAMES.slice(5)]);
    const eleven = await batches({ size: 5 });
    await send(eleven, [...NAMES, 'Planck']);
    expect(sizes(eleven)).toEqual([5, 5]);
    await eleven.drain();
    expect(sizes(eleven)).toEqual([5, 5, 1]);
    expect(eleven.remains()).toEqual([]);
  });

  it('fill over bundles, and for each key by itself', async () => {
    const test = await batches({ size: 3 });
    for (const [i, name] of NAMES.entries()) await test.send('in', kv(i % 2 === 0 ? 'even' : 'odd', name, i));
    expect(sizes(test)).toEqual([3, 3]);
    await test.drain();
    expect(sizes(test).sort()).toEqual([2, 2, 3, 3]);
  });
});

describe('batches by weight', () => {
  it('GB02: none is above the limit: what would exceed it comes into the next', async () => {
    const test = await batches({ bytes: 25, weigh: beamBytes });
    await send(test, NAMES);
    await test.drain();
    expect(contents(test)).toEqual([
      ['Einstein', 'Darwin'],
      ['Copernicus', 'Pasteur', 'Curie'],
      ['Faraday', 'Newton', 'Bohr'],
      ['Galilei', 'Maxwell'],
    ]);
  });

  it('GB02: by default the bytes of their JSON', async () => {
    const test = await batches({ bytes: 25 });
    await send(test, NAMES);
    await test.drain();
    const bytes = contents(test).map((batch) => Buffer.byteLength(batch.map((name) => JSON.stringify(name)).join('')));
    expect(Math.max(...bytes)).toBeLessThanOrEqual(25);
    expect(contents(test).flat()).toEqual(NAMES);
  });

  it('GB03: as the author weighs them', async () => {
    const test = await batches({ bytes: 25, weigh: (text) => 2 * beamBytes(text) });
    await send(test, NAMES);
    await test.drain();
    expect(sizes(test)).toEqual([1, 1, 1, 1, 1, 1, 2, 1, 1]);
  });

  it('GB03: an element that alone is too heavy leaves alone', async () => {
    const test = await batches({ bytes: 25, weigh: beamBytes });
    await send(test, ['a', 'x'.repeat(100), 'b', 'c']);
    await test.drain();
    expect(sizes(test)).toEqual([1, 1, 2]);
  });

  it('GB04: by count and weight, whichever comes first', async () => {
    const test = await batches({ size: 5, bytes: 25 });
    const ones = ['a-1', 'a-2', `b-3${'x'.repeat(100)}`, 'c-4', 'c-5', 'c-6', 'c-7', 'c-8', 'd-9'];
    await send(test, ones);
    await test.drain();
    expect(sizes(test)).toEqual([2, 1, 5, 1]);
    expect(contents(test).flat()).toEqual(ones);
  });
});

describe('batches and windows', () => {
  it('GB05: a window’s elements are not in the batches of another', async () => {
    const test = await batches({ size: 5 }, fixedWindows('6s'));
    await test.send('in', ...NAMES.map((name, i) => kv('k', name, i * 1_000)));
    await test.drain();
    const bySize = test.panes('batches').map(({ value, window }) => [window.start, (value as Any).value.length]);
    expect(bySize.sort()).toEqual([
      [0, 1],
      [0, 5],
      [6_000, 4],
    ]);
  });

  it('GB06: what is not full leaves when the buffering time is over', async () => {
    const test = await batches({ size: 100, maxBuffering: '5s' }, fixedWindows('4s'));
    for (let i = 0; i < 10; i++) {
      await test.send('in', kv('k', NAMES[i], i * 1_000));
      await test.advanceProcessingTime('2s');
    }
    await test.drain();
    // Three in five seconds and one that is left when its window ends, of the first two windows; two of the last.
    expect(sizes(test)).toEqual([3, 1, 3, 1, 2]);
    expect(contents(test).flat()).toEqual(NAMES);
  });

  it('GB07: that needs no watermark', async () => {
    const test = await batches({ size: 15, maxBuffering: '5s' });
    await send(test, NAMES.slice(0, 5));
    await test.advanceProcessingTime('100s');
    await send(test, NAMES.slice(5));
    await test.advanceProcessingTime('100s');
    expect(sizes(test)).toEqual([5, 5]);
  });

  it('GB08: a key that is spread fills most batches', async () => {
    const test = await testPipeline(
      pipeline('p', (p) => {
        keyed<number>(p).groupIntoBatches('batches', { size: 5, shards: 4 });
      }),
      { watch: ['batches', 'batches-whole'] },
    );
    for (let i = 0; i < 10; i++)
      await test.send('in', ...Array.from({ length: 1_000 }, (_, j) => kv('k', i * 1_000 + j, i)));
    await test.drain();
    const all = test.outputs('batches-whole') as { key: string; value: number[] }[];
    expect(all.filter(({ value }) => value.length === 5).length).toBeGreaterThan(all.length / 2);
    expect(new Set(all.flatMap(({ value }) => value)).size).toBe(10_000);
    expect(new Set(all.map(({ key }) => key))).toEqual(new Set(['k']));
    const parts = new Set((test.outputs('batches') as { key: [string, number] }[]).map(({ key }) => key[1]));
    expect([...parts].sort()).toEqual([0, 1, 2, 3]);
  });

  it('GB09: a batch keeps its window and has the smallest timestamp of its elements', async () => {
    const test = await batches({ size: 3 }, fixedWindows(10));
    await test.send('in', kv('k', 'a', 7), kv('k', 'b', 3), kv('k', 'c', 5), kv('k', 'd', 8), kv('k', 'e', 4));
    await test.drain();
    expect(test.panes('batches').map(({ value, timestamp, window }) => [value, timestamp, window])).toEqual([
      [{ key: 'k', value: ['a', 'b', 'c'] }, 3, { start: 0, end: 10 }],
      [{ key: 'k', value: ['d', 'e'] }, 4, { start: 0, end: 10 }],
    ]);
  });

  it('the watermark waits for the smallest timestamp that is buffered, though an older element came second', async () => {
    const test = await start<number>((stream) => {
      stream
        .groupIntoBatches('batches', { size: 3 })
        .window('tens', fixedWindows(10))
        .mapValues('sizes', (values) => values.length)
        .combinePerKey('count', sum());
    });
    await test.send('in', kv('k', 1, 15), kv('k', 2, 5));
    await test.advanceWatermark(100);
    expect(test.outputWatermark('batches')).toBe(5);
    await test.send('in', kv('k', 3, 101));
    await test.advanceWatermark(200);
    expect(test.panes('count').map(({ value, window }) => [value, window.start])).toEqual([
      [{ key: 'k', value: 3 }, 0],
    ]);
    expect(test.late()).toEqual([]);
  });

  it('nothing is stuck or doubled when the process dies after the commit of the first element', async () => {
    const test = await testPipeline(
      pipeline('p', (p) => {
        keyed<string>(p).groupIntoBatches('batches', { size: 100, maxBuffering: '5s' });
      }),
      { troubles: { crashAfterCommits: true, everyMessageTwice: true } },
    );
    await test.send('in', kv('k', 'a', 1));
    await test.send('in', kv('k', 'b', 2));
    await test.advanceProcessingTime('10m');
    await test.drain();
    expect((test.outputs('batches') as { value: string[] }[]).flatMap(({ value }) => value)).toEqual(['a', 'b']);
    expect(test.remains()).toEqual([]);
  });
});

// biome-ignore lint/suspicious/noExplicitAny: what a test has seen is of no static type
type Any = any;

describe('batch options', () => {
  it.each([
    [{}, 'give size, the most elements of a batch, or bytes, or both'],
    [{ size: 0 }, 'size: expected a whole number from 1 to 1000000, got 0'],
    [{ bytes: 300_000 }, 'bytes: expected a whole number from 1 to 200000, got 300000'],
    [{ size: 1, shards: 0 }, 'shards: expected a whole number from 1 to 1000, got 0'],
    [{ size: 1, maxBuffering: 0 }, 'maxBuffering: expected whole milliseconds, 1 or more'],
  ] as const)('%o is refused', (options, message) => {
    expect(() => batches(options)).toThrow(message);
  });
});
