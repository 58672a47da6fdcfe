import { describe, expect, it } from 'vitest';
import { pipeline } from '../../../functions/model/pipeline.ts';
import { waitOn } from '../../../functions/model/transforms/wait-on.ts';
import { fixedWindows, globalWindow, sessions, type WindowFn } from '../../../functions/model/windows.ts';
import { capture, Harness, source } from '../../engine/views/harness.ts';

function waiting(signal: WindowFn, main: WindowFn = fixedWindows(10), allowedLateness = 0) {
  return pipeline('waiting', (p) => {
    const done = source<number>(p, 'signal').window('signal-windows', signal, {
      allowedLateness,
      accumulation: 'discarding',
    });
    capture(waitOn('wait', source<string>(p, 'main').window('main-windows', main), done));
  });
}

describe('waitOn', () => {
  it('L09: an element goes on when the window of the signal is closed, in the same move of its watermark', async () => {
    const harness = await Harness.start(waiting(fixedWindows(10)));
    await harness.send('main', { at: 1, value: 'A' }, { at: 12, value: 'B' });
    await harness.send('signal', { at: 2, value: 1 });
    expect(harness.values()).toEqual([]);
    expect(await harness.outputWatermark('wait')).toBe(1);
    await harness.watermark('signal', 9);
    expect(harness.values()).toEqual([]);
    await harness.watermark('signal', 10);
    expect(harness.values()).toEqual(['A']);
    await harness.watermark('signal', 20);
    expect(harness.values()).toEqual(['A', 'B']);
    await harness.finish('signal', 'main');
    expect(harness.remains()).toEqual([]);
  });

  it('L09: closed is past the allowed lateness too, and a window without elements closes as well', async () => {
    const harness = await Harness.start(waiting(fixedWindows(10), fixedWindows(10), 5));
    await harness.send('main', { at: 1, value: 'A' });
    await harness.watermark('signal', 14);
    expect(harness.values()).toEqual([]);
    await harness.watermark('signal', 15);
    expect(harness.values()).toEqual(['A']);
  });

  it('L09: windows may differ; what counts is the one that holds the last instant of an element’s own', async () => {
    const harness = await Harness.start(waiting(fixedWindows(20)));
    await harness.send('main', { at: 1, value: 'A' }, { at: 12, value: 'B' });
    await harness.watermark('signal', 19);
    expect(harness.values()).toEqual([]);
    await harness.watermark('signal', 20);
    expect(harness.values().sort()).toEqual(['A', 'B']);
  });

  it('L09: two hundred elements and windows, each let go before the next', async () => {
    const harness = await Harness.start(waiting(fixedWindows(2_000), fixedWindows(2_000)));
    for (let i = 0; i < 200; i++) await harness.send('main', { at: i * 1_000, value: `${i}` });
    for (let window = 1; window <= 100; window++) {
      await harness.watermark('signal', window * 2_000);
      expect(harness.values()).toHaveLength(window * 2);
    }
  });

  it('keys stay keys', async () => {
    const harness = await Harness.start(
      pipeline('keyed', (p) => {
        const keyed = source<string>(p, 'main').keyBy('key', (value) => value);
        capture(waitOn('wait', keyed, source(p, 'signal')).groupByKey('group'));
      }),
    );
    await harness.send('main', { at: 1, value: 'A' }, { at: 2, value: 'A' });
    await harness.finish('main', 'signal');
    expect(harness.values()).toEqual([{ key: 'A', value: ['A', 'A'] }]);
  });

  it('refuses signals for which no element could say which window it waits for', () => {
    expect(() => waiting(sessions(10))).toThrow("view 'wait-signal': sessions differ from key to key");
    expect(() => waiting(fixedWindows(10), globalWindow())).toThrow("waitOn 'wait': its input is in the global window");
  });
});
