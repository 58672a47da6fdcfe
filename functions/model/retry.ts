/** How often user code is given an element again after it has thrown, and after how long. */
import { ConfigurationError } from './errors.ts';
import { checkOptions } from './options.ts';
import { type Duration, MAX_ELEMENT_TIMESTAMP, type Millis, millis } from './time.ts';

export interface RetryOptions {
  /** Tries in all; from 1. The second comes at once, without what else was in the bundle. */
  readonly attempts: number;
  /** The wait before the third try. Default one second. */
  readonly firstWait?: Duration;
  /** Each further wait is so many times the one before; from 1. Default 2. */
  readonly factor?: number;
  /** No wait is longer. Default ten minutes. */
  readonly longestWait?: Duration;
}

/** A retry policy with its defaults filled in. */
export interface RetryPolicy {
  readonly attempts: number;
  readonly firstWait: Millis;
  readonly factor: number;
  readonly longestWait: Millis;
}

/**
 * @param where names the step in errors
 * @throws {ConfigurationError} naming the first field that is out of range
 */
export function retryPolicy(where: string, options: RetryOptions): RetryPolicy {
  checkOptions(`${where} retry`, options, { attempts: true, firstWait: true, factor: true, longestWait: true });
  const { attempts, factor = 2 } = options;
  if (!Number.isSafeInteger(attempts) || attempts < 1)
    throw new ConfigurationError(`${where} retry.attempts: expected a whole number from 1 and up, got ${attempts}`);
  if (!Number.isFinite(factor) || factor < 1)
    throw new ConfigurationError(`${where} retry.factor: expected a number from 1 and up, got ${factor}`);
  const firstWait = millis(`${where} retry.firstWait`, options.firstWait ?? '1s', 1);
  const longestWait = millis(`${where} retry.longestWait`, options.longestWait ?? '10m', 1);
  if (longestWait < firstWait)
    throw new ConfigurationError(
      `${where} retry.longestWait: ${longestWait} ms is shorter than firstWait, which is ${firstWait} ms`,
    );
  return { attempts, firstWait, factor, longestWait };
}

/** How long to wait after so many failed tries. */
export function waitAfter(policy: RetryPolicy, attempts: number): Millis {
  const wait = policy.firstWait * policy.factor ** (attempts - 1);
  return Math.floor(Math.min(wait, policy.longestWait, MAX_ELEMENT_TIMESTAMP)) as Millis;
}
