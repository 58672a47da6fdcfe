/** Replays all letters that a filter names, a few to a commit, no faster than asked. */
import type { Millis } from '../../model/time.ts';
import type { Store } from '../../ports/store.ts';
import type { LetterFilter } from '../dead-letters/filter.ts';
import { findLetters, type FoundLetter } from '../dead-letters/letters.ts';
import { Replayer, type ReplayOutcome, type ReplaySetting } from './replayer.ts';

export interface ReplayOptions {
  readonly filter: LetterFilter;
  /** In the root's name. Default `operator`. */
  readonly name?: string;
  /** Says what would come of it, and does nothing. */
  readonly dryRun?: boolean;
  /** At most so many letters. Default: all. */
  readonly limit?: number;
  /** Letters a second. Default: as fast as they are read. */
  readonly rate?: number;
}

/** Letters of one commit. */
const BATCH = 50;

/** One outcome for each letter, in the order in which they failed. */
export async function* replayLetters(setting: ReplaySetting, options: ReplayOptions): AsyncGenerator<ReplayOutcome> {
  const { filter, name = 'operator', dryRun = false, limit = Number.POSITIVE_INFINITY, rate } = options;
  const replayer = new Replayer(name, setting);
  const size = Math.max(1, Math.min(BATCH, Math.floor(rate ?? BATCH)));
  // Named before any is replayed: what fails again is the next generation, and not of this replay.
  const ids = await idsOf(setting.store, filter, limit);
  try {
    for (let from = 0; from < ids.length; from += size) {
      const batch = await lettersOf(setting.store, { ...filter, ids: ids.slice(from, from + size) });
      if (dryRun) yield* await replayer.tryOut(batch);
      else {
        yield* await replayer.replay(batch);
        if (rate !== undefined) await setting.clock.sleep(Math.ceil((batch.length / rate) * 1_000) as Millis);
      }
    }
  } finally {
    await replayer.close();
  }
}

async function idsOf(store: Store, filter: LetterFilter, limit: number): Promise<string[]> {
  const ids: string[] = [];
  if (limit > 0)
    for await (const { letter } of findLetters(store, filter)) {
      ids.push(letter.id);
      if (ids.length >= limit) break;
    }
  return ids;
}

async function lettersOf(store: Store, filter: LetterFilter): Promise<FoundLetter[]> {
  const letters: FoundLetter[] = [];
  for await (const found of findLetters(store, filter)) letters.push(found);
  return letters;
}
