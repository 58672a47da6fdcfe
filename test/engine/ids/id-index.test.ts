import { beforeEach, describe, expect, it } from 'vitest';
import { elementId, withOrdinal } from '../../../functions/engine/ids/element-id.ts';
import { IdIndex, type SourceId } from '../../../functions/engine/ids/id-index.ts';
import { type IdRule, type IdRules, type IdState, MAX_SPANS } from '../../../functions/engine/ids/id-state.ts';
import { PIPELINE_DOCUMENT } from '../../../functions/engine/pipeline-document.ts';
import { newRoot, type Root, RootDraft } from '../../../functions/engine/protocol/root.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';
import { type EpochMillis, MAX_TIMESTAMP, type Millis } from '../../../functions/model/time.ts';

const SHARD = 'counts~0';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const T0 = 1_699_999_200_000;

const id = (name: string, time: number, source = 'events'): SourceId => ({
  source,
  id: elementId(name, time as EpochMillis),
});

/** A shard's ids, with a store; `restart` is what another instance sees. */
class Remembering {
  readonly store = new MemoryStore({ strict: true });
  readonly rules: IdRules;
  root: Root = newRoot(SHARD, 1);
  index: IdIndex;

  constructor(rule: IdRule) {
    this.rules = new Map([
      ['events', rule],
      ['others', rule],
    ]);
    this.index = this.#open();
  }

  restart(): void {
    this.index = this.#open();
  }

  /** One bundle at a processing time. */
  async bundle(
    now: number,
    ...ids: SourceId[]
  ): Promise<{ fresh: boolean[]; due: EpochMillis; written: number; deleted: number }> {
    const draft = new RootDraft(this.root);
    draft.processingTime = now as EpochMillis;
    const fresh = await this.index.take(ids);
    const { sets, deletes, due } = await this.index.finish(draft);
    await this.store.commit({ preconditions: [], sets, deletes });
    this.root = draft.finish('n', 1);
    return { fresh, due, written: sets.length, deleted: deletes.length };
  }

  /** What sweeps have published: how far the source has acknowledged, and how far what it gave was taken. */
  async horizon(at: number, taken: number = MAX_TIMESTAMP): Promise<void> {
    await this.store.raise(PIPELINE_DOCUMENT, { 'horizon:events': at, 'taken:events': taken });
  }

  get state(): IdState {
    return this.root.ids!;
  }

  #open(): IdIndex {
    return new IdIndex(SHARD, this.root.ids, this.rules, this.store);
  }
}

const HOURLY: IdRule = { horizon: HOUR as Millis, by: 'eventTime' };

describe('ids that a shard remembers', () => {
  let ids: Remembering;
  beforeEach(() => {
    ids = new Remembering(HOURLY);
  });

  it('are new once, in a bundle, later, and for another instance', async () => {
    expect((await ids.bundle(T0, id('a', T0), id('b', T0), id('a', T0))).fresh).toEqual([true, true, false]);
    expect((await ids.bundle(T0 + 1, id('b', T0), id('c', T0))).fresh).toEqual([false, true]);
    ids.restart();
    expect((await ids.bundle(T0 + 2, id('a', T0), id('b', T0), id('c', T0), id('d', T0))).fresh).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });

  it('differ by source, by output, and where slices lie between by time', async () => {
    await ids.bundle(T0, id('a', T0));
    const { fresh } = await ids.bundle(
      T0,
      id('a', T0, 'others'),
      { source: 'events', id: withOrdinal(id('a', T0).id, 1) },
      id('a', T0 + 5 * MINUTE),
      id('a', T0 + 1),
    );
    expect(fresh).toEqual([true, true, true, false]);
  });

  it('of sources without a rule, and of no source’s making, are always new', async () => {
    const strangers = [id('a', T0, 'strangers'), { source: 'events', id: 'replay~0~0~x' }];
    expect((await ids.bundle(T0, ...strangers)).fresh).toEqual([true, true]);
    expect((await ids.bundle(T0, ...strangers)).fresh).toEqual([true, true]);
    expect(ids.state.spans).toEqual([]);
  });

  it('cost one document a bundle and no read, and few documents where bundles are small', async () => {
    for (let i = 0; i < 500; i++) {
      const { written } = await ids.bundle(T0 + i * 700, id(`message-${i}`, T0 + i * 700));
      expect(written).toBe(1);
    }
    expect(ids.store.counts).toMatchObject({ reads: 0, writes: 500 });
    expect(ids.store.size('ids')).toBe(1);
    ids.restart();
    expect((await ids.bundle(T0 + HOUR, id('message-77', T0 + 77 * 700))).fresh).toEqual([false]);
  });

  it('write nothing for a bundle that brings only known ones', async () => {
    await ids.bundle(T0, id('a', T0));
    expect((await ids.bundle(T0, id('a', T0))).written).toBe(0);
  });

  it('fill one document after another below a megabyte', async () => {
    const many = Array.from({ length: 9_000 }, (_, i) => id(`${i}`.padStart(30, 'x'), T0));
    await ids.bundle(T0, ...many);
    expect(ids.store.size('ids')).toBe(2);
    for (const { body } of ids.store.all('ids')) expect(JSON.stringify(body).length).toBeLessThan(330_000);
    ids.restart();
    expect((await ids.bundle(T0, many[0]!, many[8_999]!)).fresh).toEqual([false, false]);
  });

  it('are told apart however long they are', async () => {
    const long = 'x'.repeat(5_000);
    await ids.bundle(T0, id(`${long}1`, T0));
    ids.restart();
    expect((await ids.bundle(T0, id(`${long}1`, T0), id(`${long}2`, T0))).fresh).toEqual([false, true]);
    expect(JSON.stringify(ids.store.all('ids')).length).toBeLessThan(1_000);
  });

  it('are remembered in few spans, whatever times they have', async () => {
    const spread = Array.from({ length: 1_000 }, (_, i) => id(`m${i}`, T0 - i * i * MINUTE));
    await ids.bundle(T0, ...spread);
    expect(ids.state.spans.length).toBe(MAX_SPANS);
    ids.restart();
    expect((await ids.bundle(T0, ...spread)).fresh).toEqual(spread.map(() => false));
    expect(ids.state.spans.every(({ from, to }, i, all) => i === 0 || (from < to && all[i - 1]!.to <= from))).toBe(
      true,
    );
  });

  it('are found when slices have become longer or shorter', async () => {
    await ids.bundle(T0, id('a', T0 + 9 * MINUTE), id('b', T0 + 11 * MINUTE));
    const longer = new IdIndex(
      SHARD,
      ids.root.ids,
      new Map([['events', { ...HOURLY, horizon: (12 * HOUR) as Millis }]]),
      ids.store,
    );
    ids.index = longer;
    expect((await ids.bundle(T0, id('c', T0 + 1), id('a', T0 + 9 * MINUTE), id('b', T0 + 11 * MINUTE))).fresh).toEqual([
      true,
      false,
      false,
    ]);
    ids.restart();
    expect((await ids.bundle(T0, id('b', T0 + 11 * MINUTE), id('c', T0 + 1))).fresh).toEqual([false, false]);
  });
});

