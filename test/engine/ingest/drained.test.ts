/** Instances that have messages in their hands, standing still, when a drain ends the reading. */
import { describe, expect, it } from 'vitest';
import { type DrainControl, readControl, writeControl } from '../../../functions/engine/control.ts';
import { isFoldedRoot } from '../../../functions/engine/ingest/message-state.ts';
import { newRoot, type Root } from '../../../functions/engine/protocol/root.ts';
import { Sweeper } from '../../../functions/engine/sweep/sweeper.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';
import { ContentionError, RetryableError } from '../../../functions/model/errors.ts';
import { MAX_TIMESTAMP, type Millis, plus } from '../../../functions/model/time.ts';
import type { Batch, CommitResult } from '../../../functions/ports/store.ts';
import { elementsOf, ingestHarness, message, START } from './ingest-harness.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000 as Millis;
const EVENT = { key: 'a', at: START };

/** A store to which one commit comes late, or of which the answer does. */
class SlowStore extends MemoryStore {
  /** Happens before the next commit arrives. */
  before: (() => Promise<void>) | undefined;
  /** Happens before the next commit's answer is lost, and what is read right after it fails. */
  unanswered: (() => Promise<void>) | undefined;
  #failsToRead = false;

  override async get(...[collection, ids]: Parameters<MemoryStore['get']>): ReturnType<MemoryStore['get']> {
    if (!this.#failsToRead) return super.get(collection, ids);
    this.#failsToRead = false;
    throw new RetryableError('the store cannot be reached');
  }

  override async commit(batch: Batch): Promise<CommitResult> {
    const { before, unanswered } = this;
    this.before = undefined;
    this.unanswered = undefined;
    await before?.();
    const result = await super.commit(batch);
    if (unanswered === undefined) return result;
    await unanswered();
    this.#failsToRead = true;
    throw new RetryableError('no answer');
  }
}

function drainable() {
  const store = new SlowStore({ strict: true });
  const harness = ingestHarness({ around: () => store });
  const { planned, bus, clock } = harness;
  const sweep = () => new Sweeper({ plan: planned, store, bus, clock, republishAfter: HOUR }).sweep();
  const roots = async () => (await store.roots()).filter(({ id }) => !isFoldedRoot(id));
  return {
    ...harness,
    store,
    sweep,
    roots,
    order: async (closing = {}): Promise<void> => {
      const order: DrainControl = { since: START, readingEnds: plus(START, 2 * MINUTE), ...closing };
      await writeControl(store, 'drain', order, undefined);
    },
    /** A sweep after the reading has ended. @returns where the source is then */
    endReading: async () => {
      clock.advanceTo(plus(START, 2 * MINUTE));
      return (await sweep()).watermarks.output['events'];
    },
  };
}

describe('a drain ends the reading', () => {
  it.each(['its first commit', 'a further one'])('of an instance that stands still in %s', async (which) => {
    const drained = drainable();
    const ingest = drained.start();
    if (which === 'a further one') await ingest.offer(message('a', EVENT));
    const sent = drained.envelopes().length;
    await drained.order();
    let source: number | undefined;
    drained.store.before = async () => {
      source = await drained.endReading();
    };
    await expect(ingest.offer(message('b', EVENT))).rejects.toMatchObject({ code: 'READING_ENDED' });
    expect(source).toBe(MAX_TIMESTAMP);
    expect(drained.envelopes()).toEqual([]);
    expect(await drained.roots()).toHaveLength(sent);
    await expect(ingest.offer(message('c', EVENT))).rejects.toThrow('its source keeps the message');
    await expect(drained.start().offer(message('c', EVENT))).rejects.toMatchObject({ code: 'READING_ENDED' });
  });

  it('and not before its time: until then a new instance takes in what it was given', async () => {
    const drained = drainable();
    await drained.order();
    drained.clock.advanceTo(plus(START, 2 * MINUTE - 1));
    expect((await drained.sweep()).watermarks.output['events']).toBeLessThan(MAX_TIMESTAMP);
    await drained.start().offer(message('a', EVENT));
    expect(elementsOf(drained.envelopes())).toHaveLength(1);
  });

  it('and what was committed before is known to be, though its answer comes later', async () => {
    const drained = drainable();
    const ingest = drained.start();
    await drained.order();
    drained.store.unanswered = async () => {
      expect(await drained.endReading()).toBe(MAX_TIMESTAMP);
    };
    const taken = ingest.offer(message('a', EVENT));
    for (let i = 0; i < 10; i++) {
      await new Promise(setImmediate);
      drained.clock.advanceTo(plus(drained.clock.now(), MINUTE));
    }
    await taken;
    expect(elementsOf(drained.envelopes())).toHaveLength(1);
    await expect(ingest.offer(message('b', EVENT))).rejects.toMatchObject({ code: 'READING_ENDED' });
    expect(drained.envelopes()).toEqual([]);
  });

  it('and waits for the windows of what is on its way to a stage, though no key has one yet', async () => {
    const drained = drainable();
    await drained.start().offer(message('a', EVENT));
    const [sent] = drained.envelopes();
    await drained.order({ closingEnds: plus(START, 10 * MINUTE) });
    expect(await drained.endReading()).toBe(plus(START, 2 * MINUTE));
    const root = { ...newRoot('counts~0', 1), done: { [sent!.sender]: [[1, 1] as const] } };
    const write = (body: Root) =>
      drained.store.commit({ preconditions: [], sets: [{ collection: 'roots', id: body.id, body }], deletes: [] });
    await write({ ...root, holds: [{ low: START, high: START, count: 1 }] });
    expect((await drained.sweep()).watermarks.output['events']).toBe(plus(START, 2 * MINUTE));
    // A view's global window, which no clock closes.
    const never = plus(START, 10 * MINUTE);
    await write({ ...root, holds: [{ low: never, high: never, count: 1 }] });
    expect((await drained.sweep()).watermarks.output['events']).toBe(MAX_TIMESTAMP);
  });

  it.each([
    ['at the end at once', {}, MAX_TIMESTAMP],
    ['at the clock while windows are open', { closingEnds: plus(START, 10 * MINUTE) }, plus(START, 2 * MINUTE)],
  ])('once all roots are closed, the source is %s', async (_, closing, ended) => {
    const drained = drainable();
    await drained.start().offer(message('a', EVENT));
    // The shard that has taken it has a window open.
    const body = { ...newRoot('counts~0', 1), cells: 1 };
    await drained.store.commit({ preconditions: [], sets: [{ collection: 'roots', id: body.id, body }], deletes: [] });
    await drained.order(closing);
    drained.clock.advanceTo(plus(START, 2 * MINUTE));
    const commit = drained.store.commit.bind(drained.store);
    drained.store.commit = async (batch) => {
      if (batch.sets.some(({ id }) => id.startsWith('ingest~'))) throw new ContentionError('an instance was first');
      return commit(batch);
    };
    expect((await drained.sweep()).watermarks.output['events']).toBeLessThan(START);
    drained.store.commit = commit;
    expect((await drained.sweep()).watermarks.output['events']).toBe(ended);
    expect((await readControl(drained.store, 'drain'))!.body).toMatchObject({ closed: true });
  });
});
