import { describe, expect, it } from 'vitest';
import {
  fullBucket,
  lowered,
  nextToken,
  raised,
  refilled,
  returned,
  taken,
} from '../../../functions/engine/enrich/token-bucket.ts';
import type { EpochMillis } from '../../../functions/model/time.ts';

const at = (millis: number): EpochMillis => millis as EpochMillis;

describe('a bucket of 600 requests a minute', () => {
  it('saves up five seconds of them, and fills at ten a second', () => {
    let bucket = fullBucket(600, at(0));
    expect(bucket.tokens).toBe(50);
    bucket = taken(bucket, 50);
    expect(refilled(bucket, 600, at(100)).tokens).toBeCloseTo(1);
    expect(refilled(bucket, 600, at(1_000)).tokens).toBeCloseTo(10);
    expect(refilled(bucket, 600, at(60_000)).tokens).toBe(50);
  });

  it('never fills by a clock that steps back', () => {
    const bucket = taken(fullBucket(600, at(5_000)), 50);
    expect(refilled(bucket, 600, at(1_000))).toMatchObject({ tokens: 0, at: 5_000 });
  });

  it('takes back what was not used, up to what it holds', () => {
    expect(returned(taken(fullBucket(600, at(0)), 10), 600, 4).tokens).toBe(44);
    expect(returned(fullBucket(600, at(0)), 600, 4).tokens).toBe(50);
  });

  it('says when there is a token', () => {
    const empty = taken(fullBucket(600, at(0)), 50);
    expect(nextToken(empty)).toBe(100);
    expect(nextToken(fullBucket(600, at(7)))).toBe(7);
  });

  it('halves its rate when the model says that it is too much, once for refusals of the same moment, down to a twentieth', () => {
    let bucket = lowered(fullBucket(600, at(0)), 600, at(10_000));
    expect(bucket.rate).toBe(300);
    bucket = lowered(bucket, 600, at(11_999));
    expect(bucket.rate).toBe(300);
    for (let second = 12; second < 60; second += 2) bucket = lowered(bucket, 600, at(second * 1_000));
    expect(bucket.rate).toBe(30);
  });

  it('grows back to its full rate in ninety seconds of answers, and no faster after silence', () => {
    let bucket = { ...fullBucket(600, at(0)), rate: 30 };
    for (let second = 1; second <= 85; second++) bucket = raised(bucket, 600, at(second * 1_000));
    expect(bucket.rate).toBeCloseTo(30 + (600 * 85) / 90);
    for (let second = 86; second <= 90; second++) bucket = raised(bucket, 600, at(second * 1_000));
    expect(bucket.rate).toBe(600);
    const silent = raised({ ...fullBucket(600, at(0)), rate: 30 }, 600, at(3_600_000));
    expect(silent.rate).toBeCloseTo(30 + 600 / 9);
  });
});
