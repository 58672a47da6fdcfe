import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  afterCount,
  afterWatermark,
  boundedOutOfOrderness,
  defaultTrigger,
  fixedWindows,
  PoisonError,
  pipeline,
} from '../../functions/index.ts';
import { MemoryBus } from '../../functions/local/memory-bus.ts';
import { MemoryWarehouse } from '../../functions/local/memory-warehouse.ts';
import { SeededIds } from '../../functions/local/virtual-clock.ts';
import type { Graph } from '../../functions/model/graph.ts';
import { replayLetters } from '../../functions/operate/replay/replay-letters.ts';
import { plan } from '../../functions/plan/plan.ts';
import type { MergeJob, MergeOutcome } from '../../functions/ports/warehouse.ts';
import { Driven } from './driven.ts';

const HOUR = 3_600_000;
const NOON = 1_700_006_400_000;
const Payment = z.object({ id: z.string(), card: z.string(), cents: z.number(), at: z.number() });
type Payment = z.infer<typeof Payment>;
const Text = z.object({ key: z.string(), text: z.string(), at: z.number() });

/** What is broken until it is mended: as a fault of the deployed code. */
const broken = { parse: true, head: true, extract: true, merge: false };

/** @param lifting a count in the trigger keeps senders from combining */
function payments(lifting: 'lifted' | 'notLifted' = 'lifted'): Graph {
  const trigger =
    lifting === 'lifted' ? defaultTrigger() : afterWatermark({ early: afterCount(1_000), late: afterCount(1) });
  return pipeline('payments', (p) => {
    p.readPubSub('payments', { schema: Payment, eventTime: ({ at }) => at, watermark: boundedOutOfOrderness('1m') })
      .filter('positive', ({ cents }) => cents !== 0)
      .map('rate', (payment) => {
        if (broken.parse && payment.card === 'amex') throw new PoisonError(`no rate for ${payment.id}`);
        return payment;
      })
      .keyBy('by-card', ({ card }) => card)
      .window('hourly', fixedWindows('1h'), { trigger, allowedLateness: '1h', accumulation: 'accumulating' })
      .combinePerKey('spent', {
        create: () => 0,
        add: (total: number, { cents }: Payment) => {
          if (broken.head && cents === 13) throw new Error('thirteen brings bad luck');
          return total + cents;
        },
        merge: (a, b) => {
          if (broken.merge) throw new Error('cannot be merged');
          return a + b;
        },
        extract: (total) => {
          if (broken.extract && total === 77) throw new Error('no result for 77');
          return total;
        },
      })
      .writeBigQuery('totals', {
        columns: { card: 'STRING', hour: 'TIMESTAMP', cents: 'INT64' },
        key: ['card', 'hour'],
        row: ({ key, value }, { window }) => ({ card: key, hour: window.start, cents: value }),
      });
  });
}

let number = 0;
const payment = (card: string, cents: number, at = NOON): Payment => ({ id: `p${++number}`, card, cents, at });

async function totals(driven: Driven): Promise<Record<string, unknown>> {
  await driven.embedded.flush();
  await driven.settle();
  return Object.fromEntries([...driven.warehouse.rows('totals')].map(({ card, cents }) => [card, cents]));
}

function breakAll(): void {
  Object.assign(broken, { parse: true, head: true, extract: true, merge: false });
}

