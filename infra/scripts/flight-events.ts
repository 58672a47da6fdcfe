import type { SeededIds } from '../../functions/local/virtual-clock.ts';
import type { EpochMillis } from '../../functions/model/time.ts';

/** Airports in use at a time; the keys of the example's stage. */
export const AIRPORTS = 300;
/** How far out of order events are, at most. */
const DISORDER_MS = 10 * 60_000;

/** A flight of one of some hundred airports that happened up to ten minutes ago, as `flights` reads it. */
export function flightEvent(ids: SeededIds, now: EpochMillis) {
  return {
    date: now - Math.floor(ids.random() * DISORDER_MS),
    delay: 0,
    distance: 500,
    origin: `A${Math.floor(ids.random() * AIRPORTS)}`,
    destination: 'B0',
  };
}
