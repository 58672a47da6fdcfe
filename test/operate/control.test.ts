import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  boundedOutOfOrderness,
  count,
  emits,
  eventTimer,
  fixedWindows,
  pipeline,
  sessions,
} from '../../functions/index.ts';
import { MemorySubscriptions } from '../../functions/local/memory-subscriptions.ts';
import { PIPELINE_DOCUMENT } from '../../functions/engine/pipeline-document.ts';
import { newRoot } from '../../functions/engine/protocol/root.ts';
import { MemoryStore } from '../../functions/local/memory-store.ts';
import type { Graph } from '../../functions/model/graph.ts';
import type { EpochMillis, Millis } from '../../functions/model/time.ts';
import { examine } from '../../functions/operate/doctor/doctor.ts';
import { drain, drainProgress } from '../../functions/operate/drain.ts';
import { pause, resume } from '../../functions/operate/pause.ts';
import { programsOf } from '../../functions/operate/status/programs.ts';
import { statusOf } from '../../functions/operate/status/status.ts';
import { survey } from '../../functions/operate/status/survey.ts';
import { admit } from '../../functions/operate/upgrade.ts';
import { plan } from '../../functions/plan/plan.ts';
import { Driven } from './driven.ts';

const NOON = 1_700_006_400_000;
const HOUR = 3_600_000;
const Event = z.object({ card: z.string(), at: z.number() });

function counts(size: '1h' | '2h' = '1h', head = 'count', more?: 'more'): Graph {
  return pipeline('counts', (p) => {
    const events = p
      .readPubSub('events', { schema: Event, eventTime: ({ at }) => at, watermark: boundedOutOfOrderness('1m') })
      .keyBy('by-card', ({ card }) => card);
    if (more !== undefined) events.window('sessions', sessions('5m')).combinePerKey('visits', count());
    events
      .window('hourly', fixedWindows(size))
      .combinePerKey(head, count())
      .writeBigQuery('counts-table', {
        columns: { card: 'STRING', hour: 'TIMESTAMP', n: 'INT64' },
        key: ['card', 'hour'],
        row: ({ key, value }, { window }) => ({ card: key, hour: window.start, n: value }),
      });
  });
}

const look = ({ store, clock, plan: deployed }: Driven) => survey(store, deployed.pipeline, clock.now(), deployed);

async function rows(driven: Driven): Promise<unknown[]> {
  await driven.embedded.flush();
  return [...driven.warehouse.rows('counts_table')].map(({ card, n }) => [card, n]);
}

describe('a paused stage', () => {
  it('gets nothing, loses nothing, and nothing goes late meanwhile', async () => {
    const driven = await new Driven(counts()).start();
    const subscriptions = new MemorySubscriptions(driven.bus);
    await driven.feed('events', [{ card: 'a', at: NOON }]);
    await pause(driven.store, subscriptions, driven.clock, 'count');
    await driven.feed('events', [{ card: 'a', at: NOON + 5 }]);
    await driven.feed('events', [{ card: 'a', at: NOON + 5 * HOUR }]);
    for (let i = 0; i < 5; i++) await driven.pass(HOUR);
    expect(driven.embedded.watermarks.input['count']).toBe(NOON + 5);
    expect(driven.embedded.counts.get('count')).toMatchObject({ elements: 1, late: 0 });
    const [stage] = (await statusOf(driven.store, await look(driven), programsOf(driven.plan))).stages;
    expect(stage).toMatchObject({ id: 'count', pausedSince: driven.clock.now() - 5 * HOUR, backlog: { envelopes: 2 } });
    await resume(driven.store, subscriptions, 'count');
    await driven.settle();
    expect(driven.embedded.counts.get('count')).toMatchObject({ elements: 3, late: 0 });
    expect(await rows(driven)).toEqual([['a', 2]]);
  });

  it('is paused however often, and resumed once', async () => {
    const driven = await new Driven(counts()).start();
    const subscriptions = new MemorySubscriptions(driven.bus);
    await expect(resume(driven.store, subscriptions, 'count')).rejects.toThrow("stage 'count' is not paused");
    await pause(driven.store, subscriptions, driven.clock, 'count');
    await driven.pass(HOUR);
    await pause(driven.store, subscriptions, driven.clock, 'count');
    expect((await look(driven)).paused).toEqual({ count: { since: driven.clock.now() - HOUR, delivery: {} } });
    await resume(driven.store, subscriptions, 'count');
    expect(driven.bus.paused.size).toBe(0);
    await expect(resume(driven.store, subscriptions, 'count')).rejects.toThrow("stage 'count' is not paused");
  });
});

