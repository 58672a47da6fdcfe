import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { writeControl } from '../../functions/engine/control.ts';
import {
  afterCount,
  boundedOutOfOrderness,
  eventTimer,
  emits,
  fixedWindows,
  type Pipeline,
  pipeline,
  repeatedly,
  sum,
  vertexEndpoint,
} from '../../functions/index.ts';
import { MemorySubscriptions } from '../../functions/local/memory-subscriptions.ts';
import { pause } from '../../functions/operate/pause.ts';
import { programsOf } from '../../functions/operate/status/programs.ts';
import { survey } from '../../functions/operate/status/survey.ts';
import { type Why, why } from '../../functions/operate/status/why.ts';
import type { PredictAnswer } from '../../functions/ports/predictor.ts';
import { Driven } from './driven.ts';

const NOON = 1_700_006_400_000;
const HOUR = 3_600_000;
const Event = z.object({ card: z.string(), cents: z.number(), at: z.number() });
type Event = z.infer<typeof Event>;

const read = (p: Pipeline, name = 'events') =>
  p.readPubSub(name, { schema: Event, eventTime: ({ at }) => at, watermark: boundedOutOfOrderness('1m') });

const event = (card: string, at: number): Event => ({ card, cents: 1, at });

async function ask(driven: Driven, stage: string): Promise<Why> {
  const { store, clock, plan } = driven;
  return why(store, await survey(store, plan.pipeline, clock.now(), plan), stage, programsOf(plan));
}

const totals = pipeline('totals', (p) => {
  read(p)
    .keyBy('by-card', ({ card }) => card)
    .window('hourly', fixedWindows('1h'), { timestampCombiner: 'earliest' })
    .combinePerKey(
      'spent',
      sum((each: Event) => each.cents),
    )
    .keyBy('again', ({ key }) => key)
    .window('by-day', fixedWindows('1d'), {
      trigger: repeatedly(afterCount(1)),
      accumulation: 'discarding',
      allowedLateness: '1d',
    })
    .groupByKey('all');
});

