import { describe, expect, it } from 'vitest';
import { fingerprintOf } from '../../../functions/engine/deduplicate/fingerprint-set.ts';
import { NOTHING_SEEN, SeenIndex, type SeenState } from '../../../functions/engine/deduplicate/seen-index.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';
import { type EpochMillis, MAX_TIMESTAMP, type Millis } from '../../../functions/model/time.ts';

const HORIZON = 8_000 as Millis;
const START = 1_000_000 as EpochMillis;

describe('what a deduplication remembers', () => {
  it('goes in as many commits as its documents take, and is forgotten with the first of them', async () => {
    const store = new MemoryStore();
    let state: SeenState = NOTHING_SEEN;
    let index!: SeenIndex;
    const deleted: number[] = [];
    const bundle = async (clock: EpochMillis, ...texts: string[]): Promise<boolean[]> => {
      await index.begin();
      const isNew = texts.map((text) => index.take(fingerprintOf(text), clock, clock));
      const changes = index.finish(clock);
      state = changes.state;
      deleted.push(changes.deletes.length);
      await store.commit({ preconditions: [], sets: changes.sets, deletes: changes.deletes });
      return isNew;
    };
    // Whoever takes over begins a new document.
    for (let n = 1; n <= 250; n++) {
      index = new SeenIndex('once~0', state, HORIZON, store);
      expect(await bundle(START, `${n}`, '1')).toEqual([true, false]);
    }
    expect(state).toEqual({ documents: 250, slices: [[START, 1, 250]] });
    deleted.length = 0;
    // A slice is an eighth of the horizon, which begins when it is over.
    const over = (START + 9_000) as EpochMillis;
    await bundle(over);
    expect(index.due()).toBe(over);
    expect(await bundle(over, '1', '250')).toEqual([true, true]);
    await bundle(over);
    // The last document has taken what is new.
    expect(deleted).toEqual([100, 100, 49]);
    expect(state).toEqual({ documents: 250, slices: [[over, 250, 250]] });
    expect((await store.list('ids', 1_000)).length).toBe(1);
    expect(await bundle((over + 9_000) as EpochMillis)).toEqual([]);
    expect([state.slices, await store.list('ids', 1_000), index.due()]).toEqual([[], [], MAX_TIMESTAMP]);
  });
});
