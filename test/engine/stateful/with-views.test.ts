import { describe, expect, it } from 'vitest';
import {
  combiningState,
  emits,
  eventTimer,
  fixedWindows,
  globalWindow,
  pipeline,
  repeatedly,
  afterCount,
  setState,
  sum,
} from '../../../functions/index.ts';
import { type TestOptions, type TestPipeline, testPipeline, timestamped } from '../../../functions/local/testing.ts';
import { plan } from '../../../functions/plan/plan.ts';
import { keyed, kv, values } from './keyed-stream.ts';

/** Amounts are converted by a rate that comes as a stream, and summed in state until the window ends. */
const converted = pipeline('converted', (p) => {
  const rate = values<number>(p, 'rates')
    .window('rate-tens', fixedWindows(10), {
      trigger: repeatedly(afterCount(1)),
      allowedLateness: 0,
      accumulation: 'accumulating',
    })
    .combineGlobally('rate', sum())
    .asSingleton('rate-view', { default: 1, changeAtMostEvery: 0 });
  keyed<number>(p)
    .window('tens', fixedWindows(10))
    .statefulParDo(
      'spent',
      {
        emits: emits<string>(),
        state: { total: combiningState(sum()), rates: setState<number>() },
        timers: { end: eventTimer() },
        process({ value }, { state, timers, window, side }) {
          state.total.add(value * side.rate);
          state.rates.add(side.rate);
          timers.end.set(window.end - 1);
        },
        onTimer: { end: ({ key, state, output }) => output(`${key} ${state.total.read()}`) },
        async onWindowExpiration({ key, state, output }) {
          output(`${key} at ${[...(await state.rates.read())].join(', ')}`);
        },
      },
      { sideInputs: { rate } },
    );
});

const started = (options: TestOptions = {}): Promise<TestPipeline> => testPipeline(converted, options);

describe('S08: state and side inputs together', () => {
  it('an element waits before the step for its view, and timers, windows and the watermark wait with it', async () => {
    const test = await started();
    await test.send('in', kv('a', 5, 1), kv('a', 6, 2), kv('b', 7, 3));
    await test.advanceWatermark(1_000, 'in');
    expect(test.outputs('spent')).toEqual([]);
    expect(test.inputWatermark('spent')).toBeLessThanOrEqual(1);
    await test.send('rates', timestamped(2, 1));
    await test.advanceWatermark(1_000, 'rates');
    expect([...test.outputs('spent')].sort()).toEqual(['a 22', 'a at 2', 'b 14', 'b at 2']);
    expect(test.late()).toEqual([]);
    await test.drain();
    expect(test.remains()).toEqual([]);
  });

  it('a view that gets nothing shows its default once that is known, and holds nobody up', async () => {
    const test = await started();
    await test.send('in', kv('a', 5, 1));
    await test.advanceWatermark(1_000, 'in');
    expect(test.outputs('spent')).toEqual([]);
    await test.advanceWatermark(1_000, 'rates');
    expect(test.outputs('spent')).toEqual(['a 5', 'a at 1']);
  });

  it('each element sees the newest content of the window that its own maps to', async () => {
    const test = await started();
    await test.send('rates', timestamped(2, 1), timestamped(10, 11));
    await test.send('in', kv('a', 1, 1), kv('a', 1, 11));
    await test.send('rates', timestamped(3, 2));
    await test.advanceProcessingTime('1m');
    await test.send('in', kv('a', 1, 3));
    await test.advanceWatermark(1_000);
    expect(test.outputs('spent')).toEqual(['a 7', 'a at 2, 5', 'a 10', 'a at 10']);
  });

  it.each([[{ crashAfterCommits: true }], [{ everyMessageTwice: true, lost: 0.3, reordered: true }]])(
    'is the same under %j',
    async (troubles) => {
      const test = await started({ troubles, watch: ['spent'] });
      for (let at = 0; at < 40; at += 4) await test.send('in', kv('a', 1, at), kv('b', 2, at));
      await test.send('rates', timestamped(2, 5), timestamped(3, 15), timestamped(4, 25));
      await test.drain();
      const sums = ['a 6', 'b 12', 'a 6', 'b 12', 'a 12', 'b 24', 'a 2', 'b 4'];
      const rates = ['a at 1', 'a at 2', 'a at 3', 'a at 4', 'b at 1', 'b at 2', 'b at 3', 'b at 4'];
      expect([...test.outputs('spent')].sort()).toEqual([...sums, ...rates].sort());
      expect(test.late()).toEqual([]);
      expect(test.remains()).toEqual([]);
    },
  );

  it('a view without an element and without a default makes a dead letter of each element, with the reason', async () => {
    const graph = pipeline('strict', (p) => {
      const rate = values<number>(p, 'rates').window('rate-tens', fixedWindows(10)).asSingleton('rate-view');
      keyed<number>(p)
        .window('tens', fixedWindows(10))
        .statefulParDo(
          'spent',
          { emits: emits<number>(), process: ({ value }, { side, output }) => output(value * side.rate) },
          { sideInputs: { rate } },
        );
    });
    const test = await testPipeline(graph);
    await test.send('in', kv('a', 5, 1));
    await test.drain();
    expect(
      test.deadLetters().map(({ step, message }) => [step, message.replace(/ for .*? and/, ' for … and')]),
    ).toEqual([
      ['spent', "view 'rate-view' has no element for … and no default; write asSingleton(…, { default: … })"],
    ]);
  });

  it('elements in the order of time see their views too, also after another try', async () => {
    let failures = 1;
    const graph = pipeline('sorted', (p) => {
      const names = keyed<string>(p, 'names').window('names-tens', fixedWindows(10)).asMap('names-view');
      keyed<number>(p)
        .window('tens', fixedWindows(10))
        .statefulParDo(
          'named',
          {
            emits: emits<string>(),
            async process({ key, value }, { side, output }) {
              if (failures-- > 0) throw new Error('not yet');
              output(`${await side.names.get(key)} ${value}`);
            },
          },
          { sideInputs: { names }, timeSorted: true, retry: { attempts: 3, firstWait: '1m' } },
        );
    });
    const test = await testPipeline(graph);
    await test.send('names', kv('a', 'Ada', 1));
    await test.send('in', kv('a', 2, 5), kv('a', 1, 4));
    await test.advanceWatermark(50);
    await test.advanceProcessingTime('2m');
    expect(test.outputs('named')).toEqual(['Ada 1', 'Ada 2']);
  });

  it('is refused where an element could not say which window it reads, and needs the memory of its views', async () => {
    expect(() =>
      pipeline('vague', (p) => {
        const rate = values<number>(p, 'rates').window('tens', fixedWindows(10)).asList('rate-view');
        keyed<number>(p)
          .window('all', globalWindow(), { trigger: repeatedly(afterCount(1)), accumulation: 'discarding' })
          .statefulParDo('spent', { process: () => {} }, { sideInputs: { rate } });
      }),
    ).toThrow("statefulParDo 'spent': its input is in the global window and the view 'rate-view' is in fixed windows");
    expect(plan(converted).stages.map(({ id }) => id)).toEqual([
      'rate',
      'rate-view',
      'spent-ready-once',
      'spent-ready',
      'spent',
    ]);
  });
});