describe('why', () => {
  it('names the source, when nothing else holds', async () => {
    const driven = await new Driven(totals).start();
    await driven.feed('events', [event('a', NOON)]);
    await driven.settle();
    // The window has closed; only what the source knows is left.
    await driven.feed('events', [event('a', NOON + 5 * HOUR)]);
    const found = await ask(driven, 'spent');
    expect(found).toMatchObject({
      stage: 'spent',
      path: ['spent'],
      culprit: { kind: 'source', name: 'events', at: NOON + 5 * HOUR - 60_000 },
    });
    expect(found.culprit.sentence).toMatch(
      /^source 'events' is known to be complete up to there; it was last read at 20/,
    );
  });

  it('names the window of the key that holds, upstream of the stage that was asked about', async () => {
    const driven = await new Driven(totals).start();
    await driven.feed('events', [event('b', NOON + 50), event('a', NOON + 10)]);
    await driven.feed('events', [event('c', NOON + 70_000)]);
    const { culprit, path, outputWatermark } = await ask(driven, 'all');
    expect(path).toEqual(['all', 'spent']);
    expect(outputWatermark).toBe(NOON + 10);
    expect(culprit).toMatchObject({
      kind: 'window',
      where: 'spent',
      name: '"a"',
      at: NOON + 10,
      what: '[2023-11-15T00:00:00.000Z, 2023-11-15T01:00:00.000Z)',
    });
    expect(culprit.sentence).toMatch(/^window \[2023.*\) of key "a" in spent~\d holds it$/);
    expect(culprit.since).toBe(driven.clock.now());
  });

  it('names the envelope that is not taken, and since when', async () => {
    const driven = await new Driven(totals).start();
    driven.bus.paused.add('spent');
    await driven.feed('events', [event('a', NOON)]);
    const sent = driven.clock.now();
    await driven.pass(30_000);
    await driven.feed('events', [event('z', NOON + 5 * HOUR)]);
    const { culprit } = await ask(driven, 'all');
    expect(culprit).toMatchObject({
      kind: 'envelope',
      where: 'spent',
      root: 'ingest~events~0',
      name: 'ingest~events~0#1',
      at: NOON,
      since: sent,
    });
    expect(culprit.sentence).toMatch(/^envelope ingest~events~0#1 for spent~\d is not taken/);
    driven.bus.paused.clear();
    await driven.settle();
    expect((await ask(driven, 'all')).culprit.kind).not.toBe('envelope');
  });

  it('names the pause of a stage, whatever it holds', async () => {
    const driven = await new Driven(totals).start();
    await driven.feed('events', [event('a', NOON)]);
    await pause(driven.store, new MemorySubscriptions(driven.bus), driven.clock, 'spent');
    const since = driven.clock.now();
    await driven.feed('events', [event('z', NOON + 5 * HOUR)]);
    await driven.pass(HOUR);
    const { culprit, path } = await ask(driven, 'all');
    expect(path).toEqual(['all', 'spent']);
    expect(culprit).toEqual({
      kind: 'pause',
      where: 'spent',
      name: 'spent',
      at: NOON,
      since,
      sentence: "stage 'spent' is paused, and 1 envelopes wait for it; go on with: millrace resume spent",
    });
  });

  it('names the timer of a key', async () => {
    const graph = pipeline('timers', (p) => {
      read(p)
        .keyBy('by-card', ({ card }) => card)
        .statefulParDo('quiet', {
          emits: emits<string>(),
          timers: { silence: eventTimer() },
          process: ({ key }, { timers, timestamp }) => {
            if (key === 'a') timers.silence.withOutputTimestamp(timestamp).set(timestamp + HOUR);
          },
          onTimer: { silence: ({ key, output }) => output(String(key)) },
        });
    });
    const driven = await new Driven(graph).start();
    await driven.feed('events', [event('a', NOON), event('b', NOON - 5)]);
    await driven.feed('events', [event('b', NOON + HOUR / 2)]);
    const { culprit } = await ask(driven, 'quiet');
    expect(culprit).toMatchObject({ kind: 'timer', where: 'quiet', name: '"a"', at: NOON });
    expect(culprit.sentence).toMatch(/^a timer in the global window of key "a" in quiet~\d holds it$/);
  });

  it('names the element that waits for another try, and until when', async () => {
    const graph = pipeline('retries', (p) => {
      read(p)
        .keyBy('by-card', ({ card }) => card)
        .statefulParDo(
          'called',
          {
            emits: emits<string>(),
            process: ({ key }, { output }) => {
              if (key === 'a') throw new Error('the line is busy');
              output(String(key));
            },
          },
          { retry: { attempts: 9, firstWait: '1h', longestWait: '1h' } },
        );
    });
    const driven = await new Driven(graph).start();
    await driven.feed('events', [event('a', NOON), event('b', NOON - 5)]);
    await driven.feed('events', [event('b', NOON + HOUR)]);
    const { culprit } = await ask(driven, 'called');
    expect(culprit).toMatchObject({ kind: 'retry', where: 'called', name: '"a"', at: NOON });
    expect(culprit.sentence).toMatch(/^another try: .* of key "a" in called~\d holds it$/);
  });

  it('names the view that elements wait for', async () => {
    const graph = pipeline('views', (p) => {
      const rates = read(p, 'rates').window('rates-hourly', fixedWindows('1h')).asList('rates-view');
      read(p)
        .window('hourly', fixedWindows('1h'))
        .parDo(
          'rated',
          { process: ({ cents }, { output, sideInput }) => output(cents * sideInput(rates).length) },
          { sideInputs: { rates } },
        );
    });
    const driven = await new Driven(graph).start();
    await driven.feed('rates', [event('r', NOON)]);
    await driven.feed('events', [event('a', NOON + 7), event('b', NOON + 2 * HOUR)]);
    const { culprit } = await ask(driven, 'rated');
    expect(culprit).toMatchObject({ kind: 'view', where: 'rated', name: 'rates-view', at: NOON + 7 });
    expect(culprit.sentence).toMatch(
      /^1 elements in rated~\d wait for view 'rates-view' to have its window \[2023-11-15T00/,
    );
  });

  it('names the batch that waits for its model, and why', async () => {
    const graph = pipeline('models', (p) => {
      read(p).enrichWithModel('score', {
        model: vertexEndpoint('e'),
        instance: ({ cents }) => ({ cents }),
        prediction: z.number(),
        requestsPerMinute: 60,
        batch: { maxInstances: 2, wait: '1h' },
      });
    });
    const answer: PredictAnswer = { state: 'unavailable', retryAfter: undefined, reason: '503: down' };
    const predictor = { predict: async () => answer, close: async () => {} };
    const driven = await new Driven(graph, undefined, { predictor }).start();
    await driven.feed('events', [event('a', NOON)]);
    await driven.feed('events', [event('z', NOON + HOUR)]);
    await driven.feed('events', [event('y', NOON + 2 * HOUR)]);
    const { culprit } = await ask(driven, 'score');
    expect(culprit).toMatchObject({
      kind: 'batch',
      where: 'score',
      name: 'batch 1',
      at: NOON,
      since: driven.clock.now(),
    });
    expect(culprit.sentence).toMatch(/^batch 1 of 2 elements waits until 20.* \(503: down\) \(score~0\)$/);
  });

  it('says that nothing does, when the input has ended', async () => {
    const driven = await new Driven(totals).start();
    await driven.feed('events', [event('a', NOON)], true);
    await driven.settle();
    expect((await ask(driven, 'all')).culprit).toMatchObject({
      kind: 'nothing',
      sentence: 'nothing holds it: its input has ended',
    });
  });

  it('tells an input that has ended from one that a drain has brought to its end, and from a stage that is paused', async () => {
    const driven = await new Driven(totals).start();
    await driven.feed('events', [event('a', NOON)]);
    const since = driven.clock.now();
    const order = { since, readingEnds: since, deliveries: {} };
    await writeControl(driven.store, 'drain', order, undefined);
    await driven.pass(1_000);
    await writeControl(driven.store, 'paused', { stages: { all: { since, delivery: {} } } }, undefined);
    expect((await ask(driven, 'all')).culprit).toMatchObject({
      kind: 'nothing',
      sentence: `nothing holds it: 'totals' drains since ${new Date(since).toISOString()}, and all before it is through; but 'all' is paused, go on with: millrace resume all`,
    });
  });

  it('does not know a stage that there is not', async () => {
    const driven = await new Driven(totals).start();
    await expect(ask(driven, 'nowhere')).rejects.toThrow(
      "pipeline 'totals' has no stage 'nowhere'; its stages are spent, all",
    );
  });
});