describe('a drain', () => {
  it('closes every window once reading has surely ended, and is done when all is written', async () => {
    const driven = await new Driven(counts()).start();
    const subscriptions = new MemorySubscriptions(driven.bus);
    await driven.feed('events', [
      { card: 'a', at: NOON },
      { card: 'b', at: NOON + HOUR },
    ]);
    await drain(driven.store, subscriptions, driven.clock, ['events'], { reading: 60_000 as Millis });
    expect([...subscriptions.stopped]).toEqual(['events']);
    await driven.pass(59_000);
    expect(drainProgress(await look(driven))).toMatchObject({
      drained: false,
      open: ['count', 'counts-table'],
      cells: 2,
    });
    await driven.pass(2_000);
    expect(drainProgress(await look(driven))).toMatchObject({ drained: false, open: [], cells: 0, rows: 2 });
    expect((await rows(driven)).sort()).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    expect(drainProgress(await look(driven))).toMatchObject({ drained: true, open: [], cells: 0, rows: 0 });
  });

  it('stops its sources again when the order is given again, though a deployment has started one meanwhile', async () => {
    const driven = await new Driven(counts()).start();
    const subscriptions = new MemorySubscriptions(driven.bus);
    const order = await drain(driven.store, subscriptions, driven.clock, ['events']);
    await subscriptions.resume({ kind: 'source', id: 'events' });
    expect(await drain(driven.store, subscriptions, driven.clock, ['events'])).toEqual(order);
    expect([...subscriptions.stopped]).toEqual(['events']);
  });

  it('tells timers and expirations that nothing comes any more', async () => {
    const graph = pipeline('closing', (p) => {
      p.readPubSub('events', { schema: Event, eventTime: ({ at }) => at, watermark: boundedOutOfOrderness('1m') })
        .keyBy('by-card', ({ card }) => card)
        .window('hourly', fixedWindows('1h'))
        .statefulParDo('told', {
          emits: emits<string>(),
          timers: { soon: eventTimer() },
          process: ({ key }, { timers, timestamp, isDraining, output }) => {
            timers.soon.set(timestamp + 60_000);
            output(`element of ${key}: ${isDraining}`);
          },
          onTimer: { soon: ({ key, isDraining, output }) => output(`timer of ${key}: ${isDraining}`) },
          onWindowExpiration: ({ key, isDraining, output }) => output(`end of ${key}: ${isDraining}`),
        })
        .writePubSub('told-topic', { topic: 'told', id: (text) => text });
    });
    const driven = await new Driven(graph).start();
    await driven.feed('events', [{ card: 'a', at: NOON }]);
    await driven.feed('events', [{ card: 'b', at: NOON + HOUR + 120_000 }]);
    await drain(driven.store, new MemorySubscriptions(driven.bus), driven.clock, ['events'], { reading: 0 as Millis });
    await driven.pass(1_000);
    expect(driven.bus.published.map(({ attributes }) => attributes['id']).sort()).toEqual([
      'element of a: false',
      'element of b: false',
      'end of a: false',
      'end of b: true',
      'timer of a: false',
      'timer of b: true',
    ]);
  });

  it('lets windows close by the clock, where it was told to, for so long at most', async () => {
    const driven = await new Driven(counts()).start();
    const now = driven.clock.now();
    const soon = now + HOUR - (now % HOUR);
    await driven.feed('events', [
      { card: 'a', at: now },
      { card: 'far', at: soon + 30 * HOUR },
    ]);
    const order = { reading: 0 as Millis, untilClosed: (3 * HOUR) as Millis };
    await drain(driven.store, new MemorySubscriptions(driven.bus), driven.clock, ['events'], order);
    await driven.pass(soon - now - 1_000);
    expect(drainProgress(await look(driven)).cells).toBe(2);
    await driven.pass(2 * HOUR);
    expect(drainProgress(await look(driven)).cells).toBe(1);
    expect(driven.embedded.watermarks.output['events']).toBeLessThan(soon + 31 * HOUR);
    await driven.pass(HOUR);
    expect(drainProgress(await look(driven))).toMatchObject({ open: [], cells: 0 });
  });
});

