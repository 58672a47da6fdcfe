import { describe, expect, it } from 'vitest';
import { sourceProgress } from '../../../functions/engine/ingest/source-watermark.ts';
import {
  boundedOutOfOrderness,
  monotonic,
  processingTime,
  pubSubSource,
  type PubSubSourceOptions,
  trustArrival,
} from '../../../functions/model/source.ts';
import { type EpochMillis, MIN_TIMESTAMP, type Millis } from '../../../functions/model/time.ts';
import type { BacklogSample } from '../../../functions/ports/backlog.ts';
import { runWorld } from './source-world.ts';

const at = (seconds: number): EpochMillis => (1_000_000_000 + seconds * 1_000) as EpochMillis;
const source = (options: Partial<PubSubSourceOptions<unknown>>) =>
  pubSubSource('events', { schema: { parse: (x) => x }, ...options });
const sample = (seconds: number, ageSeconds: number, undelivered: number): BacklogSample => ({
  sampledAt: at(seconds),
  oldestUnackedAge: (ageSeconds * 1_000) as Millis,
  undelivered,
});
/** One slice of ten seconds, whose largest event time is five seconds before its start. */
const slice = (seconds: number) => ({ from: at(seconds), to: at(seconds + 10), largest: at(seconds - 5) });
const ACTIVE = { slices: [slice(0), slice(10), slice(20)], active: at(29) };

describe('the watermark of a source of messages', () => {
  it('stands at the beginning of time until there is a sample', () => {
    expect(sourceProgress(source({}), ACTIVE, undefined, at(1_000)).watermark).toBe(MIN_TIMESTAMP);
  });

  it('follows the largest event time of the slices that end ten seconds before the horizon', () => {
    const seconds30 = source({ watermark: boundedOutOfOrderness('30s') });
    expect(sourceProgress(seconds30, ACTIVE, sample(30, 0, 0), at(31))).toEqual({
      horizon: at(30),
      counted: at(20),
      watermark: at(5 - 30),
    });
  });

  it('counts a slice at the very millisecond at which it has ended ten seconds before the horizon', () => {
    const exact = source({ watermark: monotonic() });
    const justBefore = { ...sample(40, 0, 0), sampledAt: (at(40) - 1) as EpochMillis };
    expect(sourceProgress(exact, ACTIVE, justBefore, at(41)).watermark).toBe(at(5));
    expect(sourceProgress(exact, ACTIVE, sample(40, 0, 0), at(41)).watermark).toBe(at(15));
  });

  it('is held by the oldest message that was not acknowledged at the sample', () => {
    const held = sourceProgress(source({ watermark: monotonic() }), ACTIVE, sample(200, 175, 1), at(210));
    expect(held).toEqual({ horizon: at(25), counted: at(15), watermark: at(-5) });
  });

  it('follows processing time when a sample of zero was taken a minute after the last message', () => {
    const minute = source({ watermark: boundedOutOfOrderness('1m') });
    expect(sourceProgress(minute, ACTIVE, sample(89, 0, 0), at(500)).watermark).toBe(at(89 - 10 - 60));
  });

  it('does not take a source for idle when the sample of zero is older than that', () => {
    const minute = source({ watermark: boundedOutOfOrderness('1m') });
    expect(sourceProgress(minute, ACTIVE, sample(88, 0, 0), at(500)).watermark).toBe(at(15 - 60));
  });

  it('does not take a source for idle while anything is not acknowledged', () => {
    const minute = source({ watermark: boundedOutOfOrderness('1m') });
    expect(sourceProgress(minute, ACTIVE, sample(500, 0, 1), at(501)).watermark).toBe(at(15 - 60));
    expect(sourceProgress(minute, ACTIVE, sample(500, 2, 0), at(501)).watermark).toBe(at(15 - 60));
  });

  it('advances for a source that is silent from the start', () => {
    const silent = { slices: [], active: MIN_TIMESTAMP };
    expect(sourceProgress(source({ watermark: monotonic() }), silent, sample(100, 0, 0), at(150)).watermark).toBe(
      at(90),
    );
  });

  it('waits with an idle source when its author says so, or when it names its arrival times', () => {
    const told = source({ watermark: boundedOutOfOrderness(0, { whenIdle: 'wait' }) });
    const replay = source({ watermark: monotonic(), arrivalTime: () => 0 });
    const replayTold = source({
      watermark: boundedOutOfOrderness(0, { whenIdle: 'advance' }),
      arrivalTime: () => 0,
    });
    expect(sourceProgress(told, ACTIVE, sample(500, 0, 0), at(500)).watermark).toBe(at(15));
    expect(sourceProgress(replay, ACTIVE, sample(500, 0, 0), at(500)).watermark).toBe(at(15));
    expect(sourceProgress(replayTold, ACTIVE, sample(500, 0, 0), at(500)).watermark).toBe(at(490));
  });

  it('falls behind processing time by no more than maxLag, with or without a sample', () => {
    const bounded = source({ watermark: boundedOutOfOrderness('1m', { maxLag: '5m' }) });
    expect(sourceProgress(bounded, ACTIVE, undefined, at(1_000)).watermark).toBe(at(700));
    expect(sourceProgress(bounded, ACTIVE, sample(30, 0, 0), at(100)).watermark).toBe(at(5 - 60));
  });

  it('needs no sample where arrival is trusted', () => {
    const trusting = source({ watermark: trustArrival('5s') });
    expect(sourceProgress(trusting, ACTIVE, undefined, at(35)).watermark).toBe(at(5));
    expect(sourceProgress(trusting, ACTIVE, undefined, at(45)).watermark).toBe(at(15));
    expect(sourceProgress(trusting, ACTIVE, undefined, at(29 + 60 + 5)).watermark).toBe(at(29 + 60 - 10));
  });

  it('is processing time less the lag, where the author says so', () => {
    const lagging = source({ watermark: processingTime('2m') });
    expect(sourceProgress(lagging, ACTIVE, undefined, at(1_000)).watermark).toBe(at(880));
  });
});

