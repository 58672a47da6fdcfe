import { describe, expect, it } from 'vitest';
import {
  foldedSlices,
  largestCounted,
  MAX_SLICES,
  mergedSlices,
  type PublishSlice,
  withPublications,
} from '../../../functions/engine/ingest/publish-slices.ts';
import { type EpochMillis, MIN_TIMESTAMP, type Millis } from '../../../functions/model/time.ts';

const LENGTH = 10 as Millis;
const ms = (at: number): EpochMillis => at as EpochMillis;
const slice = (from: number, to: number, largest: number): PublishSlice => ({
  from: ms(from),
  to: ms(to),
  largest: ms(largest),
});
const publication = (publishTime: number, advances: number) => ({
  publishTime: ms(publishTime),
  advances: ms(advances),
});

describe('publish-time slices', () => {
  it('keep the largest event time of the messages published in each', () => {
    const slices = withPublications([], [publication(19, 5), publication(10, 9), publication(20, 1)], LENGTH);
    expect(slices).toEqual([slice(10, 20, 9), slice(20, 30, 1)]);
  });

  it('hold a message at their first instant and not at their end, also before 1970', () => {
    expect(withPublications([], [publication(-10, -12), publication(0, 0)], LENGTH)).toEqual([
      slice(-10, 0, -12),
      slice(0, 10, 0),
    ]);
  });

  it('put a message into a longer slice that was joined before', () => {
    expect(withPublications([slice(0, 50, 7)], [publication(42, 30)], LENGTH)).toEqual([slice(0, 50, 30)]);
  });

  it('count when they end at the counted time, not a millisecond later', () => {
    const slices = [slice(0, 10, 100), slice(10, 20, 200)];
    expect(largestCounted(slices, ms(9))).toBe(MIN_TIMESTAMP);
    expect(largestCounted(slices, ms(10))).toBe(100);
    expect(largestCounted(slices, ms(20))).toBe(200);
  });

  it('become one where all count, and stay apart after that', () => {
    const slices = [slice(0, 10, 300), slice(10, 20, 200), slice(20, 30, 100)];
    expect(foldedSlices(slices, ms(20))).toEqual([slice(0, 20, 300), slice(20, 30, 100)]);
    expect(foldedSlices(slices, ms(19))).toEqual(slices);
  });

  it('of several roots are joined where they overlap', () => {
    const merged = mergedSlices([[slice(10, 20, 1), slice(40, 50, 5)], [slice(0, 10, 9), slice(15, 30, 3)], []]);
    expect(merged).toEqual([slice(0, 10, 9), slice(10, 30, 3), slice(40, 50, 5)]);
  });

  it('never become more than 64: those that lie closest together are joined', () => {
    const publications = Array.from({ length: 100 }, (_, i) => publication(i * i * 10, i));
    const slices = withPublications([], publications, LENGTH);
    expect(slices).toHaveLength(MAX_SLICES);
    expect(largestCounted(slices, ms(1e9))).toBe(99);
    // The far ones, which lie far apart, are still by themselves.
    expect(slices.at(-1)).toEqual(slice(98_010, 98_020, 99));
    expect(slices.at(-2)).toEqual(slice(96_040, 96_050, 98));
    // The first ones were joined, and count when the last of them does.
    expect(slices[0]!.from).toBe(0);
    expect(slices[0]!.to).toBeGreaterThan(10);
  });
});
