import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readControl } from '../../functions/engine/control.ts';
import { boundedOutOfOrderness, count, fixedWindows, pipeline } from '../../functions/index.ts';
import { MemorySubscriptions } from '../../functions/local/memory-subscriptions.ts';
import { RetryableError } from '../../functions/model/errors.ts';
import type { Millis } from '../../functions/model/time.ts';
import { examine } from '../../functions/operate/doctor/doctor.ts';
import { drain } from '../../functions/operate/drain.ts';
import { startAfresh } from '../../functions/operate/fresh-start.ts';
import { pause, resume } from '../../functions/operate/pause.ts';
import { programsOf } from '../../functions/operate/status/programs.ts';
import { drainOf, pausesOf } from '../../functions/operate/status/standing-orders.ts';
import { statusOf } from '../../functions/operate/status/status.ts';
import { survey } from '../../functions/operate/status/survey.ts';
import { why } from '../../functions/operate/status/why.ts';
import { untilDrained } from '../../functions/operate/until-drained.ts';
import { admit } from '../../functions/operate/upgrade.ts';
import { Driven } from './driven.ts';

const Event = z.object({ card: z.string(), at: z.number() });
const NOON = 1_700_006_400_000;
const MINUTE = 60_000;

const counts = pipeline('counts', (p) => {
  for (const source of ['events', 'others'])
    p.readPubSub(source, { schema: Event, eventTime: ({ at }) => at, watermark: boundedOutOfOrderness('1m') })
      .keyBy(`${source}-by-card`, ({ card }) => card)
      .window(`${source}-hourly`, fixedWindows('1h'))
      .combinePerKey(`${source}-count`, count());
});

/** Deliveries whose line is cut at the next one that is stopped or started. */
class CutSubscriptions extends MemorySubscriptions {
  cutAt: string | undefined;

  override pause(delivery: { kind: 'stage' | 'source'; id: string }): Promise<void> {
    return this.cutAt === delivery.id ? Promise.reject(new RetryableError('the line was cut')) : super.pause(delivery);
  }

  override resume(delivery: { kind: 'stage' | 'source'; id: string }): Promise<void> {
    return this.cutAt === delivery.id ? Promise.reject(new RetryableError('the line was cut')) : super.resume(delivery);
  }
}

let driven: Driven;
let subscriptions: CutSubscriptions;
beforeEach(async () => {
  driven = await new Driven(counts).start();
  subscriptions = new CutSubscriptions(driven.bus);
  await admit(driven.store, driven.plan, driven.clock.now());
  await driven.feed('events', [{ card: 'a', at: NOON }]);
});

const look = () => survey(driven.store, 'counts', driven.clock.now(), driven.plan);
const told = async (): Promise<string[]> =>
  [...pausesOf(await look()), ...drainOf(await look())].map(({ sentence, remedies }) =>
    [sentence, ...remedies].join(' | '),
  );
const now = (): string => new Date(driven.clock.now()).toISOString();

describe('of a stage that is paused', () => {
  it('is said since when, and how it goes on', async () => {
    const since = now();
    await pause(driven.store, subscriptions, driven.clock, 'events-count');
    await driven.pass(10 * MINUTE);
    expect(await told()).toEqual([
      `'events-count' is paused since ${since} (10 minutes); Pub/Sub keeps what waits for days only | millrace resume events-count`,
    ]);
  });

  it('half, or half resumed, is said what goes on from there', async () => {
    const since = now();
    subscriptions.cutAt = 'events-count';
    await expect(pause(driven.store, subscriptions, driven.clock, 'events-count')).rejects.toThrow('half paused');
    const half = 'a command is under way or broke off, and some of its slots may get messages, others not | millrace';
    expect(await told()).toEqual([
      `'events-count' is half paused since ${since} (0 minutes): ${half} pause events-count, again | millrace resume events-count`,
    ]);
    const [stage] = (await statusOf(driven.store, await look(), programsOf(driven.plan))).stages;
    expect(stage).toMatchObject({ id: 'events-count', pauseStep: 'pausing', pausedSince: driven.clock.now() });
    await expect(resume(driven.store, subscriptions, 'events-count')).rejects.toThrow('half resumed');
    expect(await told()).toEqual([
      `'events-count' is half resumed since ${since} (0 minutes): ${half} resume events-count, again | millrace pause events-count`,
    ]);
    subscriptions.cutAt = undefined;
    await resume(driven.store, subscriptions, 'events-count');
    expect(await told()).toEqual([]);
  });

  it('and that there is no more, is said how it is forgotten', async () => {
    await pause(driven.store, subscriptions, driven.clock, 'gone');
    expect(await told()).toEqual([
      `'gone' was paused since ${now()} (0 minutes), and there is no such stage any more | millrace resume gone, which forgets it`,
    ]);
    await resume(driven.store, subscriptions, 'gone');
    expect(await told()).toEqual([]);
  });
});

