/** What fires by the clocks and is too much for any commit: it is given up alone, and neither blocks nor pins anything. */
import { describe, expect, it } from 'vitest';
import {
  afterProcessingTime,
  afterWatermark,
  emits,
  eventTimer,
  eventTimerFamily,
  fixedWindows,
  processingTimer,
  repeatedly,
  slidingWindows,
  valueState,
} from '../../../functions/index.ts';
import type { TestPipeline } from '../../../functions/local/testing.ts';
import type { KeyedPCollection } from '../../../functions/model/collection.ts';
import { kv, start } from '../stateful/keyed-stream.ts';
import { limitCommits } from './limited-store.ts';

const BLOCK = 'x'.repeat(100_000);
/** More than three million characters, in messages that each could be sent. */
const TOO_MANY = 32;
const LIMIT = 'bytes, above the limit of 3000000';

/** Each key's timer and expiration emit what the value says: so many blocks. */
function firing(stream: KeyedPCollection<string, number>, at: 'event' | 'processing' | 'expiration') {
  stream
    .window('hourly', fixedWindows('1h'))
    .statefulParDo('fire', {
      emits: emits<string>(),
      state: { blocks: valueState<number>() },
      timers: { event: eventTimer(), processing: processingTimer() },
      process({ value }, { state, timers, output, key }) {
        if (value < 0) return output(`${key} ${value}`);
        state.blocks.write(value);
        if (at === 'event') timers.event.set(1_000);
        if (at === 'processing') timers.processing.offset('1m').setRelative();
      },
      onTimer: {
        event: ({ state, output }) => emitBlocks(state.blocks.read() ?? 0, output),
        processing: ({ state, output }) => emitBlocks(state.blocks.read() ?? 0, output),
      },
      onWindowExpiration({ state, output }) {
        if (at === 'expiration') emitBlocks(state.blocks.read() ?? 0, output);
      },
    })
    .keyBy('again', () => 'all')
    .statefulParDo('end', {
      emits: emits<string>(),
      process: ({ value }, { output }) => output(value.slice(0, 10)),
    });
}

function emitBlocks(count: number, output: (value: string) => void): void {
  for (let i = 0; i < count; i++) output(`${i}`.padEnd(10, '.') + BLOCK);
}

async function started(
  build: (stream: KeyedPCollection<string, number>) => void,
  troubles = {},
): Promise<TestPipeline> {
  const test = await start<number>(build, { shards: 1, watch: ['end'], troubles });
  limitCommits(test);
  return test;
}

const failures = (test: TestPipeline) =>
  test.deadLetters().map(({ kind, step, code, key, message }) => ({ kind, step, code, key, message }));

describe.each(['event', 'processing', 'expiration'] as const)(
  'a callback of the clock (%s) that makes too much',
  { timeout: 30_000 },
  (at) => {
    it.each([{}, { crashAfterCommits: true }])(
      'is a dead letter with step, key and size, and those of other keys fire, under %j',
      async (troubles) => {
        const test = await started((stream) => firing(stream, at), troubles);
        await test.send('in', kv('a', 1, 1), kv('b', TOO_MANY, 2), kv('c', 2, 3));
        await test.advanceProcessingTime('10m');
        await test.drain();
        expect([...test.outputs('end')].sort()).toEqual(['0.........', '0.........', '1.........']);
        expect(failures(test)).toEqual([
          {
            kind: 'firing',
            step: 'fire',
            code: 'TOO_LARGE',
            key: 'b',
            message: expect.stringMatching(
              new RegExp(`^what a firing of key "b" in 'fire' makes has 3\\d{6} ${LIMIT}$`),
            ),
          },
        ]);
        expect(test.remains()).toEqual([]);
      },
    );
  },
);

describe('a timer that makes too much', { timeout: 30_000 }, () => {
  it('names itself in its letter, and lets the watermark go on', async () => {
    const test = await started((stream) => firing(stream, 'event'));
    await test.send('in', kv('b', TOO_MANY, 2));
    await test.advanceWatermark(2_000);
    expect(test.deadLetters().map(({ timer, value }) => [timer, value])).toEqual([
      [{ id: 'event', clock: 'event', at: 1_000 }, expect.objectContaining({ blocks: String(TOO_MANY) })],
    ]);
    expect(test.outputWatermark('fire')).toBe(2_000);
  });

  it('does not cost the element that sets it in the same bundle', async () => {
    const test = await started((stream) => firing(stream, 'event'));
    await test.advanceWatermark(5_000);
    // It sets a timer for a time that has passed.
    await test.send('in', kv('b', TOO_MANY, 2));
    await test.send('in', kv('b', -7, 3), kv('z', -8, 3));
    expect([...test.outputs('end')].sort()).toEqual(['b -7', 'z -8']);
    expect(failures(test).map(({ kind, key }) => [kind, key])).toEqual([['firing', 'b']]);
  });
});

