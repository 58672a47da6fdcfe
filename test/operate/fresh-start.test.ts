import { describe, expect, it } from 'vitest';
import { boundedOutOfOrderness, emits, fixedWindows, pipeline, valueState } from '../../functions/index.ts';
import { readControl } from '../../functions/engine/control.ts';
import { MemorySubscriptions } from '../../functions/local/memory-subscriptions.ts';
import { SeededIds } from '../../functions/local/virtual-clock.ts';
import type { SourceMessage } from '../../functions/engine/ingest/source-message.ts';
import { ContentionError, OutdatedError } from '../../functions/model/errors.ts';
import { type EpochMillis, MAX_TIMESTAMP, type Millis, plus } from '../../functions/model/time.ts';
import { drain } from '../../functions/operate/drain.ts';
import { NotDrained, startAfresh } from '../../functions/operate/fresh-start.ts';
import { findLetters, type FoundLetter } from '../../functions/operate/dead-letters/letters.ts';
import { Replayer } from '../../functions/operate/replay/replayer.ts';
import { admit, UpgradeRefused } from '../../functions/operate/upgrade.ts';
import type { Store } from '../../functions/ports/store.ts';

import {
  counts,
  drained,
  Event,
  HOUR,
  type MortalStore,
  NOON,
  type Process,
  start,
  World,
} from './fresh-start-world.ts';

describe('a pipeline that was drained', () => {
  it('starts afresh when it is deployed again: nothing is late, and its panes replace those of before', async () => {
    const { world } = await drained();
    const admitted = await world.admit();
    expect(admitted).toMatchObject({ topology: 2, epoch: 2 });
    expect(admitted).not.toHaveProperty('startingAfresh');
    expect(await readControl(world.store, 'drain')).toBeUndefined();
    const next = await world.process(counts(), admitted);
    await world.offer(next, 'ada', NOON + 3);
    await world.settle(next);
    expect(next.embedded.counts.get('count')).toMatchObject({ elements: 1, late: 0 });
    expect(next.embedded.watermarks.output['count']).toBeLessThan(MAX_TIMESTAMP);
    await world.pass(next, 2);
    expect(world.rows()).toEqual([['ada', start, 1, 2]]);
    expect(await world.admit()).toEqual(admitted);
  });

  it('may have other windows and shards then, which was refused before', async () => {
    const world = new World();
    const old = await world.process();
    await world.admit();
    await world.offer(old, 'ada', NOON + 1);
    await world.settle(old);
    await expect(world.admit(counts('2h'), 5)).rejects.toThrow(UpgradeRefused);
    await world.drain(old);
    const admitted = await world.admit(counts('2h'), 5);
    expect(admitted).toMatchObject({ topology: 2, epoch: 2 });
    const next = await world.process(counts('2h'), { ...admitted, shards: 5 });
    for (const card of ['ada', 'bob', 'cleo', 'dora']) await world.offer(next, card, NOON + 1);
    await world.pass(next, 4);
    const rows = world.rows().map((row) => (row as unknown[]).filter((_, i) => i !== 1));
    expect(rows.sort()).toEqual(['ada', 'bob', 'cleo', 'dora'].map((card) => [card, 1, 2]));
  });

  it('goes on to know messages that it has taken', async () => {
    const { world } = await drained();
    const next = await world.process(counts(), await world.admit());
    const again = { id: '1', publishTime: NOON as EpochMillis, data: { card: 'ada', at: NOON + 1 }, attributes: {} };
    await next.embedded.offer('events', again);
    await world.offer(next, 'bob', NOON + 3);
    await world.settle(next);
    expect(next.embedded.counts.get('count')).toMatchObject({ duplicates: 1 });
  });

  it('keeps nothing else of the epoch before but dead letters', async () => {
    const { world } = await drained('soon');
    await world.admit();
    const left = [...world.store.documents()].map(({ collection, id }) => `${collection}/${id.split('~')[0]}`);
    expect([...new Set(left)].sort()).toEqual([
      'control/topology',
      'deadLetters/events',
      'ids/count',
      'pipeline/pipeline',
      'roots/all',
      'roots/count',
      'roots/counts-table',
    ]);
  });
});

