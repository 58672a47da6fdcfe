import { readControl } from '../engine/control.ts';
import type { StoredStage } from '../plan/stored-shape.ts';
import type { Store } from '../ports/store.ts';

/** Shards and slots as they run; to plan with where nobody says others. Nothing of what was never deployed. */
export interface RunningCounts {
  readonly shards?: number;
  readonly slots?: number;
}

export function countsOf(stages: readonly StoredStage[] | undefined): RunningCounts {
  if (stages === undefined || stages.length === 0) return {};
  return {
    shards: Math.max(...stages.map(({ shards }) => shards)),
    slots: Math.max(...stages.map(({ slots }) => slots)),
  };
}

export async function runningCounts(store: Store): Promise<RunningCounts> {
  return countsOf((await readControl(store, 'topology'))?.body.shape.stages);
}
