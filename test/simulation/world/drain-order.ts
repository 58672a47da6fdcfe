/** What an operator orders who drains a pipeline. */
import type { DrainControl } from '../../../functions/engine/control.ts';
import { type EpochMillis, plus } from '../../../functions/model/time.ts';
import { Random } from './random.ts';
import type { Surroundings } from './surroundings.ts';

/** How long a drain goes on reading, milliseconds: instances are away for longer with messages in their hands. */
const READING = 10_000;
/** Where there are splits, which no drain ends for their readers: longer than one is away that has begun to read. */
const READING_SPLITS = 1_200_000;
/** For so long a drain that waits for windows waits, milliseconds. */
const CLOSING = 600_000;
/** @param isEarly whether something is to be read still */
export function drainOrder({ seed, scenario, scheduler }: Surroundings, isEarly: boolean): DrainControl {
  const now = Math.floor(scheduler.now) as EpochMillis;
  const hasSplits = scenario.pipeline.sources.some(({ kind }) => kind !== 'messages');
  const readingEnds = isEarly ? plus(now, hasSplits ? READING_SPLITS : READING) : now;
  const waits = new Random(seed, 'drain').chance(0.3);
  return { since: now, readingEnds, ...(waits ? { closingEnds: plus(readingEnds, CLOSING) } : {}) };
}
