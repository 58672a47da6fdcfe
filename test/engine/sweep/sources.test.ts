import { describe, expect, it } from 'vitest';
import { readPublished } from '../../../functions/engine/pipeline-document.ts';
import { newRoot } from '../../../functions/engine/protocol/root.ts';
import { RetryableError } from '../../../functions/model/errors.ts';
import { type EpochMillis, MAX_TIMESTAMP, type Millis, MIN_TIMESTAMP, plus } from '../../../functions/model/time.ts';
import type { BacklogSample } from '../../../functions/ports/backlog.ts';
import { instanceRoot, MINUTE, shardRoot, START, sweepHarness } from './sweep-harness.ts';

const A = 'ingest~events~a';
const emptyAt = (after: number): BacklogSample => ({
  sampledAt: plus(START, after),
  oldestUnackedAge: 0 as Millis,
  undelivered: 0,
});
const activity = (largest: number) => ({
  slices: [{ from: START, to: plus(START, 10_000), largest: plus(START, largest) }],
  active: START,
});

describe('the watermark of a source of messages, as sweeps publish it', () => {
  it('is that of the slices of all instances, once the backlog says that they are complete', async () => {
    const harness = sweepHarness();
    await harness.put(instanceRoot('a', START, activity(1_000)));
    await harness.put(instanceRoot('b', START, activity(4_000)));
    const sweeper = harness.sweeper();
    expect((await sweeper.sweep()).watermarks.output['events']).toBe(MIN_TIMESTAMP);
    harness.sample(emptyAt(20_000));
    harness.advance(30_000);
    expect((await sweeper.sweep()).watermarks.output['events']).toBe(START + 4_000 - MINUTE);
  });

  it('stays when there is no sample, when it cannot be read, and when the source is busy again', async () => {
    const harness = sweepHarness();
    await harness.put(instanceRoot('a', START, activity(1_000)));
    harness.sample(emptyAt(2 * MINUTE));
    harness.advance(3 * MINUTE);
    const idle = START + 2 * MINUTE - 10_000 - MINUTE;
    expect((await harness.sweeper().sweep()).watermarks.output['events']).toBe(idle);
    harness.sample(undefined);
    expect((await harness.sweeper().sweep()).watermarks.output['events']).toBe(idle);
    harness.sample(new RetryableError('Cloud Monitoring is down'));
    expect((await harness.sweeper().sweep()).watermarks.output['events']).toBe(idle);
    await harness.put(instanceRoot('b', harness.clock.now(), { ...activity(2_000), active: harness.clock.now() }));
    harness.sample(emptyAt(3 * MINUTE));
    expect((await harness.sweeper().sweep()).watermarks.output['events']).toBe(idle);
  });

  it('goes into the pipeline’s document with the stage’s, which what is under way holds back', async () => {
    const harness = sweepHarness();
    await harness.put(instanceRoot('a', START, activity(1_000)));
    await harness.put(shardRoot(0, { [A]: [1] }));
    const ended = { position: 0, ended: true, largest: MIN_TIMESTAMP, watermark: MAX_TIMESTAMP };
    await harness.put({ ...newRoot('ingest~file~0', 1), extra: ended });
    harness.sample(emptyAt(9 * MINUTE));
    harness.advance(10 * MINUTE);
    await harness.sweeper().sweep();
    const { watermarks, horizons, lastSweep } = await readPublished(harness.store);
    expect(watermarks.output['events']).toBe(START + 470_000);
    expect(watermarks.input['counts']).toBe(START);
    expect(horizons).toEqual({ events: START + 9 * MINUTE });
    expect(lastSweep).toBe(START + 10 * MINUTE);
  });

  it('comes with how far what was taken in has reached the stages: to the oldest envelope that is under way', async () => {
    const harness = sweepHarness();
    await harness.put(instanceRoot('a', START, activity(1_000)));
    harness.advance(10 * MINUTE);
    await harness.sweeper().sweep();
    expect((await readPublished(harness.store)).taken).toEqual({ events: START });
    await harness.put(shardRoot(0, { [A]: [1, 2] }));
    await harness.put(shardRoot(1, { [A]: [1, 2] }));
    await harness.sweeper().sweep();
    expect((await readPublished(harness.store)).taken).toEqual({ events: START + 10 * MINUTE });
  });

  it('fails the sweep when the backlog is set up wrongly', async () => {
    const harness = sweepHarness();
    harness.sample(new Error('no such subscription'));
    await expect(harness.sweeper().sweep()).rejects.toThrow('no such subscription');
  });
});

describe('what sweeps tell ingest instances', () => {
  it('is written when it is new, and not again', async () => {
    const harness = sweepHarness();
    await harness.put(instanceRoot('a', START));
    const sweeper = harness.sweeper();
    await sweeper.sweep();
    expect(harness.ids('settled')).toEqual([]);
    await harness.put(shardRoot(0, { [A]: [1, 2] }));
    await sweeper.sweep();
    const [document] = harness.store.all('settled');
    expect(document).toMatchObject({
      id: A,
      body: {
        settled: {
          'counts~0': [
            [1, 1],
            [2, 2],
          ],
        },
        counted: MIN_TIMESTAMP,
      },
    });
    const before = harness.store.counts.writes;
    await sweeper.sweep();
    // The pipeline's document alone.
    expect(harness.store.counts.writes - before).toBe(1);
  });

  it('is not written to those who have been silent for two minutes, nor for splits', async () => {
    const harness = sweepHarness();
    await harness.put(instanceRoot('a', START));
    await harness.put({ ...instanceRoot('b', START), id: 'ingest~file~0', extra: undefined } as never);
    await harness.put(shardRoot(0, { [A]: [1, 2], 'ingest~file~0': [1, 2] }));
    harness.advance(2 * MINUTE + 1);
    await harness.sweeper().sweep();
    expect(harness.ids('settled')).toEqual([]);
  });

  it('tells how far publish-time slices count, so that they can become one', async () => {
    const harness = sweepHarness();
    const slices = [0, 10_000, 20_000].map((from) => ({
      from: plus(START, from),
      to: plus(START, from + 10_000),
      largest: START as EpochMillis,
    }));
    await harness.put({ ...instanceRoot('a', START, { slices, active: START }), open: {} });
    harness.sample(emptyAt(35_000));
    harness.advance(35_000);
    await harness.sweeper().sweep();
    expect(harness.store.all('settled')).toMatchObject([{ body: { settled: {}, counted: START + 25_000 } }]);
  });
});
