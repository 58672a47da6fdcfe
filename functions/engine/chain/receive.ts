import type { Element } from '../element.ts';

/** Takes an element; a promise only where a step is async. */
export type Receive = (element: Element) => void | Promise<void>;

/** Calls `call` on each in turn, with its place; goes on without waiting as long as nothing is async. */
export function eachInTurn<T>(
  items: readonly T[],
  call: (item: T, place: number) => void | Promise<void>,
): void | Promise<void> {
  let pending: Promise<void> | undefined;
  // By index: this loop is run for every element, with lists of all kinds.
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as T;
    if (pending !== undefined) pending = pending.then(() => call(item, i));
    else pending = call(item, i) || undefined;
  }
  return pending;
}