describe('what other stages keep', () => {
  /** Views, state in the global window, ids of a day, rows that wait for a batch. */
  const all = pipeline('counts', (p) => {
    const read = (name: string) =>
      p.readPubSub(name, { schema: Event, eventTime: ({ at }) => at, watermark: boundedOutOfOrderness('1m') });
    const rates = read('rates').window('rates-hourly', fixedWindows('1h')).asList('rates-view');
    const events = read('events').keyBy('by-card', ({ card }) => card);
    events
      .statefulParDo('seen', {
        emits: emits<string>(),
        state: { total: valueState<number>() },
        process: async ({ key }, { state, output }) => {
          const total = ((await state.total.read()) ?? 0) + 1;
          state.total.write(total);
          output(`${key} ${total}`);
        },
      })
      .writePubSub('seen-topic', { topic: 'seen', id: (text) => text });
    events
      .values('values')
      .window('hourly', fixedWindows('1h'))
      .parDo<string>(
        'rated',
        { process: ({ card }, { output, sideInput }) => output(`${card} of ${sideInput(rates).length}`) },
        { sideInputs: { rates } },
      )
      .writePubSub('rated-topic', { topic: 'rated', id: (text) => text });
  });

  it('is gone: views, and state that no window would ever have closed', async () => {
    const world = new World();
    const old = await world.process(all);
    await admit(world.store, old.plan, world.clock.now());
    const rate = (process: Process): Promise<void> => {
      world.messages += 1;
      const data = { card: 'rate', at: NOON + 1 };
      const message = { id: `r${world.messages}`, publishTime: world.clock.now(), data, attributes: {} };
      return process.embedded.offer('rates', message);
    };
    await rate(old);
    await rate(old);
    await world.offer(old, 'ada', NOON + 1);
    await world.pass(old, 2);
    await drain(world.store, new MemorySubscriptions(old.bus), world.clock, ['events', 'rates'], {
      reading: 0 as Millis,
    });
    await world.pass(old, 1);
    // A topic outside gets a message at least once.
    const texts = ({ bus }: Process): string[] =>
      [...new Set(bus.published.map(({ attributes }) => attributes['id']!))].sort();
    expect(texts(old)).toEqual(['ada 1', 'ada of 2']);
    const admitted = await admit(world.store, old.plan, world.clock.now());
    expect(admitted).toMatchObject({ epoch: 2 });
    for (const collection of ['cells', 'parts', 'runs', 'views', 'outbox'] as const)
      expect(await world.store.list(collection, 1), collection).toEqual([]);
    const next = await world.process(all, admitted);
    await rate(next);
    await world.offer(next, 'ada', NOON + 1);
    await world.pass(next, 2);
    expect(texts(next)).toEqual(['ada 1', 'ada of 1']);
  });
});