const remembering = async (rule: IdRule, horizon: number): Promise<Remembering> => {
  const ids = new Remembering(rule);
  await ids.horizon(horizon);
  return ids;
};
/** A source that has acknowledged everything, for ever. */
const CAUGHT_UP = MAX_TIMESTAMP;

describe('ids that an author names without an event time', () => {
  it('are found whenever their messages were published, within the horizon', async () => {
    const ids = await remembering({ horizon: HOUR as Millis, by: 'publishTimes' }, MAX_TIMESTAMP);
    await ids.bundle(T0, id('a', T0));
    const again = await ids.bundle(T0 + 20 * MINUTE, id('b', T0 + 20 * MINUTE), id('a', T0 + 20 * MINUTE));
    expect(again.fresh).toEqual([true, false]);
    ids.restart();
    expect((await ids.bundle(T0 + 40 * MINUTE, id('a', T0 + 40 * MINUTE))).fresh).toEqual([false]);
    // Remembered since it came last, not since it came first.
    expect((await ids.bundle(T0 + HOUR, id('b', T0 + HOUR), id('a', T0 + HOUR))).fresh).toEqual([false, false]);
    await ids.bundle(T0 + 2 * HOUR);
    expect((await ids.bundle(T0 + 2 * HOUR, id('a', T0 + 2 * HOUR))).fresh).toEqual([true]);
  });
});

