import { ConfigurationError, PoisonError } from './errors.ts';

/**
 * Refuses what cannot be called for a value: what is no function, and what gives a promise.
 * @param what such as `map 'parse'`
 * @returns the function itself
 * @throws {ConfigurationError} while the pipeline is built
 */
export function syncFunction<F extends (...args: never[]) => unknown>(what: string, fn: F): F {
  if (typeof fn !== 'function') throw new ConfigurationError(`${what}: expected a function, got ${describe(fn)}`);
  if (/^\[object Async/.test(Object.prototype.toString.call(fn)))
    throw new ConfigurationError(`${what}: an async function gives a promise in place of a value; ${WAY_OUT}`);
  return fn;
}

/**
 * A function of the author's that has to give a value at once: what can be seen to give a promise is refused while the
 * pipeline is built; what gives one nevertheless fails when it is called.
 * @param what such as `map 'parse'`, or the option: `writePubSub 'alerts' data`
 * @throws {ConfigurationError} while the pipeline is built; the function itself throws a {@link PoisonError}
 */
export function plainFunction<F extends (...args: never[]) => unknown>(what: string, fn: F): F {
  const call = syncFunction(what, fn) as unknown as (...args: unknown[]) => unknown;
  // How many parameters it has says whether it looks at the context.
  if (fn.length < 2) return ((value: unknown) => plainValue(what, call(value))) as unknown as F;
  if (fn.length === 2)
    return ((value: unknown, context: unknown) => plainValue(what, call(value, context))) as unknown as F;
  return ((value: unknown, more: unknown, context: unknown) =>
    plainValue(what, call(value, more, context))) as unknown as F;
}

/** The same of an option that may be left out. */
export function optionalFunction<F extends (...args: never[]) => unknown>(
  what: string,
  fn: F | undefined,
): F | undefined {
  return fn === undefined ? undefined : plainFunction(what, fn);
}

/** What an author's function has given. @throws {PoisonError} when it is a promise */
export function plainValue<T>(what: string, value: T): T {
  if (!(value instanceof Promise)) return value;
  // Nobody waits for it any more.
  value.catch(() => {});
  throw new PoisonError(`${what}: gave a promise in place of a value; ${WAY_OUT}`);
}

const WAY_OUT = 'use parDo, whose process may be async';

function describe(value: unknown): string {
  return value === null ? 'null' : typeof value;
}
