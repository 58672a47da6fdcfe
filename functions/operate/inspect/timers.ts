/** Which keys of a stage are due when, on either clock. */
import type { CellBody } from '../../engine/shard/cell-cache.ts';
import { BufferedParts, PartCache } from '../../engine/shard/cell-parts.ts';
import { ConfigurationError } from '../../model/errors.ts';
import { keyOf } from '../../model/key.ts';
import { type EpochMillis, MAX_TIMESTAMP } from '../../model/time.ts';
import { CELLS_BY_EVENT_DUE, CELLS_BY_PROCESSING_DUE } from '../../ports/queries.ts';
import type { Store } from '../../ports/store.ts';
import { cellsBy } from '../status/holding-cells.ts';
import type { Programs } from '../status/programs.ts';
import { rootsOfStage, type Survey, stageOf } from '../status/survey.ts';

export interface DueKey {
  readonly shard: string;
  readonly key: unknown;
  readonly clock: 'event' | 'processing';
  /** The watermark, or the processing time, at which it has something to do. */
  readonly at: EpochMillis;
}

const CLOCKS = [
  ['event', CELLS_BY_EVENT_DUE],
  ['processing', CELLS_BY_PROCESSING_DUE],
] as const;

/**
 * The keys that are due first.
 * @throws {ConfigurationError} when there is no such stage, or its code is not at hand to read cells
 */
export async function timersOf(
  store: Store,
  survey: Survey,
  stage: string,
  programs: Programs,
  limit: number,
): Promise<DueKey[]> {
  const { kind } = stageOf(survey, stage);
  const program = programs(stage);
  if (program === undefined)
    throw new ConfigurationError(
      `the timers of stage '${stage}' (${kind}) cannot be read: it keeps no cells, or its code is not at hand (name its module with --pipeline)`,
    );
  const due: DueKey[] = [];
  for (const { id: shard } of rootsOfStage(survey, stage))
    for (const [clock, query] of CLOCKS) {
      let found = 0;
      for await (const { id, body } of cellsBy(store, query, shard)) {
        if (found++ >= limit) break;
        const { key, state } = body as CellBody;
        const cell = program.open(keyOf(key), state, new BufferedParts(id, new PartCache(store)));
        const at = clock === 'event' ? cell.eventDue() : cell.processingDue();
        if (at < MAX_TIMESTAMP) due.push({ shard, key: keyOf(key), clock, at });
      }
    }
  return due.sort((a, b) => a.at - b.at).slice(0, limit);
}
