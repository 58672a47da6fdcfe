import { expect, it } from 'vitest';
import { retryPolicy, waitAfter } from '../../functions/model/retry.ts';

it('waits grow from one second by twos to ten minutes unless told otherwise', () => {
  const policy = retryPolicy('step', { attempts: 20 });
  expect([1, 2, 3, 10, 11, 200, 5_000].map((attempts) => waitAfter(policy, attempts))).toEqual([
    1_000, 2_000, 4_000, 512_000, 600_000, 600_000, 600_000,
  ]);
});

it('waits are as the author says', () => {
  const policy = retryPolicy('step', { attempts: 3, firstWait: '10s', factor: 1.5, longestWait: '20s' });
  expect([1, 2, 3].map((attempts) => waitAfter(policy, attempts))).toEqual([10_000, 15_000, 20_000]);
});