describe('of a pipeline that drains', () => {
  const order = (options = {}) => drain(driven.store, subscriptions, driven.clock, ['events', 'others'], options);

  it('is said how far it is, and what its end waits for', async () => {
    const since = now();
    await order();
    await driven.settle();
    const until = new Date(driven.clock.now() + 2 * MINUTE).toISOString();
    expect(await told()).toEqual([
      `'counts' drains, and reads no more since ${since}; its windows close from ${until} on: 2 stages are open (events-count, others-count); 1 cells, 0 envelopes, 0 rows are left | millrace drain, which says when it is through; nothing is deployed before | millrace why events-count`,
    ]);
    await pause(driven.store, subscriptions, driven.clock, 'events-count');
    expect((await told())[0]).toContain('(0 minutes), and the drain waits for it;');
    await resume(driven.store, subscriptions, 'events-count');
    await driven.pass(3 * MINUTE);
    expect(await told()).toEqual([
      `'counts' is drained, and reads no more since ${since} | deploy it again, which starts it afresh | millrace destroy counts, which removes it`,
    ]);
  });

  it('is ordered before its sources are stopped, so one that broke off is known, and given again', async () => {
    subscriptions.cutAt = 'others';
    await expect(order({ untilClosed: 60 * MINUTE })).rejects.toThrow(
      'the drain is ordered, and some sources may be delivered still; give it again (millrace drain): the line was cut',
    );
    expect([...subscriptions.stopped]).toEqual(['events']);
    expect((await told())[0]).toContain("'counts' drains");
    subscriptions.cutAt = undefined;
    const since = driven.clock.now();
    await driven.pass(MINUTE);
    expect(await order()).toMatchObject({ since, readingEnds: since + 2 * MINUTE, closingEnds: since + 62 * MINUTE });
    expect([...subscriptions.stopped]).toEqual(['events', 'others']);
  });

  it('keeps the time that it lets windows close when it is given again, unless that says another', async () => {
    const since = driven.clock.now();
    await order({ untilClosed: 60 * MINUTE, reading: MINUTE });
    await driven.pass(MINUTE);
    expect(await order()).toMatchObject({ closingEnds: since + 61 * MINUTE });
    await order({ untilClosed: 0 as Millis });
    expect((await readControl(driven.store, 'drain'))?.body).toMatchObject({
      readingEnds: since + MINUTE,
      closingEnds: since + MINUTE,
    });
  });

  it('is not lost to a sweep that closes its reading at the same moment', async () => {
    await order({ reading: 0 as Millis });
    const commit = driven.store.commit.bind(driven.store);
    let swept = false;
    driven.store.commit = async (batch) => {
      if (!swept && batch.sets.some(({ id }) => id === 'drain')) {
        swept = true;
        await driven.embedded.sweep();
      }
      return commit(batch);
    };
    expect(await order()).toMatchObject({ closed: true });
  });

  it('is waited for until it is through, and no longer than one has time', async () => {
    await order();
    const left: number[] = [];
    const wait = (timeout: number) =>
      driven.until(untilDrained(look, driven.clock, timeout as Millis, ({ cells }) => left.push(cells)));
    expect(await wait(12_000)).toMatchObject({ progress: { drained: false, cells: 1 }, startedAfresh: null });
    expect(left).toEqual([1, 1, 1]);
    await driven.pass(3 * MINUTE);
    expect(await wait(12_000)).toMatchObject({ progress: { drained: true }, startedAfresh: null });
    await startAfresh(driven.store, driven.plan, driven.clock.now());
    // Somebody has deployed it before this looked again: what that has to do is no business of the drain.
    expect(await wait(12_000)).toEqual({
      progress: { drained: true, open: [], cells: 0, envelopes: 0, rows: 0, messages: 0 },
      startedAfresh: 2,
    });
    expect(left).toEqual([1, 1, 1]);
  });

  it('is said by why what the watermark waits for', async () => {
    const asked = async () => (await why(driven.store, await look(), 'others-count', programsOf(driven.plan))).culprit;
    const since = driven.clock.now();
    const moment = (after: number): string => new Date(since + after).toISOString();
    await order({ untilClosed: 60 * MINUTE });
    await driven.settle();
    expect((await asked()).sentence).toBe(
      `source 'others' reads no more; a sweep lets it go on from ${moment(2 * MINUTE)} on, when nothing is read any more`,
    );
    await driven.feed('others', [{ card: 'b', at: since }]);
    await driven.pass(3 * MINUTE);
    expect((await asked()).sentence).toBe(
      `source 'others' follows the clock with each sweep, as long as a window is open, until ${moment(62 * MINUTE)} at the latest`,
    );
    await driven.pass(60 * MINUTE);
    expect((await asked()).kind).toBe('nothing');
  });

  it('and whose fresh start broke off, is said what goes on with it', async () => {
    await order({ reading: 0 as Millis });
    await driven.settle();
    const commit = driven.store.commit.bind(driven.store);
    let commits = 0;
    driven.store.commit = async (batch) => {
      if (++commits > 2) throw new RetryableError('the line was cut');
      return commit(batch);
    };
    await expect(startAfresh(driven.store, driven.plan, driven.clock.now())).rejects.toThrow('the line was cut');
    driven.store.commit = commit;
    const { store, plan } = driven;
    const found = await examine({ store, survey: await look(), plan, outside: [] });
    expect(found.find(({ check }) => check === 'drain')).toEqual({
      check: 'drain',
      severity: 'error',
      sentence: "a fresh start of 'counts', as epoch 2, has begun and is not through: what runs takes nothing",
      remedies: ['deploy it again, which goes on with it', 'millrace restart, before a deployment by other means'],
    });
    await startAfresh(driven.store, driven.plan, driven.clock.now());
    expect(await told()).toEqual([]);
  });
});