describe('a new version', () => {
  const at = NOON as EpochMillis;

  it('goes on with what is stored where it fits, under a higher number where anything is new', async () => {
    const store = new MemoryStore();
    expect(await admit(store, plan(counts()), at)).toMatchObject({ topology: 1, epoch: 1 });
    expect(await admit(store, plan(counts()), at)).toMatchObject({ topology: 1 });
    expect(await admit(store, plan(counts('1h', 'count', 'more')), at)).toMatchObject({ topology: 2 });
    expect(await admit(store, plan(counts('1h', 'count', 'more'), { slots: 2 }), at)).toMatchObject({ topology: 3 });
  });

  it('is no older than what runs already, where that was deployed without being admitted', async () => {
    const store = new MemoryStore();
    const root = newRoot('count~0', 4);
    await store.commit({ preconditions: [], sets: [{ collection: 'roots', id: root.id, body: root }], deletes: [] });
    expect(await admit(store, plan(counts()), at)).toMatchObject({ topology: 4, epoch: 1 });
    expect(await admit(store, plan(counts()), at)).toMatchObject({ topology: 4, epoch: 1 });
  });

  it('is refused with the difference and the two ways on, and changes nothing', async () => {
    const store = new MemoryStore();
    await admit(store, plan(counts()), at);
    // A sweep of it has run.
    await store.raise(PIPELINE_DOCUMENT, { 'out:count': at, 'moved:count': at });
    await expect(admit(store, plan(counts('2h'), { shards: 8 }), at)).rejects.toThrow(
      "this version of 'counts' does not fit what is stored:\n" +
        "- stage 'count' had 4 shards and has 8; the number is fixed for a pipeline's life\n" +
        "- stage 'count': windows was fixedWindows(3600000, { offset: 0 }) and is fixedWindows(7200000, { offset: 0 })\n" +
        'Either drain the pipeline first (millrace drain), or give the new version a name of its own, and it starts afresh beside the old one.',
    );
    await expect(admit(store, plan(counts('1h', 'number')), at)).rejects.toThrow(
      "- stage 'count' (reduce) is gone, and with it its state",
    );
    expect(await admit(store, plan(counts()), at)).toMatchObject({ topology: 1 });
  });
});

it('a pipeline is looked at as it was deployed, whatever version the code at hand is of', async () => {
  const driven = await new Driven(counts()).start();
  await admit(driven.store, driven.plan, driven.clock.now());
  await driven.feed('events', [{ card: 'a', at: NOON }]);
  const other = plan(counts('1h', 'renamed'));
  const surveyed = await survey(driven.store, 'counts', driven.clock.now(), other);
  const { stages } = await statusOf(driven.store, surveyed, programsOf(other));
  expect(stages.map(({ id, cells }) => [id, cells])).toEqual([
    ['count', 1],
    ['counts-table', 0],
  ]);
});

