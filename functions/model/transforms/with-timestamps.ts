import { plainFunction } from '../author-function.ts';
import type { DoFn } from '../dofn.ts';
import { PoisonError } from '../errors.ts';
import type { Instant } from '../instant.ts';

/**
 * Emits each element at the instant that its author reads from it. An element without one fails: it must not keep the
 * timestamp it had unnoticed.
 */
export function stampingDoFn<T>(name: string, at: (value: T) => Instant): DoFn<T, T> {
  const stamp = plainFunction(`withTimestamps '${name}'`, at);
  return {
    process(value, { output }) {
      const timestamp: Instant | undefined | null = stamp(value);
      if (timestamp == null)
        throw new PoisonError(
          `withTimestamps '${name}': expected an instant, such as epoch milliseconds or a Date, got ${timestamp}`,
        );
      output(value, { timestamp });
    },
  };
}
