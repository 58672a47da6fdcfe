/** An instance that stands still with messages in its hands, while the world around it goes on. */
import { describe, expect, it } from 'vitest';
import { foldedRootId, isFoldedRoot } from '../../../functions/engine/ingest/message-state.ts';
import { newRoot, type Root } from '../../../functions/engine/protocol/root.ts';
import { Retirement } from '../../../functions/engine/sweep/retire.ts';
import { RetryableError } from '../../../functions/model/errors.ts';
import { type EpochMillis, type Millis, MIN_TIMESTAMP, plus } from '../../../functions/model/time.ts';
import type { Batch, CommitResult, Store } from '../../../functions/ports/store.ts';
import { elementsOf, ingestHarness, message, START } from './ingest-harness.ts';

const HOUR = 3_600_000;
const EVENT = { key: 'a', at: START };

/** A store of which an instance gets no answer to its first commit, nor to what it reads right after; then `meanwhile` happens. */
function unanswered(meanwhile: (store: Store) => Promise<void>, isApplied: boolean) {
  const batches: Batch[] = [];
  const around = (store: Store): Store => {
    let isSilent = false;
    return {
      get: (...call) => {
        if (!isSilent) return store.get(...call);
        isSilent = false;
        return Promise.reject(new RetryableError('the store cannot be reached'));
      },
      query: (...call) => store.query(...call),
      roots: () => store.roots(),
      raise: (...call) => store.raise(...call),
      commit: async (batch): Promise<CommitResult> => {
        batches.push(batch);
        if (batches.length > 1) return store.commit(batch);
        if (isApplied) await store.commit(batch);
        await meanwhile(store);
        isSilent = true;
        throw new RetryableError('no answer');
      },
    };
  };
  return { around, batches };
}

/** Everything that was sent is taken, and a sweep retires who has sent it. */
async function takeAndRetire(store: Store, harness: ReturnType<typeof ingestHarness>): Promise<void> {
  const sender = harness.roots().find(({ id }) => !isFoldedRoot(id))!;
  const taker = { ...newRoot('counts~0', 1), done: { [sender.id]: [[1, 1]] } } as Root;
  await store.commit({ preconditions: [], sets: [{ collection: 'roots', id: taker.id, body: taker }], deletes: [] });
  const stored = await store.roots();
  const snapshot = {
    roots: new Map(stored.map(({ id, body }) => [id, body as Root])),
    versions: new Map(stored.map(({ id, version }) => [id, version])),
  };
  const retirement = new Retirement(store, harness.bus, snapshot, () => MIN_TIMESTAMP);
  expect(await retirement.retire([sender], harness.clock.now(), 0 as Millis)).toEqual([sender.id]);
}

async function letTimePass(harness: ReturnType<typeof ingestHarness>, until: EpochMillis): Promise<void> {
  for (let i = 0; i < 5; i++) {
    await new Promise(setImmediate);
    harness.clock.advanceTo(plus(until, i * 5_000));
  }
}

describe('an instance whose first commit got no answer', () => {
  it.each([0, 1])('never makes its root anew once that was retired (%i roots retired before)', async (before) => {
    const { around, batches } = unanswered(async (store) => takeAndRetire(store, harness), true);
    const harness = ingestHarness({ around });
    if (before === 1) {
      const id = foldedRootId('events');
      const body = { ...newRoot(id, 1), written: plus(START, HOUR), extra: { slices: [], active: START, retired: 1 } };
      await harness.store.commit({ preconditions: [], sets: [{ collection: 'roots', id, body }], deletes: [] });
    }
    const offered = harness.start().offer(message('a', EVENT));
    await letTimePass(harness, START);
    await offered;
    const envelopes = harness.envelopes();
    const first = batches[0]!.sets.find(({ collection }) => collection === 'roots')!.id;
    // Sent under a new name: known by its id where it was taken before.
    expect(envelopes.map(({ sender, number }) => [sender === first, number])).toEqual([[false, 1]]);
    expect(harness.roots().map(({ id }) => id)).not.toContain(first);
  });
});

describe('messages that were held for half of the horizon', () => {
  it.each([HOUR / 2 - 30_000, HOUR / 2])('%i ms', async (held) => {
    const { around, batches } = unanswered(async () => harness.clock.advanceTo(plus(START, held)), false);
    const harness = ingestHarness({ around });
    const offered = harness.start().offer(message('a', EVENT));
    const outcome = offered.then(
      () => 'taken',
      (error: unknown) => error,
    );
    await letTimePass(harness, plus(START, held));
    if (held < HOUR / 2) {
      expect(await outcome).toBe('taken');
      expect(elementsOf(harness.envelopes())).toHaveLength(1);
      return;
    }
    expect(await outcome).toBeInstanceOf(RetryableError);
    expect(batches).toHaveLength(1);
    expect(harness.roots()).toEqual([]);
  });

  it('count from when they were handed over, and those of a source that keeps no ids for ever', async () => {
    const { around } = unanswered(async () => harness.clock.advanceTo(plus(START, 10 * HOUR)), false);
    const harness = ingestHarness({ around, source: { delivery: 'atLeastOnce' } });
    const offered = harness.start().offer(message('a', EVENT));
    await letTimePass(harness, plus(START, 10 * HOUR));
    await offered;
    expect(harness.roots()).toHaveLength(1);
  });
});
