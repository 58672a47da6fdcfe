import { describe, expect, it } from 'vitest';
import { Reorderer } from '../../emulators/relay/reorder.ts';
import { TroubleMaker } from '../../emulators/relay/troubles.ts';
import { chance, shuffled } from '../../emulators/seeded.ts';

const ids = Array.from({ length: 2_000 }, (_, n) => String(n));

describe('troubles', () => {
  it('meet the same messages under the same seed, and others under another', () => {
    const dropped = (seed: number) => {
      const maker = new TroubleMaker({ seed, drop: { share: 0.1 } }, 's');
      return ids.filter((id) => maker.isDropped(id));
    };
    expect(dropped(1)).toEqual(dropped(1));
    expect(dropped(1)).not.toEqual(dropped(2));
  });

  it('meet about the share that was asked for', () => {
    const maker = new TroubleMaker({ seed: 4, drop: { share: 0.1 }, duplicate: { share: 0.5 } }, 's');
    const dropped = ids.filter((id) => maker.isDropped(id)).length;
    const twice = ids.filter((id) => maker.secondCopyOf(id, 1) !== undefined).length;
    expect(dropped).toBeGreaterThan(150);
    expect(dropped).toBeLessThan(250);
    expect(twice).toBeGreaterThan(900);
    expect(twice).toBeLessThan(1_100);
  });

  it('meet nothing at share 0 and everything at share 1', () => {
    const none = new TroubleMaker({ seed: 4, drop: { share: 0 } }, 's');
    const all = new TroubleMaker({ seed: 4, drop: { share: 1 } }, 's');
    expect(ids.filter((id) => none.isDropped(id))).toHaveLength(0);
    expect(ids.filter((id) => all.isDropped(id))).toHaveLength(2_000);
  });

  it('leave other subscriptions alone', () => {
    const maker = new TroubleMaker(
      { seed: 4, drop: { share: 1, subscriptions: ['a'] }, delay: { share: 1, maxMillis: 50, subscriptions: ['a'] } },
      'b',
    );
    expect(maker.isDropped('1')).toBe(false);
    expect(maker.delayOf('1')).toBe(0);
  });

  it('delay within the bound', () => {
    const maker = new TroubleMaker({ seed: 9, delay: { share: 1, maxMillis: 1_000 } }, 's');
    const delays = ids.map((id) => maker.delayOf(id));
    expect(Math.max(...delays)).toBeLessThanOrEqual(1_000);
    expect(Math.max(...delays)).toBeGreaterThan(950);
    expect(Math.min(...delays)).toBeLessThan(50);
  });
});

describe('seeded chance', () => {
  it('is even over [0, 1)', () => {
    const counts = new Array<number>(10).fill(0);
    for (const id of ids) counts[Math.floor(chance(3, 'x', id) * 10)]! += 1;
    for (const count of counts) {
      expect(count).toBeGreaterThan(140);
      expect(count).toBeLessThan(260);
    }
  });

  it('shuffles without losing anything', () => {
    const mixed = shuffled(8, ids);
    expect(mixed).not.toEqual(ids);
    expect([...mixed].sort()).toEqual([...ids].sort());
  });
});

describe('reordering', () => {
  it('lets a full gathering go at once, and each item once', () => {
    const out: number[] = [];
    const reorderer = new Reorderer<number>(1, (item) => out.push(item));
    for (let n = 0; n < 20; n++) reorderer.put(n, 10);
    expect([...out.slice(0, 10)].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect([...out.slice(10)].sort((a, b) => a - b)).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
    expect(out).not.toEqual(Array.from({ length: 20 }, (_, n) => n));
  });
});