describe('the watermark of a source in seeded worlds', () => {
  const SEEDS = Array.from({ length: 120 }, (_, seed) => seed + 1);
  const policy = boundedOutOfOrderness(200);

  it('passes nothing that is not late at its source, and catches up', { timeout: 60_000 }, () => {
    let published = 0;
    let late = 0;
    for (const seed of SEEDS) {
      const result = runWorld(seed, { policy });
      expect(result.passed, `seed ${seed}`).toBeUndefined();
      // The newest sample is up to 1,400 old (samples are rare, and seen late), the delay and the margin are 300.
      expect(result.behind, `seed ${seed}`).toBeLessThan(3_000);
      published += result.published;
      late += result.lateAtSource;
    }
    expect(published).toBeGreaterThan(50_000);
    expect(late).toBeGreaterThan(500);
  });

  it('passes nothing of a source whose events are old when they are published, while it goes on', {
    timeout: 60_000,
  }, () => {
    for (const seed of SEEDS.filter((each) => each % 3 === 0)) {
      const { passed, published, lateAtSource } = runWorld(seed, { policy, steadyLag: 10_000 });
      expect(passed, `seed ${seed}`).toBeUndefined();
      expect(lateAtSource, `seed ${seed}`).toBeLessThan(published / 10);
    }
  });

  it.each(['sampleAfterSnapshot', 'noMargin'] as const)(
    'would pass elements in flight with the mistake %s',
    (mistake) => {
      expect(SEEDS.some((seed) => runWorld(seed, { policy, mistake }).passed !== undefined)).toBe(true);
    },
  );

  it('would pass elements of a steady but lagging source if any sample of zero made it idle', () => {
    const options = { policy, steadyLag: 10_000, mistake: 'idleOnAnyEmptySample' } as const;
    expect(SEEDS.some((seed) => runWorld(seed, options).passed !== undefined)).toBe(true);
  });
});
