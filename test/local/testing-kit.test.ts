import { describe, expect, it } from 'vitest';
import {
  bagState,
  combiningState,
  emits,
  eventTimer,
  fixedWindows,
  mapState,
  pipeline,
  setState,
  sum,
  valueState,
} from '../../functions/index.ts';
import { testPipeline, timestamped, type Troubles } from '../../functions/local/testing.ts';

interface Order {
  readonly customer: string;
  readonly cents: number;
  readonly at: string;
}

const ORDER = {
  parse(value: unknown): Order {
    if (typeof (value as Order)?.cents !== 'number') throw new Error('cents is no number');
    return value as Order;
  },
};

const orders = pipeline('orders', (p) => {
  p.readPubSub('orders', { schema: ORDER, eventTime: ({ at }) => at })
    .keyBy('by-customer', ({ customer }) => customer)
    .mapValues('cents', ({ cents }) => cents)
    .window('hourly', fixedWindows('1h'))
    .combinePerKey('total', sum())
    .writePubSub('totals', { id: ({ key }) => `total of ${key}` });
});

const order = (customer: string, cents: number, at: string): Order => ({ customer, cents, at: `2026-01-01T${at}Z` });

describe('a pipeline under test', () => {
  it('reads values as its source does, and moves when the test says so', async () => {
    const test = await testPipeline(orders, { startAt: '2026-01-01T10:30Z' });
    await test.send('orders', order('ada', 500, '10:00'), order('ada', 20, '10:59'), order('bob', 3, '11:00'));
    expect(test.outputs('total')).toEqual([]);
    await test.advanceWatermark('2026-01-01T11:00Z');
    expect(test.panes('total')).toEqual([
      {
        value: { key: 'ada', value: 520 },
        timestamp: Date.UTC(2026, 0, 1, 10, 59, 59, 999),
        window: { start: Date.UTC(2026, 0, 1, 10), end: Date.UTC(2026, 0, 1, 11) },
        pane: { timing: 'ON_TIME', index: 0, nonSpeculativeIndex: 0, isFirst: true, isLast: true },
      },
    ]);
    expect(test.messages('totals').map(({ data, attributes }) => [data, attributes['id']])).toEqual([
      ['{"key":"ada","value":520}', 'total of ada'],
    ]);
    expect(test.inputWatermark('total')).toBe(Date.UTC(2026, 0, 1, 11));
    await test.drain();
    expect(test.outputs('total')).toEqual([
      { key: 'ada', value: 520 },
      { key: 'bob', value: 3 },
    ]);
    expect(test.remains()).toEqual([]);
  });

  it('tells what was late and what failed', async () => {
    const test = await testPipeline(orders);
    await test.advanceWatermark('2026-01-01T11:00Z');
    await test.send('orders', order('ada', 500, '10:00'), { cents: 'many' });
    expect(test.late('total').map(({ key, value, reason }) => [key, value, reason])).toEqual([['ada', 500, 'expired']]);
    expect(test.deadLetters().map(({ kind, stage, message }) => [kind, stage, message])).toEqual([
      ['source', 'orders', "source 'orders': cents is no number"],
    ]);
  });

  it('takes event times from the test where it gives them', async () => {
    const test = await testPipeline(orders);
    await test.send('orders', timestamped(order('ada', 1, '10:00'), '2026-01-01T23:00Z'));
    expect(test.panes('cents').map(({ timestamp }) => timestamp)).toEqual([Date.UTC(2026, 0, 1, 23)]);
  });

  it('shows the state of a key as its code would read it', async () => {
    const stateful = pipeline('p', (p) => {
      p.readPubSub('in', { schema: { parse: (value) => value as number } })
        .keyBy('parity', (n) => (n % 2 === 0 ? 'even' : 'odd'))
        .window('tens', fixedWindows(10))
        .statefulParDo('kept', {
          emits: emits<never>(),
          state: {
            last: valueState<number>(),
            total: combiningState(sum()),
            all: bagState<number>(),
            set: setState<number>(),
            map: mapState<string, number>(),
          },
          timers: { end: eventTimer() },
          process({ value }, { state, timers, window }) {
            state.last.write(value);
            state.total.add(value);
            state.all.add(value);
            state.set.add(value % 3);
            state.map.put(`n${value}`, value);
            timers.end.set(window.end - 1);
          },
          onTimer: { end() {} },
        });
    });
    const test = await testPipeline(stateful);
    await test.send('in', timestamped(1, 1), timestamped(3, 3), timestamped(13, 13), timestamped(2, 2));
    expect(await test.stateOf('kept', 'odd')).toEqual([
      {
        window: { start: 0, end: 10 },
        state: {
          last: 3,
          total: 4,
          all: [1, 3],
          set: [1, 0],
          map: [
            ['n1', 1],
            ['n3', 3],
          ],
        },
        timers: [{ id: 'end', at: 9 }],
      },
      {
        window: { start: 10, end: 20 },
        state: { last: 13, total: 13, all: [13], set: [1], map: [['n13', 13]] },
        timers: [{ id: 'end', at: 19 }],
      },
    ]);
    expect(await test.stateOf('kept', 'none')).toEqual([]);
    await expect(test.send('elsewhere', 1)).rejects.toThrow(
      "pipeline 'p' has no source 'elsewhere'; its sources are in",
    );
    expect(() => test.panes('elsewhere')).toThrow("pipeline 'p' has no transform 'elsewhere'");
  });
});

describe('trouble on purpose', () => {
  const troubles: readonly Troubles[] = [
    {},
    { everyMessageTwice: true },
    { reordered: true },
    { lost: 0.4 },
    { crashAfterCommits: true },
    { everyMessageTwice: true, reordered: true, lost: 0.2, crashAfterCommits: true, checkIngest: true },
  ];

  it.each(troubles)('changes no result: %o', async (trouble) => {
    const test = await testPipeline(orders, { troubles: trouble });
    for (let i = 0; i < 5; i++)
      await test.send('orders', order('ada', 1, '10:00'), order('bob', 10, '10:30'), order('ada', 100, '11:30'));
    await test.drain();
    expect(
      test
        .outputs('total')
        .map((total) => JSON.stringify(total))
        .sort(),
    ).toEqual(['{"key":"ada","value":500}', '{"key":"ada","value":5}', '{"key":"bob","value":50}']);
    expect(test.remains()).toEqual([]);
  });

  it.each([
    [{}, false],
    [{ everyMessageTwice: true, reordered: true }, false],
    [{ lost: 0.6 }, true],
    [{ crashAfterCommits: true }, true],
  ] as const)(
    'what is lost needs time until it is sent again, and nothing else does: %o',
    async (trouble, needsTime) => {
      const test = await testPipeline(orders, { troubles: trouble, watch: ['total'] });
      await test.send('orders', ...Array.from({ length: 50 }, (_, i) => order(`c${i}`, i, '10:00')));
      expect(test.now > 0).toBe(needsTime);
    },
  );

  it('steps that are not repeatable before the first shuffle are found', async () => {
    let calls = 0;
    const graph = pipeline('p', (p) => {
      p.readPubSub('in', { schema: { parse: (value) => value as number } })
        .map('counted', (n) => n + calls++)
        .keyBy('by', () => 'k')
        .window('tens', fixedWindows(10))
        .combinePerKey('total', sum());
    });
    const test = await testPipeline(graph, { troubles: { checkIngest: true }, watch: [] });
    await expect(test.send('in', timestamped(1, 1))).rejects.toThrow(
      /^the steps behind source 'in' \(counted, by, tens\) are not repeatable: run twice on the same elements they made/,
    );
  });
});
