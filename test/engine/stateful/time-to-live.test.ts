import { describe, expect, it } from 'vitest';
import { bagState, combiningState, count, emits, mapState, setState, valueState } from '../../../functions/index.ts';
import { kv, start } from './keyed-stream.ts';

describe('state with a time to live', () => {
  it('is there until exactly that long after it was last written', async () => {
    const test = await start<string>((stream) =>
      stream.statefulParDo('value', {
        emits: emits<unknown>(),
        state: { last: valueState<string>({ ttl: '1m' }), count: combiningState(count(), { ttl: '1m' }) },
        process({ value }, { state, output }) {
          output([state.last.read(), state.count.read(), state.count.isEmpty()]);
          if (value === 'read') return;
          state.last.write(value);
          state.count.add(1);
        },
      }),
    );
    await test.send('in', kv('a', 'x', 1));
    await test.advanceProcessingTime(59_999);
    await test.send('in', kv('a', 'read', 1));
    await test.advanceProcessingTime(1);
    await test.send('in', kv('a', 'read', 1));
    expect(test.outputs('value')).toEqual([
      [undefined, 0, true],
      ['x', 1, false],
      [undefined, 0, true],
    ]);
  });

  it('counts for each element of a bag, a set and a map by itself', async () => {
    const test = await start<string>((stream) =>
      stream.statefulParDo('many', {
        emits: emits<unknown>(),
        state: {
          bag: bagState<string>({ ttl: '1m' }),
          set: setState<string>({ ttl: '1m' }),
          map: mapState<string, number>({ ttl: '1m' }),
        },
        async process({ value }, { state, output }) {
          if (value !== 'read') {
            state.bag.add(value);
            state.set.add(value);
            state.map.put(value, 1);
          }
          const empty = [await state.bag.isEmpty(), await state.set.isEmpty(), await state.map.isEmpty()];
          output([(await state.bag.read()).join(), (await state.set.read()).join(), await state.map.keys(), empty]);
        },
      }),
    );
    await test.send('in', kv('a', 'x', 1));
    await test.advanceProcessingTime('30s');
    await test.send('in', kv('a', 'y', 1));
    await test.advanceProcessingTime('30s');
    await test.send('in', kv('a', 'read', 1));
    await test.advanceProcessingTime('30s');
    await test.send('in', kv('a', 'read', 1));
    const full = [false, false, false];
    expect(test.outputs('many')).toEqual([
      ['x', 'x', ['x'], full],
      ['x,y', 'x,y', ['x', 'y'], full],
      ['y', 'y', ['y'], full],
      ['', '', [], [true, true, true]],
    ]);
  });

  it('leaves nothing in the store, though no element comes any more, also of what lies in parts', async () => {
    const long = 'x'.repeat(1_000);
    const test = await start<string>(
      (stream) =>
        stream.statefulParDo('many', {
          state: {
            value: valueState<string>({ ttl: '1m' }),
            count: combiningState(count(), { ttl: '1m' }),
            bag: bagState<string>({ ttl: '1m' }),
            set: setState<string>({ ttl: '1m' }),
            map: mapState<string, string>({ ttl: '1m' }),
          },
          process({ value }, { state }) {
            state.value.write(value);
            state.count.add(1);
            for (let i = 0; i < 50; i++) {
              state.bag.add(long);
              state.set.add(`${i} ${long}`);
              state.map.put(`${i}`, long);
            }
          },
        }),
      { watch: [], troubles: { crashAfterCommits: true } },
    );
    await test.send('in', kv('a', 'x', 1), kv('b', 'x', 1));
    expect(test.store.size('parts')).toBeGreaterThan(4);
    // A purge may be an eighth of the time to live late, and something lost may cost a minute more.
    await test.advanceProcessingTime('70s');
    await test.advanceProcessingTime('5m');
    expect(test.remains()).toEqual([]);
  });

  it('is refused when it is no time', () => {
    expect(() => valueState({ ttl: 0 })).toThrow('valueState(ttl): expected whole milliseconds, 1 or more');
  });
});
