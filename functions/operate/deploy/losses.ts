/** What a destroy would take away for good, in sentences: from the manifest, with figures where the pipeline can be asked. */
import type { Manifest } from '../../plan/manifest.ts';
import type { PipelineStatus } from '../status/status.ts';

export interface Losses {
  /** Gone whatever is kept. */
  readonly always: readonly string[];
  /** Gone only with the data. */
  readonly withData: readonly string[];
}

/** Messages that wait in the subscription of each source; null where nobody could be asked. */
export type SourceBacklogs = ReadonlyMap<string, number | null>;

/** @param status absent when the pipeline could not be asked */
export function lossesOf(manifest: Manifest, status: PipelineStatus | undefined, backlogs: SourceBacklogs): Losses {
  const { sources, functions, tables, dataset, firestore, topics } = manifest;
  const outside = topics.filter(({ kind }) => kind === 'source' || kind === 'sink').map(({ name }) => name);
  return {
    always: [
      `${functions.length} functions, the sweep, alerts, dashboard and accounts`,
      ...sources.map(({ id, topic }) => {
        const waiting = backlogs.get(id);
        const count = waiting === undefined || waiting === null ? 'all messages' : `${waiting} messages`;
        return `${count} of topic ${topic} that source ${id} has not taken yet`;
      }),
      'messages that Pub/Sub gave up and that are no dead letters yet',
    ],
    withData: [
      `Firestore database ${firestore.database}: ${status === undefined ? 'everything the pipeline remembers' : remembered(status)}`,
      ...tables.map((table) => `table ${table.dataset ?? dataset}.${table.name} with all its rows`),
      ...outside.map((topic) => `topic ${topic}, with what others have not read from it`),
      `announcements of dead letters (topic ${topics.find(({ kind }) => kind === 'deadLetters')!.name})`,
    ],
  };
}

function remembered({ stages, deadLetters, lateRecords }: PipelineStatus): string {
  const sum = (of: (stage: PipelineStatus['stages'][number]) => number): number =>
    stages.reduce((total, stage) => total + of(stage), 0);
  const cells = sum(({ cells: count }) => count);
  const envelopes = sum(({ backlog }) => backlog.envelopes);
  const rows = sum(({ rows: waiting }) => waiting?.waiting ?? 0);
  const parked = sum(({ parked: count }) => count);
  return `${cells} keys with open windows, state or timers, ${envelopes} envelopes on their way, ${rows} rows not yet in a table, ${parked} parked elements, ${deadLetters} dead letters, ${lateRecords} late records`;
}

/**
 * Whether nothing is on its way that a drain would bring to its end. What a source holds that was drained, none does any more:
 * it waits for what is deployed next.
 */
export function isDrained({ stages, drainingSince }: PipelineStatus, backlogs: SourceBacklogs): boolean {
  const quiet = stages.every(
    ({ cells, backlog, parked, rows }) => cells + backlog.envelopes + parked + (rows?.waiting ?? 0) === 0,
  );
  return quiet && (drainingSince !== null || [...backlogs.values()].every((waiting) => waiting === 0));
}