describe('replay', () => {
  it('runs a message that could not be read through the steps of its source, when it is mended on the way', async () => {
    breakAll();
    const driven = await new Driven(payments()).start();
    await driven.feed('payments', ['{"card":', { ...payment('visa', 5), cents: '7' }, payment('visa', 1)]);
    const letters = await driven.letters();
    expect(
      letters.map(({ kind, stage, step, code, value, generation }) => [kind, stage, step, code, value, generation]),
    ).toEqual([
      ['source', 'payments', 'payments', 'DECODE', '{"card":', 0],
      ['source', 'payments', 'payments', 'DECODE', expect.objectContaining({ cents: '7' }), 0],
    ]);
    const mend = (value: unknown): unknown =>
      typeof value === 'string'
        ? payment('visa', 100)
        : { ...(value as Payment), cents: Number((value as Payment).cents) };
    const outcomes = await driven.replay({}, mend);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(['replayed', 'replayed']);
    await driven.feed('payments', [], true);
    expect(await totals(driven)).toEqual({ visa: 108 });
  });

  it('takes one malformed message of 1,000 in again; the other 999 had arrived, and nothing waited for it', async () => {
    breakAll();
    const driven = await new Driven(payments()).start();
    const all = Array.from({ length: 1_000 }, (_, n): unknown =>
      n === 500 ? '{"id":"p500","card":' : payment(n % 9 === 0 ? 'visa' : 'hot', 1, NOON + n),
    );
    await driven.feed('payments', all);
    await driven.feed('payments', [payment('later', 5, NOON + HOUR + 60_000)]);
    expect(driven.embedded.watermarks.output['spent']).toBe(NOON + HOUR);
    expect(await totals(driven)).toEqual({ visa: 112, hot: 887 });
    expect(await driven.letters()).toMatchObject([
      { kind: 'source', code: 'DECODE', unparsed: true, message: 'the line is no JSON', value: '{"id":"p500","card":' },
    ]);
    const mend = () => payment('hot', 1, NOON + 500);
    const dry = await driven.replay({ dryRun: true }, mend);
    expect(dry).toMatchObject([{ outcome: 'replayed', sent: 1, late: 0 }]);
    expect(await driven.replay({}, mend)).toEqual(dry);
    await driven.feed('payments', [payment('later', 5, NOON + 9 * HOUR)]);
    expect(await totals(driven)).toEqual({ visa: 112, hot: 888, later: 5 });
    expect(await driven.replay({}, mend)).toEqual([]);
    expect(await totals(driven)).toEqual({ visa: 112, hot: 888, later: 5 });
  });

  it('gives a message that fails again a letter of the next generation', async () => {
    breakAll();
    const driven = await new Driven(payments()).start();
    await driven.feed('payments', ['{"card":']);
    const [first] = await driven.letters();
    await driven.pass(5_000);
    const [outcome] = await driven.replay();
    expect(outcome).toMatchObject({
      outcome: 'failed',
      id: first!.id,
      sent: 0,
      reason: expect.stringContaining('DECODE'),
    });
    const [second, ...others] = await driven.letters();
    expect(others).toEqual([]);
    expect(second).toMatchObject({
      kind: 'source',
      generation: 1,
      origin: first!.id,
      firstFailedAt: first!.failedAt,
      failedAt: first!.failedAt + 5_000,
      value: '{"card":',
    });
    expect(await driven.letters({ status: 'replayed' })).toMatchObject([
      { id: first!.id, ended: { by: expect.stringMatching(/^replay~operator~/) } },
    ]);
  });

  it('runs an element that failed in a fused step from that step', async () => {
    breakAll();
    const driven = await new Driven(payments()).start();
    await driven.feed('payments', [payment('amex', 10), payment('visa', 1)]);
    expect(await driven.letters()).toMatchObject([
      { kind: 'element', stage: 'payments', step: 'rate', code: 'POISON', attempts: 1, messageId: '1' },
    ]);
    broken.parse = false;
    expect(await driven.replay()).toMatchObject([{ outcome: 'replayed', sent: 1, late: 0 }]);
    await driven.feed('payments', [], true);
    expect(await totals(driven)).toEqual({ amex: 10, visa: 1 });
  });

  it('sends an element that failed in a head to its shard again, under the state that its key has by then', async () => {
    breakAll();
    const driven = await new Driven(payments('notLifted')).start();
    await driven.feed('payments', [payment('visa', 13), payment('visa', 4)]);
    const [letter, ...others] = await driven.letters();
    expect(others).toEqual([]);
    expect(letter).toMatchObject({
      kind: 'element',
      stage: 'spent',
      step: 'spent',
      code: 'COMBINE',
      message: 'combining a value failed: thirteen brings bad luck',
      attempts: 2,
      received: { inlet: 0, lifted: false, count: 1, latest: NOON },
      value: { key: 'visa', value: { card: 'visa', cents: 13 } },
    });
    broken.head = false;
    expect(await driven.replay()).toMatchObject([{ outcome: 'replayed', sent: 1, late: 0 }]);
    await driven.feed('payments', [], true);
    expect(await totals(driven)).toEqual({ visa: 17 });
  });

  it('is told of a failure in a shard by a letter of the next generation', async () => {
    breakAll();
    const driven = await new Driven(payments('notLifted')).start();
    await driven.feed('payments', [payment('visa', 13)]);
    const [first] = await driven.letters();
    for (const generation of [1, 2]) {
      await driven.pass(1_000);
      expect(await driven.replay()).toMatchObject([{ outcome: 'replayed' }]);
      const { origin, firstFailedAt, failedAt } = first!;
      expect(await driven.letters()).toMatchObject([
        { generation, origin, firstFailedAt, failedAt: failedAt + generation * 1_000, stage: 'spent' },
      ]);
    }
  });

  it('makes a pane again from its accumulator, with its own window, index and timestamp', async () => {
    breakAll();
    const driven = await new Driven(payments()).start();
    await driven.feed('payments', [payment('visa', 70), payment('visa', 7), payment('amex2', 1)]);
    await driven.feed('payments', [payment('other', 1, NOON + 3 * HOUR)]);
    const [letter] = await driven.letters();
    expect(letter).toMatchObject({
      kind: 'firing',
      stage: 'spent',
      message: 'no result for 77',
      key: 'visa',
      value: 77,
      windows: [{ start: NOON, end: NOON + HOUR }],
      timestamp: NOON + HOUR - 1,
      pane: { timing: 'ON_TIME', index: 0 },
    });
    expect(await driven.replay()).toMatchObject([
      { outcome: 'failed', sent: 0, reason: 'USER_CODE: no result for 77' },
    ]);
    expect(await driven.letters()).toMatchObject([{ kind: 'firing', generation: 1, value: 77, key: 'visa' }]);
    broken.extract = false;
    expect(await driven.replay()).toMatchObject([{ outcome: 'replayed', sent: 1 }]);
    expect(await totals(driven)).toEqual({ visa: 77, amex2: 1 });
    expect([...driven.warehouse.rows('totals')].find(({ card }) => card === 'visa')).toMatchObject({
      pane_sequence: 0,
    });
  });

  it('sends an accumulator that could not be merged as the accumulator of so many elements', async () => {
    breakAll();
    broken.head = false;
    const driven = await new Driven(payments()).start();
    await driven.feed('payments', [payment('visa', 1)]);
    broken.merge = true;
    await driven.feed('payments', [payment('visa', 2), payment('visa', 3)]);
    expect(await driven.letters()).toMatchObject([
      { stage: 'spent', count: 2, received: { lifted: true, count: 2 }, value: { key: 'visa', value: 5 } },
    ]);
    expect(driven.embedded.counts.get('spent')).toMatchObject({ elements: 3, deadLetters: 2 });
    await driven.replay();
    expect(await driven.letters()).toMatchObject([{ generation: 1, count: 2 }]);
    broken.merge = false;
    expect(await driven.replay()).toMatchObject([{ outcome: 'replayed', sent: 2 }]);
    await driven.feed('payments', [], true);
    expect(await totals(driven)).toEqual({ visa: 6 });
  });

  it('brings what its window takes no more to a late record, as the dry run said', async () => {
    breakAll();
    const driven = await new Driven(payments()).start();
    await driven.feed('payments', [payment('amex', 10), payment('visa', 1)]);
    await driven.feed('payments', [payment('amex', 20, NOON + 3 * HOUR)]);
    broken.parse = false;
    const dry = await driven.replay({ dryRun: true });
    expect(dry).toMatchObject([
      { outcome: 'replayed', sent: 1, late: 1 },
      { outcome: 'replayed', sent: 1, late: 0 },
    ]);
    expect(await driven.letters()).toHaveLength(2);
    const outcomes = await driven.replay();
    expect(outcomes).toEqual(dry);
    expect(await driven.letters()).toMatchObject([
      { kind: 'late', code: 'LATE_EXPIRED', generation: 1, origin: outcomes[0]!.id, count: 1 },
    ]);
    await driven.feed('payments', [], true);
    expect(await totals(driven)).toEqual({ visa: 1, amex: 20 });
  });

  it('counts once however often, and by however many operators at once', async () => {
    breakAll();
    const driven = await new Driven(payments()).start();
    const cards = Array.from({ length: 120 }, (_, i) => payment('amex', i + 100));
    await driven.feed('payments', cards);
    broken.parse = false;
    const [mine, yours] = await Promise.all([driven.replay({ name: 'mine' }), driven.replay({ name: 'yours' })]);
    const took = (outcomes: typeof mine): number => outcomes.filter(({ outcome }) => outcome === 'replayed').length;
    expect(took(mine) + took(yours)).toBe(120);
    expect(
      [...mine, ...yours]
        .filter(({ outcome }) => outcome === 'skipped')
        .every((one) => 'reason' in one && /replayed/.test(one.reason)),
    ).toBe(true);
    expect(await driven.replay()).toEqual([]);
    expect(await driven.replay({ filter: { ids: mine.map(({ id }) => id) } })).toEqual([]);
    await driven.feed('payments', [], true);
    expect(await totals(driven)).toEqual({ amex: 120 * 100 + (119 * 120) / 2 });
  });

  it('goes on from where it was cut off: what was committed and not published is sent by a sweep', async () => {
    breakAll();
    const driven = await new Driven(payments()).start();
    await driven.feed('payments', [payment('amex', 10)]);
    broken.parse = false;
    const cutOff = { ...driven.replaySetting(), bus: new MemoryBus(new SeededIds(1)) };
    const outcomes: unknown[] = [];
    for await (const outcome of replayLetters(cutOff, { filter: {} })) outcomes.push(outcome);
    expect(outcomes).toMatchObject([{ outcome: 'replayed' }]);
    await driven.settle();
    expect(await driven.letters()).toEqual([]);
    await driven.pass(61_000);
    await driven.feed('payments', [], true);
    expect(await totals(driven)).toEqual({ amex: 10 });
  });

  it('comes to its end where everything fails again, however many there are', async () => {
    breakAll();
    const driven = await new Driven(payments()).start();
    await driven.feed(
      'payments',
      Array.from({ length: 450 }, () => payment('amex', 1)),
    );
    const outcomes = await driven.replay();
    expect(outcomes).toHaveLength(450);
    expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['failed']));
    const letters = await driven.letters();
    expect([letters.length, new Set(letters.map(({ generation }) => generation))]).toEqual([450, new Set([1])]);
  });

  it('keeps to a limit and a rate', async () => {
    breakAll();
    const driven = await new Driven(payments()).start();
    await driven.feed(
      'payments',
      Array.from({ length: 7 }, () => payment('amex', 1)),
    );
    broken.parse = false;
    const replaying = driven.replay({ limit: 6, rate: 2 });
    const begun = driven.clock.now();
    expect(await driven.until(replaying)).toHaveLength(6);
    expect(driven.clock.now() - begun).toBe(3_000);
    expect(await driven.letters()).toHaveLength(1);
  });

  it('says why a letter cannot be brought back, and leaves it as it is', async () => {
    breakAll();
    const driven = await new Driven(payments()).start();
    await driven.feed('payments', [payment('amex', 10)]);
    const other = plan(
      pipeline('payments', (p) => void p.readPubSub('payments', { schema: Payment }).map('nothing', () => 1)),
    );
    const [letter] = await driven.letters();
    expect(await driven.replay({}, undefined, other)).toEqual([
      {
        outcome: 'skipped',
        id: letter!.id,
        reason: `pipeline 'payments' has no step 'rate' any more; discard the letter with: millrace dead-letters discard ${letter!.id}`,
      },
    ]);
    const bad = (): never => {
      throw new Error('no such field');
    };
    expect(await driven.replay({}, bad)).toEqual([
      { outcome: 'skipped', id: letter!.id, reason: 'the patch failed: no such field' },
    ]);
    expect(await driven.letters()).toEqual([letter]);
  });
});