/** A pane of each key and window; it is made to so many blocks as its largest value says. */
function grouped(stream: KeyedPCollection<string, number>) {
  stream
    .window('hourly', fixedWindows('1h'), {
      trigger: afterWatermark({ early: repeatedly(afterProcessingTime('1m')) }),
      allowedLateness: 0,
      accumulation: 'accumulating',
    })
    .groupByKey('panes')
    .flatMap('blocks', ({ value }) =>
      Array.from({ length: Math.max(...value) }, (_, i) => `${i}`.padEnd(10, '.') + BLOCK),
    )
    .keyBy('again', () => 'all')
    .statefulParDo('end', { emits: emits<string>(), process: ({ value }, { output }) => output(value.slice(0, 10)) });
}

describe('a pane that comes to too much in the steps behind it', { timeout: 30_000 }, () => {
  it.each([{}, { crashAfterCommits: true }])('is a dead letter with its accumulator, under %j', async (troubles) => {
    const test = await started(grouped, troubles);
    await test.send('in', kv('a', 1, 1), kv('b', TOO_MANY, 2), kv('c', 2, 3));
    await test.drain();
    expect([...test.outputs('end')].sort()).toEqual(['0.........', '0.........', '1.........']);
    expect(
      test.deadLetters().map(({ kind, step, code, key, value, pane }) => [kind, step, code, key, value, pane?.timing]),
    ).toEqual([['firing', 'panes', 'TOO_LARGE', 'b', [TOO_MANY], 'ON_TIME']]);
    expect(test.remains()).toEqual([]);
  });

  it('costs that pane only: early ones and those of other windows of the key are made', async () => {
    const test = await started(grouped);
    await test.send('in', kv('b', 2, 1), kv('b', 1, 3_600_001));
    await test.advanceProcessingTime('2m');
    await test.send('in', kv('b', TOO_MANY, 2));
    await test.advanceProcessingTime('2m');
    expect(test.outputs('end')).toHaveLength(3);
    await test.advanceWatermark(3_600_000);
    expect(test.outputWatermark('panes')).toBe(3_600_000);
    await test.drain();
    expect(test.outputs('end')).toHaveLength(4);
    expect(test.deadLetters().map(({ pane, key }) => [key, pane?.timing])).toEqual([
      ['b', 'EARLY'],
      ['b', 'ON_TIME'],
    ]);
  });
});

describe('many timers of one key that emit much', () => {
  it('fire a part at a time, each once', { timeout: 30_000 }, async () => {
    const seen = { sinceCommit: 0, most: 0 };
    const test = await started((stream) =>
      stream
        .statefulParDo('fire', {
          emits: emits<string>(),
          timers: { each: eventTimerFamily() },
          process({ value }, { timers }) {
            timers.each.get(String(value)).set(1_000 + value);
          },
          onTimer: {
            each({ tag, output }) {
              seen.sinceCommit += 1;
              seen.most = Math.max(seen.most, seen.sinceCommit);
              output(`${tag}`.padEnd(10, '.') + BLOCK);
            },
          },
        })
        .keyBy('again', () => 'all')
        .statefulParDo('end', {
          emits: emits<string>(),
          process: ({ value }, { output }) => output(value.slice(0, 10)),
        }),
    );
    const { commit } = test.store;
    test.store.commit = (batch) => {
      if (batch.sets[0]?.id === 'fire~0') seen.sinceCommit = 0;
      return commit.call(test.store, batch);
    };
    await test.send('in', ...Array.from({ length: 60 }, (_, i) => kv('a', i, 1)));
    await test.advanceWatermark(5_000);
    expect(test.outputs('end')).toEqual(Array.from({ length: 60 }, (_, i) => `${i}`.padEnd(10, '.')));
    expect(seen.most).toBe(4);
    expect(failures(test)).toEqual([]);
  });
});

describe('many windows of one key that are due at once', { timeout: 30_000 }, () => {
  it('fire in several commits where one would not hold them', async () => {
    const test = await started((stream) =>
      stream
        .window('sliding', slidingWindows('60m', { every: '1m' }))
        .groupByKey('panes')
        .map('block', ({ value }) => `${value}`.padEnd(10, '.') + BLOCK)
        .keyBy('again', () => 'all')
        .statefulParDo('end', {
          emits: emits<string>(),
          process: ({ value }, { output }) => output(value.slice(0, 10)),
        }),
    );
    await test.send('in', kv('a', 7, 1));
    await test.drain();
    expect(test.outputs('end')).toHaveLength(60);
    expect(failures(test)).toEqual([]);
    expect(test.remains()).toEqual([]);
  });
});