describe('a fresh start', () => {
  it('is refused while anything is left, with what it is, and nothing changes', async () => {
    const world = new World();
    const process = await world.process();
    const admitted = await world.admit();
    await world.offer(process, 'ada', NOON + 1);
    await world.settle(process);
    await expect(startAfresh(world.store, process.plan, world.clock.now())).rejects.toThrow(
      "'counts' is not drained, and a fresh start would lose what is left: 3 stages are open (count, all, counts-table); 1 cells,",
    );
    expect(await world.admit()).toEqual(admitted);
    await world.offer(process, 'ada', NOON + 2);
    await world.pass(process, 2);
    expect(world.rows()).toEqual([['ada', start, 2, 1]]);
  });

  it('is what a deployment waits for while the pipeline drains, so that nothing is read and late', async () => {
    const world = new World();
    const process = await world.process();
    await world.admit();
    await world.offer(process, 'ada', NOON + 1);
    await world.settle(process);
    const order = { reading: HOUR as Millis };
    await drain(world.store, new MemorySubscriptions(process.bus), world.clock, ['events'], order);
    await expect(world.admit()).rejects.toThrow(NotDrained);
    expect((await readControl(world.store, 'topology'))!.body).toMatchObject({ topology: 1, epoch: 1 });
    await world.pass(process, 2);
    expect(await world.admit()).toMatchObject({ topology: 2, epoch: 2 });
  });

  it.each([false, true])(
    'that broke off at any commit goes on when it is tried again (answer lost: %s)',
    async (after) => {
      let at = 1;
      for (; ; at++) {
        const { world } = await drained();
        world.store.dies = at;
        world.store.after = after;
        const first = await world.admit().catch((error: unknown) => error);
        if (!(first instanceof Error)) break;
        expect(first.message).toBe('the line was cut');
        const admitted = await world.admit();
        expect(admitted).toMatchObject({ topology: 2, epoch: 2 });
        const next = await world.process(counts(), admitted);
        await world.offer(next, 'ada', NOON + 3);
        await world.pass(next, 2);
        expect(world.rows(), `died at commit ${at}`).toEqual([['ada', start, 1, 2]]);
      }
      // Epoch, one reader, four shards and the sink, two collections and the end.
      expect(at).toBeGreaterThan(6);
    },
  );

  // The epoch, one reader, and then the shards, those first to which others have sent.
  it.each([3, 4, 5])(
    'goes on though senders had not heard what was taken when it broke off (at commit %i)',
    async (at) => {
      const world = new World();
      const old = await world.process();
      await world.admit();
      await world.offer(old, 'ada', NOON + 1);
      const order = { reading: 0 as Millis };
      await drain(world.store, new MemorySubscriptions(old.bus), world.clock, ['events'], order);
      // Too soon after one another for a commit that only settles.
      for (let i = 0; i < 6; i++) {
        await old.embedded.deliver();
        world.clock.advanceTo(plus(world.clock.now(), 1_000));
        await old.embedded.sweep();
      }
      await old.embedded.deliver();
      await old.embedded.flush();
      world.store.inOrder = true;
      world.store.dies = at;
      await expect(world.admit()).rejects.toThrow('the line was cut');
      expect(await world.admit()).toMatchObject({ topology: 2, epoch: 2 });
    },
  );

  it('waits for what a replay has sent after the drain had seemed done', async () => {
    const { world, old } = await drained('soon', 'later');
    const { store, clock, ids } = world;
    const inputWatermarkOf = (): EpochMillis => MAX_TIMESTAMP;
    const patch = (): unknown => ({ card: 'ada', at: NOON + 9 });
    const setting = {
      plan: old.plan,
      store,
      bus: old.bus,
      clock,
      ids,
      topology: 1,
      version: '1',
      inputWatermarkOf,
      patch,
    };
    const replayer = new Replayer('mended', setting);
    const letters: FoundLetter[] = [];
    for await (const found of findLetters(store, {})) letters.push(found);
    await replayer.replay(letters.splice(0, 1));
    await world.settle(old);
    // It has a root already when the epoch is raised.
    store.meanwhile = async () => {
      expect(await replayer.replay(letters)).toMatchObject([{ outcome: 'replayed' }]);
    };
    await expect(world.admit()).rejects.toThrow(
      "'counts' is not drained, and a fresh start would lose what is left: envelopes",
    );
    await world.settle(old);
    expect(old.embedded.counts.get('count')).toMatchObject({ elements: 4, late: 2 });
    expect(await world.admit()).toMatchObject({ epoch: 2 });
  });

  it('gets nothing from an instance that has messages in its hands still; they go back to their source', async () => {
    const { world, old } = await drained();
    let offered: Promise<void> | undefined;
    world.store.meanwhile = async () => {
      offered = world.offer(old, 'ada', NOON + 9);
      await expect(offered).rejects.toThrow(OutdatedError);
    };
    expect(await world.admit()).toMatchObject({ epoch: 2 });
    expect(offered).toBeDefined();
    expect(old.embedded.counts.get('count')).toMatchObject({ elements: 2, late: 0 });
  });
});

describe('an instance of an epoch before that wakes', () => {
  it('takes no messages in, and leaves them to others', async () => {
    const { world, old } = await drained();
    const admitted = await world.admit();
    const before = [...world.store.documents()];
    await expect(world.offer(old, 'ada', NOON + 9)).rejects.toThrow(OutdatedError);
    expect([...world.store.documents()]).toEqual(before);
    const next = await world.process(counts(), admitted);
    await world.offer(next, 'ada', NOON + 9);
    await world.settle(next);
    await expect(world.offer(old, 'ada', NOON + 10)).rejects.toThrow(OutdatedError);
  });

  it('takes no messages in, though it began to before the fresh start and commits after it', async () => {
    const world = new World();
    const old = await world.process();
    await world.admit();
    const other = await world.process();
    let admitted: unknown;
    world.store.before = async () => {
      if (admitted !== undefined) return;
      await world.drain(old);
      admitted = await world.admit();
    };
    await expect(world.until(world.offer(other, 'ada', NOON + 9))).rejects.toMatchObject({ code: 'OUTDATED' });
    expect(admitted).toMatchObject({ epoch: 2 });
    expect((await world.store.roots()).filter(({ id }) => id.startsWith('ingest~'))).toEqual([]);
  });

  it('moves no watermark by its sweep', async () => {
    const { world, old } = await drained();
    const admitted = await world.admit();
    await expect(old.embedded.sweep()).rejects.toThrow(
      /^\w+~\d was written by topology 2; this sweep is of topology 1$/,
    );
    const next = await world.process(counts(), admitted);
    await world.offer(next, 'ada', NOON + 9);
    await world.settle(next);
    expect(next.embedded.counts.get('count')).toMatchObject({ elements: 1, late: 0 });
  });

  it('commits no envelope in a shard, be it of its own epoch or of the next', async () => {
    const { world, old } = await drained();
    const next = await world.process(counts(), await world.admit());
    await world.offer(next, 'ada', NOON + 9);
    const sent = next.bus.take();
    expect(sent).toHaveLength(1);
    await old.bus.send(sent);
    const before = [...world.store.documents()];
    await expect(world.until(old.embedded.deliver())).rejects.toThrow(OutdatedError);
    expect([...world.store.documents()]).toEqual(before);
    await next.bus.send(sent);
    await world.settle(next);
    expect(next.embedded.counts.get('count')).toMatchObject({ elements: 1 });
  });
});