describe('a row that the warehouse refuses', () => {
  it('is a dead letter while its neighbours are written, and is written once it is mended', async () => {
    breakAll();
    const driven = await new Driven(payments(), new Refusing('amex')).start();
    broken.parse = false;
    await driven.feed('payments', [payment('amex', 10), payment('visa', 1)]);
    await driven.feed('payments', [payment('x', 1, NOON + 3 * HOUR)]);
    await driven.embedded.flush();
    const [letter, ...others] = await driven.letters();
    expect(others).toEqual([]);
    expect(letter).toMatchObject({
      kind: 'row',
      stage: 'totals',
      code: 'ROW_REFUSED',
      message: 'amex is not accepted',
      value: { card: 'amex', cents: 10, pane_epoch: 1, pane_sequence: 0 },
    });
    expect(await totals(driven)).toEqual({ visa: 1 });
    expect(await driven.replay()).toMatchObject([{ outcome: 'replayed', sent: 1 }]);
    expect(await totals(driven)).toEqual({ visa: 1 });
    expect(await driven.letters()).toMatchObject([{ kind: 'row', generation: 1, origin: letter!.id }]);
    const rename = (row: unknown): unknown => ({ ...(row as object), card: 'american express' });
    expect(await driven.replay({}, rename)).toMatchObject([{ outcome: 'replayed' }]);
    expect(await totals(driven)).toEqual({ visa: 1, 'american express': 10 });
  });

  it('never replaces a newer pane', async () => {
    breakAll();
    broken.parse = false;
    const warehouse = new Refusing('amex');
    const driven = await new Driven(payments(), warehouse).start();
    await driven.feed('payments', [payment('amex', 10)]);
    await driven.feed('payments', [payment('x', 1, NOON + 1.5 * HOUR)]);
    await driven.embedded.flush();
    warehouse.refused = '';
    await driven.feed('payments', [payment('amex', 5)]);
    expect(await totals(driven)).toMatchObject({ amex: 15 });
    expect(await driven.replay()).toMatchObject([{ outcome: 'replayed' }]);
    expect(await totals(driven)).toMatchObject({ amex: 15 });
  });
});

