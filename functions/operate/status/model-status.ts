import { type EnrichCounters, type EnrichState, enrichState, withCounted } from '../../engine/enrich/enrich-state.ts';

/** How a stage that asks a model stands, all shards together. */
export interface ModelStatus {
  /** Batches that are with the model, and those that wait for another try. */
  readonly calling: number;
  readonly waiting: number;
  /** Requests a minute that are made at most just now; null = none was made yet. */
  readonly rate: number | null;
  /** Since the pipeline began. */
  readonly counters: EnrichCounters;
}

export function modelStatus(states: readonly EnrichState[]): ModelStatus {
  const batches = states.flatMap((state) => state.batches);
  const rates = states.flatMap(({ bucket }) => (bucket === undefined ? [] : [bucket.rate]));
  const counted = states.reduce((sum, { counters }) => withCounted(sum, counters), enrichState({}));
  return {
    calling: batches.filter(({ claim }) => claim !== undefined).length,
    waiting: batches.filter(({ claim }) => claim === undefined).length,
    rate: rates.length === 0 ? null : rates.reduce((sum, rate) => sum + rate, 0),
    counters: counted.counters,
  };
}

/** Elements that are not answered yet. */
export function pendingCount(states: readonly EnrichState[]): number {
  return states.flatMap(({ waiting, batches }) => [...waiting, ...batches]).reduce((sum, { count }) => sum + count, 0);
}
