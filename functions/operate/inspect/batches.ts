/** What waits to be written to tables or shown to models. */
import { enrichState } from '../../engine/enrich/enrich-state.ts';
import { sinkState } from '../../engine/sink/sink-work.ts';
import { type EpochMillis, MAX_TIMESTAMP } from '../../model/time.ts';
import { rootsOfStage, type Survey } from '../status/survey.ts';

export interface WaitingBatch {
  readonly stage: string;
  readonly shard: string;
  readonly kind: 'table' | 'model';
  /** `waiting`: not begun. `under way`: claimed. `parked`: tried, and waits for another try. */
  readonly state: 'waiting' | 'under way' | 'parked';
  /** Rows, or elements. */
  readonly count: number;
  readonly since: EpochMillis | null;
  /** Of what was claimed, when the claim runs out; of what is parked, when it is tried again. */
  readonly until: EpochMillis | null;
  readonly reason: string | null;
}

export function batchesOf(survey: Survey): WaitingBatch[] {
  return survey.shape.stages.flatMap(({ id, kind }) => {
    if (kind === 'writeBigQuery') return rootsOfStage(survey, id).flatMap((root) => ofTable(id, root));
    return kind === 'enrich' ? rootsOfStage(survey, id).flatMap((root) => ofModel(id, root)) : [];
  });
}

type StoredRoot = Parameters<typeof sinkState>[0] & { readonly id: string };

function ofTable(stage: string, root: StoredRoot): WaitingBatch[] {
  const { claim, rows, since } = sinkState(root);
  const common = { stage, shard: root.id, kind: 'table', reason: null } as const;
  return [
    ...(claim === null
      ? []
      : [
          {
            ...common,
            state: 'under way',
            count: claim.lastRun - claim.firstRun + 1,
            since: null,
            until: claim.lease,
          } as const,
        ]),
    ...(rows === 0 ? [] : [{ ...common, state: 'waiting', count: rows, since: known(since), until: null } as const]),
  ];
}

function ofModel(stage: string, root: StoredRoot): WaitingBatch[] {
  const { batches, waiting } = enrichState(root);
  const common = { stage, shard: root.id, kind: 'model' } as const;
  const count = waiting.reduce((sum, run) => sum + run.count, 0);
  return [
    ...batches.map(
      ({ count, claim, due, reason, since }): WaitingBatch => ({
        ...common,
        state: claim === undefined ? 'parked' : 'under way',
        count,
        since,
        until: claim?.lease ?? due,
        reason: reason ?? null,
      }),
    ),
    ...(count === 0
      ? []
      : [{ ...common, state: 'waiting', count, since: waiting[0]!.since, until: null, reason: null } as const]),
  ];
}

function known(at: EpochMillis): EpochMillis | null {
  return at >= MAX_TIMESTAMP ? null : at;
}