describe('the doctor', () => {
  const ill = async (driven: Driven) => {
    const { store, plan: deployed } = driven;
    const found = await examine({ store, survey: await look(driven), plan: deployed, outside: [] });
    return found.filter(({ severity }) => severity !== 'ok');
  };

  it('finds nothing wrong with a pipeline that is well', async () => {
    const driven = await new Driven(counts()).start();
    await admit(driven.store, driven.plan, driven.clock.now());
    await driven.feed('events', [{ card: 'a', at: NOON }]);
    expect(await ill(driven)).toEqual([]);
  });

  it('finds envelopes that never settle, sweeps that do not run, and another version', async () => {
    const driven = await new Driven(counts()).start();
    await admit(driven.store, plan(counts('2h'), { shards: 2, files: new Set(['events']) }), driven.clock.now());
    driven.bus.paused.add('count');
    await driven.feed('events', [{ card: 'a', at: NOON }]);
    driven.clock.advanceTo((driven.clock.now() + HOUR) as EpochMillis);
    expect((await ill(driven)).map(({ check, severity, sentence }) => [check, severity, sentence])).toEqual([
      [
        'sweeps',
        'error',
        expect.stringMatching(/^the last sweep ran at .*; watermarks stand, and nothing that was lost is sent again$/),
      ],
      [
        'envelopes',
        'error',
        expect.stringMatching(/^1 envelopes for 'count' are not taken, the oldest \(ingest~events~0#1\) since /),
      ],
      [
        'upgrade',
        'error',
        expect.stringMatching(/^the code at hand does not fit what is stored: stage 'count': windows was /),
      ],
    ]);
  });

  it('names a view that elements wait for, the window, and what to do', async () => {
    const graph = pipeline('rated', (p) => {
      const source = (name: string) =>
        p.readPubSub(name, { schema: Event, eventTime: ({ at }) => at, watermark: boundedOutOfOrderness('1m') });
      const rates = source('rates').window('rates-hourly', fixedWindows('1h')).asList('rates-view');
      source('events')
        .window('hourly', fixedWindows('1h'))
        .parDo(
          'rated',
          { process: ({ card }, { output, sideInput }) => output(`${card} ${sideInput(rates).length}`) },
          { sideInputs: { rates } },
        );
    });
    const driven = await new Driven(graph).start();
    await admit(driven.store, driven.plan, driven.clock.now());
    await driven.feed('rates', [{ card: 'r', at: NOON }]);
    await driven.feed('events', [{ card: 'a', at: NOON + 7 }]);
    const since = new Date(driven.clock.now()).toISOString();
    await driven.pass(5 * 60_000);
    expect(await ill(driven)).toEqual([
      {
        check: 'views',
        severity: 'warning',
        sentence: `view 'rates-view': 1 elements of 'rated' wait for [2023-11-15T00:00:00.000Z, 2023-11-15T01:00:00.000Z) since ${since}: it has 1 elements, and its trigger fires when the view's watermark is past 2023-11-15T00:59:59.999Z; the view's watermark stands at 2023-11-14T23:59:00.000Z`,
        remedies: [
          'see what holds it: millrace why rates-view',
          'give the view smaller windows, or a trigger with early firings, to be ready sooner',
          'lower its source’s lateness or maxLag, or choose a watermark that moves while the source is silent',
        ],
      },
    ]);
  });

  it('goes on when a check cannot be made', async () => {
    const driven = await new Driven(counts()).start();
    await admit(driven.store, driven.plan, driven.clock.now());
    await driven.settle();
    const outside = [
      { check: 'topics', run: async () => Promise.reject(new Error('no access')) },
      { check: 'grants', run: async () => [] },
    ];
    const { store, plan: deployed } = driven;
    const found = await examine({ store, survey: await look(driven), plan: deployed, outside });
    expect(found.filter(({ check }) => check === 'topics' || check === 'grants')).toEqual([
      { check: 'topics', severity: 'unknown', sentence: 'could not be checked: no access', remedies: [] },
      { check: 'grants', severity: 'ok', sentence: 'nothing is wrong', remedies: [] },
    ]);
  });
});
