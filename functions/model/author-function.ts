import { ConfigurationError } from './errors.ts';

/**
 * Refuses what cannot be called for a value: what is no function, and what gives a promise.
 * @param what such as `map 'parse'`
 * @returns the function itself
 * @throws {ConfigurationError} while the pipeline is built
 */
export function syncFunction<F extends (...args: never[]) => unknown>(what: string, fn: F): F {
  if (typeof fn !== 'function') throw new ConfigurationError(`${what}: expected a function, got ${describe(fn)}`);
  if (/^\[object Async/.test(Object.prototype.toString.call(fn)))
    throw new ConfigurationError(
      `${what}: an async function gives a promise in place of a value; use parDo, whose process may be async`,
    );
  return fn;
}

function describe(value: unknown): string {
  return value === null ? 'null' : typeof value;
}
