/** Who deploys a drained pipeline while somebody else does, or has done so, or something was still coming. */
import { describe, expect, it } from 'vitest';
import { pipeline } from '../../functions/index.ts';
import { readControl } from '../../functions/engine/control.ts';
import type { OpenSource } from '../../functions/engine/views/loader.ts';
import type { MillraceError } from '../../functions/model/errors.ts';
import { MAX_TIMESTAMP } from '../../functions/model/time.ts';
import { findLetters, type FoundLetter } from '../../functions/operate/dead-letters/letters.ts';
import { examine } from '../../functions/operate/doctor/doctor.ts';
import { Replayer } from '../../functions/operate/replay/replayer.ts';
import { survey } from '../../functions/operate/status/survey.ts';
import { admit } from '../../functions/operate/upgrade.ts';
import { plan } from '../../functions/plan/plan.ts';
import type { ListingStore } from '../../functions/ports/store.ts';
import { aroundCalls } from '../ports/around-calls.ts';
import { counts, drained, Event, NOON, start, World } from './fresh-start-world.ts';

/** A store as a process sees it that stands still once: before its `at`-th call or, when that was answered, after it. */
function standingStill(store: ListingStore, at: number, isAfter: boolean, meanwhile: () => Promise<void>) {
  let calls = 0;
  let hasStood = false;
  const port = aroundCalls(store, async (apply) => {
    calls += 1;
    if (calls !== at) return apply();
    hasStood = true;
    const before = isAfter ? apply() : undefined;
    await before;
    await meanwhile();
    return before ?? apply();
  });
  return { port, hasStood: () => hasStood };
}

describe('somebody who deploys a drained pipeline and stands still', () => {
  it.each([false, true])('changes nothing once another has deployed it (after its call: %s)', async (isAfter) => {
    let at = 1;
    for (; ; at++) {
      const { world } = await drained();
      const planned = plan(counts(), { shards: 2 });
      const { port, hasStood } = standingStill(world.store, at, isAfter, async () => {
        const next = await world.process(counts(), await world.admit());
        for (const card of ['ada', 'bob', 'cleo']) await world.offer(next, card, NOON + 3);
        await world.settle(next);
      });
      const outcome = await admit(port, planned, world.clock.now()).catch((error: unknown) => error);
      if (!hasStood()) break;
      if (outcome instanceof Error) expect(['CONTENTION', 'NOT_DRAINED']).toContain((outcome as MillraceError).code);
      else expect(outcome, `call ${at}`).toMatchObject({ topology: 2, epoch: 2 });
      expect((await readControl(world.store, 'topology'))!.body, `call ${at}`).toMatchObject({ topology: 2, epoch: 2 });
      // Another process, which remembers nothing.
      await world.pass(await world.process(counts(), { topology: 2, epoch: 2 }), 2);
      expect(world.rows().sort(), `call ${at}`).toEqual(['ada', 'bob', 'cleo'].map((card) => [card, start, 1, 2]));
    }
    // The topology, the drain, what is surveyed, the epoch, a root each, what is cleared, and the end.
    expect(at).toBeGreaterThan(15);
  });
});

describe('a fresh start that has begun', () => {
  /** Rows of a table, and of no window. */
  const stored = pipeline('counts', (p) => {
    p.readPubSub('events', { schema: Event, eventTime: ({ at }) => at }).writeBigQuery('counts-table', {
      columns: { card: 'STRING', hour: 'TIMESTAMP', n: 'INT64' },
      key: ['card', 'hour'],
      row: ({ card, at }) => ({ card, hour: at, n: 1 }),
    });
  });

  it('waits for rows that a replay has brought to a table since', async () => {
    const world = new World();
    const old = await world.process(stored);
    const { store, clock, ids } = world;
    await world.admit(stored);
    for (const at of ['soon', 'later']) await world.offer(old, 'eve', at as unknown as number);
    await world.settle(old);
    await world.drain(old);
    const replayer = new Replayer('mended', {
      ...{ plan: old.plan, store, bus: old.bus, clock, ids, topology: 1, version: '1' },
      inputWatermarkOf: () => MAX_TIMESTAMP,
      patch: (value) => ({ ...(value as object), at: NOON + ((value as { at: string }).at === 'soon' ? 1 : 2) }),
    });
    const letters: FoundLetter[] = [];
    for await (const found of findLetters(store, {})) letters.push(found);
    await replayer.replay(letters.splice(0, 1));
    await world.settle(old);
    expect(world.rows()).toHaveLength(1);
    store.meanwhile = async () => {
      await replayer.replay(letters);
      await old.embedded.deliver();
    };
    await expect(world.admit(stored)).rejects.toThrow('would lose what is left: rows of counts-table~0');
    await world.settle(old);
    expect(await world.admit(stored)).toMatchObject({ epoch: 2 });
    expect(world.rows()).toHaveLength(2);
  });

  it('is noted with the shape of what ran before, until it is through, and the doctor says so', async () => {
    const { world, old } = await drained();
    world.store.dies = 2;
    await expect(world.admit(counts('2h'), 5)).rejects.toThrow('the line was cut');
    const shards = async (): Promise<unknown> =>
      (await readControl(world.store, 'topology'))!.body.shape.stages[0]!.shards;
    expect(await shards()).toBe(2);
    const surveyed = await survey(world.store, 'counts', world.clock.now());
    expect(await examine({ store: world.store, survey: surveyed, plan: old.plan, outside: [] })).toContainEqual({
      check: 'upgrade',
      severity: 'error',
      sentence: 'a fresh start has begun, as epoch 2, and is not through; nothing new is read',
      remedies: ['deploy it again, which goes on with the fresh start; so does millrace restart'],
    });
    await world.admit(counts('2h'), 5);
    expect(await shards()).toBe(5);
  });
});

describe('what an epoch leaves to the next', () => {
  it('is forgotten in time also where nothing comes any more: the ids of elements', async () => {
    const { world } = await drained();
    expect(world.store.size('ids')).toBeGreaterThan(0);
    const next = await world.process(counts(), await world.admit());
    expect(world.store.size('ids')).toBeGreaterThan(0);
    await world.pass(next, 24 * 8);
    expect(world.store.size('ids')).toBe(0);
  });
});

describe('a view of a file', () => {
  const file = pipeline('counts', (p) => {
    const rates = p
      .readFile('rates', { schema: Event, path: 'rates.jsonl', eventTime: ({ at }) => at })
      .asList('rates-view', { refreshEvery: '1h' });
    p.readPubSub('events', { schema: Event, eventTime: ({ at }) => at })
      .parDo<string>(
        'rated',
        { process: ({ card }, { output, sideInput }) => output(`${card} of ${sideInput(rates).length}`) },
        { sideInputs: { rates } },
      )
      .writePubSub('rated-topic', { topic: 'rated', id: (text) => text });
  });

  it('is read again, by itself, in the next epoch', async () => {
    const world = new World();
    const openSource: OpenSource = async function* () {
      yield [1, 2].map((at) => ({ value: { card: 'rate', at }, id: String(at), arrival: world.clock.now() }));
    };
    const old = await world.process(file, { openSource });
    await world.admit(file);
    await world.offer(old, 'ada', NOON + 1);
    await world.settle(old);
    await world.drain(old);
    const next = await world.process(file, { ...(await world.admit(file)), openSource });
    await world.offer(next, 'bob', NOON + 1);
    await world.pass(next, 1);
    expect(next.bus.published.map(({ attributes }) => attributes['id'])).toContain('bob of 2');
  });
});
