import { describe, expect, it } from 'vitest';
import { MemoryBacklog } from '../../functions/local/memory-backlog.ts';
import { VirtualClock } from '../../functions/local/virtual-clock.ts';
import type { EpochMillis, Millis } from '../../functions/model/time.ts';

const at = (seconds: number): EpochMillis => (seconds * 1_000) as EpochMillis;

describe('the backlog in memory', () => {
  it('shows what is not acknowledged at this moment', async () => {
    const clock = new VirtualClock(at(100));
    const backlog = new MemoryBacklog(clock);
    expect(await backlog.sample('s')).toEqual({ sampledAt: at(100), oldestUnackedAge: 0, undelivered: 0 });
    backlog.published('s', 'a', at(95));
    backlog.published('s', 'b', at(90));
    backlog.published('other', 'c', at(1));
    clock.advanceTo(at(101));
    expect(await backlog.sample('s')).toEqual({ sampledAt: at(101), oldestUnackedAge: 11_000, undelivered: 2 });
    backlog.acknowledged('s', 'b');
    expect(await backlog.sample('s')).toEqual({ sampledAt: at(101), oldestUnackedAge: 6_000, undelivered: 1 });
  });

  it('shows what was so at the last look that can be read', async () => {
    const clock = new VirtualClock(at(0));
    const backlog = new MemoryBacklog(clock, { every: 60_000 as Millis, delay: 120_000 as Millis });
    clock.advanceTo(at(30));
    backlog.published('s', 'a', at(30));
    clock.advanceTo(at(70));
    backlog.acknowledged('s', 'a');
    clock.advanceTo(at(119));
    expect(await backlog.sample('s')).toMatchObject({ sampledAt: at(-60), undelivered: 0 });
    clock.advanceTo(at(179));
    expect(await backlog.sample('s')).toMatchObject({ sampledAt: at(0), undelivered: 0 });
    clock.advanceTo(at(180));
    expect(await backlog.sample('s')).toEqual({ sampledAt: at(60), oldestUnackedAge: 30_000, undelivered: 1 });
    clock.advanceTo(at(240));
    expect(await backlog.sample('s')).toEqual({ sampledAt: at(120), oldestUnackedAge: 0, undelivered: 0 });
  });

  it('keeps the looks that matter when nobody asks for long', async () => {
    const clock = new VirtualClock(at(0));
    const backlog = new MemoryBacklog(clock, { every: 60_000 as Millis, delay: 120_000 as Millis });
    backlog.published('s', 'a', at(0));
    clock.advanceTo(at(86_400));
    expect(await backlog.sample('s')).toEqual({ sampledAt: at(86_280), oldestUnackedAge: 86_280_000, undelivered: 1 });
    backlog.acknowledged('s', 'a');
    expect(await backlog.sample('s')).toMatchObject({ sampledAt: at(86_280), undelivered: 1 });
    clock.advanceTo(at(86_580));
    expect(await backlog.sample('s')).toMatchObject({ sampledAt: at(86_460), undelivered: 0 });
  });
});
