import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  boundedOutOfOrderness,
  combiningState,
  emits,
  eventTimer,
  fixedWindows,
  pipeline,
  sum,
} from '../../functions/index.ts';
import type { Graph } from '../../functions/model/graph.ts';
import { Driven } from './driven.ts';

const NOON = 1_700_006_400_000;
const MINUTE = 60_000;
const Payment = z.object({ card: z.string(), cents: z.number(), at: z.number() });
let broken = true;

/** Says a minute after noon what a card has spent by then. */
function summaries(): Graph {
  return pipeline('summaries', (p) => {
    p.readPubSub('payments', { schema: Payment, eventTime: ({ at }) => at, watermark: boundedOutOfOrderness(0) })
      .keyBy('by-card', ({ card }) => card)
      .window('hourly', fixedWindows('1h'))
      .statefulParDo('summary', {
        emits: emits<{ card: string; cents: number }>(),
        state: { spent: combiningState(sum()) },
        timers: { minute: eventTimer() },
        process: ({ value }, { state, timers }) => {
          state.spent.add(value.cents);
          timers.minute.set(NOON + MINUTE);
        },
        onTimer: {
          minute: ({ key, state, output }) => {
            if (broken && key === 'bad') throw new Error('the timer is broken');
            output({ card: String(key), cents: state.spent.read() as number });
          },
        },
      })
      .writeBigQuery('spent', {
        columns: { card: 'STRING', cents: 'INT64' },
        key: ['card'],
        row: (row) => row,
      });
  });
}

async function spent(driven: Driven): Promise<Record<string, unknown>> {
  await driven.embedded.flush();
  return Object.fromEntries([...driven.warehouse.rows('spent')].map(({ card, cents }) => [card, cents]));
}

async function failed(): Promise<Driven> {
  broken = true;
  const driven = await new Driven(summaries()).start();
  await driven.feed('payments', [
    { card: 'bad', cents: 5, at: NOON },
    { card: 'good', cents: 7, at: NOON },
  ]);
  await driven.feed('payments', [{ card: 'other', cents: 1, at: NOON + 2 * MINUTE }]);
  return driven;
}

describe('an onTimer that throws', () => {
  it('is a dead letter with its key, timer and state; its neighbours fire, and no watermark is pinned', async () => {
    const driven = await failed();
    expect(await driven.letters()).toMatchObject([
      {
        kind: 'firing',
        stage: 'summary',
        message: 'the timer is broken',
        key: 'bad',
        timer: { id: 'minute', clock: 'event', at: NOON + MINUTE },
        timestamp: NOON + MINUTE,
        windows: [{ start: NOON, end: NOON + 60 * MINUTE }],
        generation: 0,
      },
    ]);
    expect(driven.embedded.watermarks.output['summary']).toBe(NOON + 2 * MINUTE);
    expect(await spent(driven)).toEqual({ good: 7, other: 1 });
  });

  it('fires again once it is mended, under the state of its key by then, and a second replay changes nothing', async () => {
    const driven = await failed();
    expect(await driven.replay()).toMatchObject([{ outcome: 'replayed', sent: 1, late: 0 }]);
    expect(await driven.letters()).toMatchObject([{ kind: 'firing', generation: 1, key: 'bad' }]);
    broken = false;
    expect(await driven.replay()).toMatchObject([{ outcome: 'replayed', sent: 1, late: 0 }]);
    expect(await driven.letters()).toEqual([]);
    expect(await spent(driven)).toEqual({ good: 7, other: 1, bad: 5 });
    expect(await driven.replay()).toEqual([]);
    expect(await spent(driven)).toEqual({ good: 7, other: 1, bad: 5 });
  });

  it('is a late record once its window has expired, as the dry run said', async () => {
    const driven = await failed();
    await driven.feed('payments', [{ card: 'later', cents: 1, at: NOON + 120 * MINUTE }]);
    broken = false;
    const dry = await driven.replay({ dryRun: true });
    expect(dry).toMatchObject([{ outcome: 'replayed', sent: 1, late: 1 }]);
    expect(await driven.replay()).toEqual(dry);
    expect(await driven.letters()).toMatchObject([{ kind: 'late', code: 'LATE_EXPIRED', key: 'bad', generation: 1 }]);
  });
});