/** Refuses rows of one card. */
class Refusing extends MemoryWarehouse {
  refused: string;
  constructor(refused: string) {
    super();
    this.refused = refused;
  }
  override async merge(job: MergeJob): Promise<MergeOutcome> {
    const refused = job.rows.flatMap(({ card }, index) =>
      card === this.refused ? [{ index, reason: `${card} is not accepted` }] : [],
    );
    await super.merge({ ...job, rows: job.rows.filter(({ card }) => card !== this.refused) });
    return { state: 'done', refused };
  }
}

describe('a pane of 2 MiB', () => {
  it('is a dead letter that names its size and holds it whole, pins nothing, and passes once it is cut', async () => {
    const graph = pipeline('big', (p) => {
      p.readPubSub('texts', { schema: Text, eventTime: ({ at }) => at, watermark: boundedOutOfOrderness('1m') })
        .keyBy('by-key', ({ key }) => key)
        .window('hourly', fixedWindows('1h'))
        .groupByKey('all')
        .mapValues('joined', (texts) => texts.map(({ text }) => text).join(''))
        .writeBigQuery('texts-table', {
          columns: { key: 'STRING', hour: 'TIMESTAMP', text: 'STRING' },
          key: ['key', 'hour'],
          row: ({ key, value }, { window }) => ({ key, hour: window.start, text: value }),
        });
    });
    const driven = await new Driven(graph).start();
    for (let i = 0; i < 16; i++)
      await driven.feed('texts', [{ key: 'big', text: 'x'.repeat(128 * 1024), at: NOON + i }]);
    await driven.feed('texts', [{ key: 'small', text: 'y', at: NOON }]);
    await driven.feed('texts', [{ key: 'later', text: 'z', at: NOON + 5 * HOUR }]);
    const [letter, ...others] = await driven.letters();
    expect(others).toEqual([]);
    expect(letter).toMatchObject({ kind: 'element', stage: 'all', step: 'texts-table', code: 'TOO_LARGE' });
    expect(letter!.message).toBe("a row for table 'texts_table' has 2097193 bytes, above the limit of 262144");
    expect((letter!.value as { value: string }).value).toHaveLength(2 * 1024 * 1024);
    const largest = Math.max(...driven.store.all('deadLetters').map(({ body }) => JSON.stringify(body).length));
    expect(largest).toBeLessThan(20_000);
    expect(driven.embedded.watermarks.output['all']).toBe(NOON + 5 * HOUR - 60_000);
    expect(await driven.replay()).toMatchObject([{ outcome: 'failed', reason: expect.stringContaining('TOO_LARGE') }]);
    const cut = (pane: unknown): unknown => ({ key: 'big', value: (pane as { value: string }).value.slice(0, 3) });
    expect(await driven.replay({}, cut)).toMatchObject([{ outcome: 'replayed', sent: 1 }]);
    await driven.embedded.flush();
    const rows = [...driven.warehouse.rows('texts_table')].map(({ key, text }) => [key, text]);
    expect(rows.sort()).toEqual([
      ['big', 'xxx'],
      ['small', 'y'],
    ]);
  });
});
