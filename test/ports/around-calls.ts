import type { ListingStore } from '../../functions/ports/store.ts';

/**
 * A store each of whose calls goes through `call`, which may do something before it, or when it was answered.
 * @param call of `apply`, which makes the call; `what` is the method's name
 */
export function aroundCalls(
  store: ListingStore,
  call: <T>(apply: () => Promise<T>, what: keyof ListingStore) => Promise<T>,
): ListingStore {
  return {
    get: (...args) => call(() => store.get(...args), 'get'),
    query: (...args) => call(() => store.query(...args), 'query'),
    roots: () => call(() => store.roots(), 'roots'),
    list: (...args) => call(() => store.list(...args), 'list'),
    commit: (batch) => call(() => store.commit(batch), 'commit'),
    raise: (...args) => call(() => store.raise(...args), 'raise'),
  };
}