describe('ids are forgotten', () => {
  it('when their horizon has passed since the last commit that took one of their slice, to the millisecond', async () => {
    const ids = await remembering(HOURLY, CAUGHT_UP);
    await ids.bundle(T0, id('a', T0 - 30 * 24 * HOUR));
    expect((await ids.bundle(T0 + HOUR - 1)).deleted).toBe(0);
    expect(ids.store.size('ids')).toBe(1);
    expect((await ids.bundle(T0 + HOUR)).deleted).toBe(1);
    expect(ids.store.size('ids')).toBe(0);
    expect(ids.state.spans).toEqual([]);
    expect((await ids.bundle(T0 + HOUR, id('a', T0 - 30 * 24 * HOUR))).fresh).toEqual([true]);
  });

  it('later when another of their slice came meanwhile', async () => {
    const ids = await remembering(HOURLY, CAUGHT_UP);
    await ids.bundle(T0, id('a', T0));
    await ids.bundle(T0 + HOUR / 2, id('b', T0));
    expect((await ids.bundle(T0 + 1.5 * HOUR - 1)).deleted).toBe(0);
    await ids.bundle(T0 + 1.5 * HOUR);
    expect((await ids.bundle(T0 + 1.5 * HOUR, id('a', T0))).fresh).toEqual([true]);
  });

  it('later when one of them came again meanwhile', async () => {
    const ids = await remembering(HOURLY, CAUGHT_UP);
    await ids.bundle(T0, id('a', T0));
    expect((await ids.bundle(T0 + HOUR - 1, id('a', T0))).fresh).toEqual([false]);
    ids.restart();
    expect((await ids.bundle(T0 + 2 * HOUR - 2)).deleted).toBe(0);
    expect((await ids.bundle(T0 + 2 * HOUR - 1)).deleted).toBe(1);
  });

  it('not while a document of theirs still holds another slice’s', async () => {
    const ids = await remembering(HOURLY, CAUGHT_UP);
    await ids.bundle(T0, id('a', T0));
    await ids.bundle(T0 + 10 * MINUTE, id('b', T0 + 10 * MINUTE));
    expect(ids.store.size('ids')).toBe(1);
    expect((await ids.bundle(T0 + HOUR)).deleted).toBe(0);
    ids.restart();
    expect((await ids.bundle(T0 + HOUR, id('b', T0 + 10 * MINUTE))).fresh).toEqual([false]);
    expect((await ids.bundle(T0 + 2 * HOUR - 1)).deleted).toBe(0);
    expect((await ids.bundle(T0 + 2 * HOUR)).deleted).toBe(1);
    expect(ids.store.size('ids')).toBe(0);
  });

  it('when they are of messages, only after the source’s horizon has passed them', async () => {
    const ids = new Remembering({ horizon: HOUR as Millis, by: 'publishTime' });
    await ids.bundle(T0, id('a', T0));
    const blocked = await ids.bundle(T0 + HOUR);
    expect(blocked).toMatchObject({ deleted: 0, due: T0 + HOUR + MINUTE });
    await ids.horizon(T0 + 5 * MINUTE - 1);
    expect((await ids.bundle(T0 + HOUR + MINUTE, id('a', T0))).fresh).toEqual([false]);
    await ids.horizon(T0 + 5 * MINUTE);
    expect((await ids.bundle(T0 + 2 * HOUR + MINUTE)).deleted).toBe(1);
    expect(ids.state.spans).toEqual([]);
  });

  it('when they are by event time, only after the source’s horizon has passed the last commit that wrote them', async () => {
    const ids = await remembering(HOURLY, T0 - 1);
    await ids.bundle(T0, id('a', T0 - 30 * 24 * HOUR));
    expect(await ids.bundle(T0 + HOUR)).toMatchObject({ deleted: 0, due: T0 + HOUR + MINUTE });
    await ids.horizon(T0);
    expect((await ids.bundle(T0 + HOUR + MINUTE)).deleted).toBe(1);
  });

  it('not while what came again within their horizon may still be under way', async () => {
    const ids = new Remembering(HOURLY);
    await ids.horizon(CAUGHT_UP, T0 + HOUR - 1);
    await ids.bundle(T0, id('a', T0));
    expect(await ids.bundle(T0 + 3 * HOUR)).toMatchObject({ deleted: 0, due: T0 + 3 * HOUR + MINUTE });
    expect((await ids.bundle(T0 + 3 * HOUR, id('a', T0))).fresh).toEqual([false]);
    await ids.horizon(CAUGHT_UP, T0 + 4 * HOUR - 1);
    expect((await ids.bundle(T0 + 4 * HOUR)).deleted).toBe(0);
    await ids.horizon(CAUGHT_UP, T0 + 4 * HOUR);
    expect((await ids.bundle(T0 + 4 * HOUR + MINUTE)).deleted).toBe(1);
  });

  it('by a bundle that comes for nothing else: the shard is told when', async () => {
    const ids = await remembering(HOURLY, CAUGHT_UP);
    expect((await ids.bundle(T0, id('a', T0))).due).toBe(T0 + HOUR);
    expect((await ids.bundle(T0 + 1, id('b', T0 + HOUR))).due).toBe(T0 + HOUR);
    expect((await ids.bundle(T0 + HOUR)).due).toBe(T0 + HOUR + 1);
    expect((await ids.bundle(T0 + HOUR + 1)).due).toBe(MAX_TIMESTAMP);
    expect(ids.store.size('ids')).toBe(0);
  });

  it('in portions, when there are many documents', async () => {
    const ids = await remembering(HOURLY, CAUGHT_UP);
    const large = (bundle: number) => Array.from({ length: 900 }, (_, i) => id(`${bundle}-${i}`.padEnd(35, 'x'), T0));
    for (let bundle = 0; bundle < 120; bundle++) await ids.bundle(T0 + bundle, ...large(bundle));
    expect(ids.store.size('ids')).toBe(120);
    const deleted: number[] = [];
    for (let round = 0; round < 3; round++) deleted.push((await ids.bundle(T0 + 2 * HOUR)).deleted);
    expect(deleted).toEqual([100, 20, 0]);
    expect(ids.store.size('ids')).toBe(0);
  });
});