/** What a process commits is on its way until it is let through. */
class HeldUp {
  readonly store: Store;
  readonly #waiting: (() => void)[] = [];
  #isOver = false;

  constructor(store: MortalStore) {
    this.store = {
      get: (...call) => store.get(...call),
      query: (...call) => store.query(...call),
      roots: () => store.roots(),
      raise: (...call) => store.raise(...call),
      commit: async (batch) => {
        if (!this.#isOver) await new Promise<void>((resolve) => this.#waiting.push(resolve));
        return store.commit(batch);
      },
    };
  }

  /** Whatever waits, if anything does. */
  letThrough(): void {
    this.#waiting.shift()?.();
  }

  end(): void {
    this.#isOver = true;
    for (const arrive of this.#waiting.splice(0)) arrive();
  }
}

/** A pipeline that is told to drain. */
async function draining(reading: number): Promise<{ world: World; old: Process }> {
  const world = new World();
  const old = await world.process();
  await world.admit();
  await world.offer(old, 'ada', NOON + 1);
  const order = { reading: reading as Millis };
  await drain(world.store, new MemorySubscriptions(old.bus), world.clock, ['events'], order);
  return { world, old };
}

describe('whatever comes between the steps of a drain and a fresh start', () => {
  it.each(Array.from({ length: 80 }, (_, seed) => seed))(
    'each message counts once, in time (seed %i)',
    async (seed) => {
      const draw = new SeededIds(1_000 + seed);
      const { world, old } = await (seed % 2 === 0 ? drained() : draining(Math.floor(draw.random() * 300_000)));
      /** By id; those that nobody has acknowledged yet are delivered again. */
      const open = new Map<string, SourceMessage>();
      const offer = async (process: Process, message: SourceMessage): Promise<void> => {
        open.set(message.id, message);
        const acknowledged = await process.embedded.offer('events', message).then(
          () => true,
          () => false,
        );
        if (acknowledged) open.delete(message.id);
      };
      const deliver = (process: Process, message: SourceMessage): Promise<void> => world.until(offer(process, message));
      const message = (): SourceMessage => {
        world.messages += 1;
        const data = { card: `c${Math.floor(draw.random() * 3)}`, at: NOON + 3 };
        return { id: `m${world.messages}`, publishTime: world.clock.now(), data, attributes: {} };
      };
      const held = new HeldUp(world.store);
      const slow = await world.process(counts(), { store: held.store });
      const offered: Promise<void>[] = [];
      const meddle = async (): Promise<void> => {
        const at = draw.random();
        if (at < 0.2) await deliver(old, message());
        else if (at < 0.25) offered.push(offer(slow, message()));
        else if (at < 0.3) held.letThrough();
        else if (at < 0.5) await old.embedded.sweep().catch(() => {});
        else if (at < 0.7) await world.until(old.embedded.deliver()).catch(() => {});
      };
      let admitted: Awaited<ReturnType<World['admit']>> | undefined;
      for (let tries = 0; admitted?.epoch !== 2 && tries < 60; tries++) {
        const meddles = tries < 20;
        // Before it is drained, a fresh start commits nothing.
        for (let i = 0; meddles && i < 3; i++) await meddle();
        if (meddles) world.store.before = meddle;
        admitted = await world.admit().catch((error: unknown) => {
          if (error instanceof NotDrained || error instanceof ContentionError) return undefined;
          throw error;
        });
        world.store.before = undefined;
        if (admitted === undefined) await world.until(world.settle(old)).catch(() => {});
      }
      expect(admitted).toMatchObject({ epoch: 2 });
      const next = await world.process(counts(), admitted!);
      held.end();
      await world.until(Promise.all(offered));
      for (let i = 0; i < 20; i++) await deliver(draw.random() < 0.4 ? old : next, message());
      for (const waiting of [...open.values()]) await deliver(next, waiting);
      await world.pass(next, 3);
      expect(open.size).toBe(0);
      const counted = [old, next].map(({ embedded }) => embedded.counts.get('count')!);
      const elements = counted.reduce((sum, count) => sum + count.elements - count.duplicates, 0);
      // Those of the first epoch have numbers too.
      expect(elements, `seed ${seed}`).toBe(world.messages);
      expect(counted.map(({ late }) => late)).toEqual([0, 0]);
    },
  );
});
