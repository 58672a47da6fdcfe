/** What one envelope brings and is too much for one commit: it is taken a part at a time, each element once. */
import { describe, expect, it } from 'vitest';
import { combiningState, count, emits, eventTimer, fixedWindows, valueState } from '../../../functions/index.ts';
import type { TestPipeline } from '../../../functions/local/testing.ts';
import type { KeyedPCollection } from '../../../functions/model/collection.ts';
import { kv, start } from '../stateful/keyed-stream.ts';
import { limitCommits } from './limited-store.ts';

const KEYS = 40;
/** Of one key: forty of these are four million characters. */
const STATE = 'x'.repeat(100_000);

function growing(stream: KeyedPCollection<string, number>) {
  stream.statefulParDo('grown', {
    emits: emits<number>(),
    state: { ballast: valueState<string>(), more: valueState<string>(), seen: combiningState(count()) },
    timers: { t: eventTimer() },
    process({ value }, { state, timers, output }) {
      state.ballast.write(STATE.slice(0, 80_000));
      state.more.write(STATE.slice(0, 20_000));
      state.seen.add(value);
      timers.t.set(1_000);
      output(value * 1_000 + state.seen.read());
    },
    onTimer: {
      t({ state, output }) {
        output(-state.seen.read());
        state.ballast.clear();
        state.more.clear();
      },
    },
  });
}

/** The most characters that a commit has written, and how many commits there were of the stage. */
function watched({ store }: TestPipeline, stage: string): { most: number; commits: number } {
  const seen = { most: 0, commits: 0 };
  const { commit } = store;
  store.commit = (batch) => {
    if (batch.sets[0]?.id.startsWith(`${stage}~`)) {
      seen.commits += 1;
      seen.most = Math.max(seen.most, JSON.stringify(batch.sets).length);
    }
    return commit.call(store, batch);
  };
  return seen;
}

const messages = () => Array.from({ length: KEYS }, (_, i) => kv(`key ${i}`, i, 1));

describe('one envelope of many elements whose cells are large', () => {
  it.each([{}, { crashAfterCommits: true }, { everyMessageTwice: true, reordered: true, lost: 0.3 }])(
    'is taken in parts below the limit of a commit, each element once, under %j',
    async (troubles) => {
      const test = await start<number>(growing, { shards: 1, troubles });
      const seen = watched(test, 'grown');
      await test.send('in', ...messages());
      await test.advanceWatermark(10);
      await test.advanceProcessingTime('10m');
      expect([...test.outputs('grown')].sort((a, b) => Number(a) - Number(b))).toEqual(
        Array.from({ length: KEYS }, (_, i) => i * 1_000 + 1),
      );
      expect(seen.commits).toBeGreaterThanOrEqual(5);
      expect(seen.most).toBeLessThan(1_000_000);
      await test.drain();
      expect(test.outputs('grown').filter((value) => Number(value) < 0)).toHaveLength(KEYS);
      expect(test.store.all('roots').filter(({ body }) => 'parts' in (body as object))).toEqual([]);
      expect(test.deadLetters()).toEqual([]);
      expect(test.remains()).toEqual([]);
    },
    60_000,
  );

  it('holds the watermark until the last of it is taken', async () => {
    const test = await start<number>(growing, { shards: 1, watch: ['grown'] });
    const { commit } = test.store;
    const watermarks: number[] = [];
    test.store.commit = async (batch) => {
      const result = await commit.call(test.store, batch);
      const root = batch.sets[0]?.body as { id?: string; parts?: object } | undefined;
      if (root?.id === 'grown~0' && root.parts !== undefined) watermarks.push(test.inputWatermark('grown'));
      return result;
    };
    await test.send('in', ...messages());
    await test.advanceWatermark(500);
    expect(watermarks.length).toBeGreaterThan(3);
    expect(Math.max(...watermarks)).toBeLessThanOrEqual(1);
    expect(test.inputWatermark('grown')).toBe(500);
  });
});

describe('one element with which a key is more than any document holds', () => {
  it('is a dead letter, and those before it make their pane', { timeout: 30_000 }, async () => {
    const test = await start<string>(
      (stream) =>
        stream
          .window('hourly', fixedWindows('1h'))
          .groupByKey('all')
          .map('how-many', ({ key, value }) => `${key} ${value.length}`),
      { shards: 1, watch: ['how-many'] },
    );
    limitCommits(test);
    for (let i = 0; i < 12; i++) await test.send('in', kv('a', STATE, i), kv('b', 'small', i));
    await test.drain();
    expect([...test.outputs('how-many')].sort()).toEqual(['a 10', 'b 12']);
    expect(test.deadLetters().map(({ step, code, message }) => [step, code, message])).toEqual(
      Array.from({ length: 2 }, () => [
        'all',
        'TOO_LARGE',
        expect.stringMatching(
          /^what 'all' makes of one element of key "a" has 11\d{5} bytes, above the limit of 1048487$/,
        ),
      ]),
    );
    expect(test.remains()).toEqual([]);
  });
});

describe('one element that is too much for any commit', () => {
  it('is a dead letter with step, key and size, and those before and behind it are taken', async () => {
    const test = await start<number>(
      (stream) =>
        stream
          .statefulParDo('kept', { emits: emits<number>(), process: ({ value }, { output }) => output(value) })
          .flatMap('many', (value) => (value === 7 ? Array.from({ length: 50 }, () => STATE) : [String(value)]))
          .keyBy('again', () => 'all')
          .statefulParDo('end', { emits: emits<string>(), process: ({ value }, { output }) => output(value) }),
      { shards: 1, watch: ['end'] },
    );
    await test.send('in', kv('a', 6, 1), kv('b', 7, 1), kv('c', 8, 1));
    await test.drain();
    expect([...test.outputs('end')].sort()).toEqual(['6', '8']);
    expect(test.deadLetters().map(({ step, code, value, message }) => [step, code, value, message])).toEqual([
      [
        'kept',
        'TOO_LARGE',
        { key: 'b', value: 7 },
        expect.stringMatching(
          /^what 'kept' makes of one element of key "b" has 500\d{4} bytes, above the limit of 3000000$/,
        ),
      ],
    ]);
    expect(test.remains()).toEqual([]);
  });
});
