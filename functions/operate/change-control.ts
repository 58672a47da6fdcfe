import { type Controls, readControl, writeControl } from '../engine/control.ts';
import { ContentionError } from '../model/errors.ts';
import type { Store } from '../ports/store.ts';

/** How often an order is tried anew, where others order at the same moment. */
export const TRIES = 5;

/**
 * Changes what is ordered under its version; anew, where somebody else has changed it in the meantime.
 * @param next from what is stored to what is to be; undefined: it stays as it is
 * @returns what is stored now; undefined where it stayed
 * @throws {ContentionError} when others do not stop changing it
 */
export async function changeControl<N extends keyof Controls>(
  store: Store,
  name: N,
  next: (now: Controls[N] | undefined) => Controls[N] | undefined,
): Promise<Controls[N] | undefined> {
  for (let i = 1; ; i++) {
    const stored = await readControl(store, name);
    const changed = next(stored?.body);
    if (changed === undefined) return undefined;
    try {
      await writeControl(store, name, changed, stored);
      return changed;
    } catch (error) {
      if (!(error instanceof ContentionError) || i === TRIES) throw error;
    }
  }
}
