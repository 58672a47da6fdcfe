import { describe, expect, it } from 'vitest';
import { combiningState, emits, eventTimer, fixedWindows, type KV, pipeline, sum } from '../../../functions/index.ts';
import { testPipeline, timestamped } from '../../../functions/local/testing.ts';
import { keyed, kv, values } from './keyed-stream.ts';

/** Amounts are converted by a rate that comes as a stream, and summed in state until the window ends. */
const graph = pipeline('converted', (p) => {
  const rate = values<number>(p, 'rates')
    .window('rate-tens', fixedWindows(10))
    .combineGlobally('rate', sum())
    .asSingleton('rate-view');
  keyed<number>(p)
    .window('tens', fixedWindows(10))
    .parDo(
      'convert',
      { process: (pair, { output, side }) => output({ ...pair, value: pair.value * side.rate }) },
      { sideInputs: { rate } },
    )
    .map('pairs', (pair) => pair as KV<string, number>)
    .keyBy('again', ({ key }) => key)
    .mapValues('amount', ({ value }) => value)
    .statefulParDo('spent', {
      emits: emits<string>(),
      state: { total: combiningState(sum()) },
      timers: { end: eventTimer() },
      process({ value }, { state, timers, window }) {
        state.total.add(value);
        timers.end.set(window.end - 1);
      },
      onTimer: { end: ({ key, state, output }) => output(`${key} ${state.total.read()}`) },
    });
});

describe('S08: state behind a side input', () => {
  it('waits with its timers and windows for elements that wait for a view', async () => {
    const test = await testPipeline(graph);
    await test.send('in', kv('a', 5, 1), kv('a', 6, 2), kv('b', 7, 3));
    await test.advanceWatermark(1_000, 'in');
    expect(test.outputs('spent')).toEqual([]);
    expect(test.inputWatermark('spent')).toBeLessThanOrEqual(1);
    await test.send('rates', timestamped(2, 1));
    await test.advanceWatermark(1_000, 'rates');
    expect([...test.outputs('spent')].sort()).toEqual(['a 22', 'b 14']);
    expect(test.late()).toEqual([]);
    await test.drain();
    expect(test.store.size('cells')).toBe(0);
  });
});
