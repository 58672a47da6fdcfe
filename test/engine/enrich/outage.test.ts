import { afterEach, describe, expect, it, vi } from 'vitest';
import { EnrichCaller } from '../../../functions/engine/enrich/caller.ts';
import { type Event, idsOf, Loaded, range } from './loaded.ts';

const MINUTE = 60_000;
const RPM = 60;
const BATCH = 10;
/** Nine tenths of what the rate allows in full batches. */
const A_SECOND = 9;

/** One card has nine tenths of the events. */
const event = (id: number, at: number): Event => ({ id, card: id % 10 === 0 ? `card-${id}` : 'hot', at });

/** Feeds for so long, and sweeps every five seconds as busy instances do. */
async function load(loaded: Loaded, from: number, seconds: number): Promise<number> {
  let id = from;
  for (let second = 0; second < seconds; second++) {
    const at = loaded.clock.now();
    await loaded.feed(range(id, A_SECOND).map((each) => event(each, at)));
    id += A_SECOND;
    if (second % 5 === 4) await loaded.sweep();
    await loaded.pass(1_000);
  }
  return id;
}

/** How long whoever shows batches to the model is held open, milliseconds. */
function heldOpen({ clock }: Loaded): number[] {
  const held: number[] = [];
  const drive = EnrichCaller.prototype.drive;
  vi.spyOn(EnrichCaller.prototype, 'drive').mockImplementation(function (this: EnrichCaller) {
    const begun = clock.now();
    return drive.call(this)?.finally(() => void held.push(clock.now() - begun));
  });
  return held;
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a stream far below the rate', () => {
  it('fills batches as far as the buffering time of its one shard allows, though one key has nine tenths', async () => {
    const loaded = await new Loaded({ requestsPerMinute: RPM, batch: { maxInstances: BATCH, wait: '4s' } }).start();
    let id = 0;
    for (let second = 0; second < 120; second++) {
      await loaded.feed(range(id, 2).map((each) => event(each, loaded.clock.now())));
      id += 2;
      await loaded.pass(1_000);
    }
    expect(await loaded.passUntilEmpty(MINUTE)).toBeLessThan(MINUTE);
    const { calls, batchSizes } = loaded.model.vertex.counters();
    // Two a second gather for four seconds, the first of them included: eight at least, whatever their keys.
    expect(calls).toBeLessThanOrEqual(240 / 8);
    const partial = Object.entries(batchSizes).filter(([size]) => Number(size) < 8);
    expect(partial.reduce((sum, [, count]) => sum + (count ?? 0), 0)).toBeLessThanOrEqual(1);
    expect(idsOf(await loaded.scores())).toEqual(range(0, id));
  });
});

describe('a model that answers 429 for ten minutes under full load', () => {
  it('gets no more than it was promised, and every element comes out once; the rate is back within two minutes', async () => {
    const outage = { from: MINUTE, until: 11 * MINUTE };
    const loaded = await new Loaded(
      { requestsPerMinute: RPM, batch: { maxInstances: BATCH, wait: '2s' } },
      { faults: [{ fault: { kind: 'status', status: 429 }, millis: outage }] },
    ).start();
    const held = heldOpen(loaded);
    let next = await load(loaded, 0, 60);
    expect(loaded.state.waiting.length).toBeLessThan(5);
    next = await load(loaded, next, 600);
    const during = loaded.model.vertex.counters();
    expect(during.throttled).toBeGreaterThan(15);
    // A tenth of the rate is enough to notice that it is over.
    expect(during.calls - during.throttled).toBeLessThan(RPM * 1.2);
    expect(during.throttled).toBeLessThan(10 * RPM * 0.15);
    next = await load(loaded, next, 120);
    const before = loaded.model.vertex.counters().calls;
    next = await load(loaded, next, 60);
    const fullMinute = loaded.model.vertex.counters().calls - before;
    expect(fullMinute).toBeGreaterThanOrEqual(RPM * 0.95);
    expect(fullMinute).toBeLessThanOrEqual(RPM * 1.2);
    expect(await loaded.passUntilEmpty(60 * MINUTE)).toBeLessThan(60 * MINUTE);
    const counters = loaded.model.vertex.counters();
    expect(counters.mostInAnyMinute).toBeLessThanOrEqual(RPM * 1.2);
    expect(Math.max(...loaded.model.durations)).toBeLessThan(30_000);
    expect(held.length).toBeGreaterThan(10);
    expect(Math.max(...held)).toBeLessThan(30_000);
    // All that came while it was out went in full batches.
    const full = counters.batchSizes[String(BATCH)] ?? 0;
    expect((full * BATCH) / counters.instances).toBeGreaterThan(0.95);
    const rows = await loaded.scores();
    expect(idsOf(rows)).toEqual(range(0, next));
    expect(await loaded.letters()).toEqual([]);
    expect(loaded.root?.holds).toEqual([]);
    expect(Object.values(counters.byKey).every(({ served }) => served <= 1)).toBe(true);
  }, 120_000);
});
