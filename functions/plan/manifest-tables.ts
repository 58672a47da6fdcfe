/** The BigQuery tables of a deployed pipeline, in BigQuery's own schema form. */
import { type Column, GUARD_COLUMNS } from '../model/table.ts';
import type { Plan } from './plan.ts';

export interface SchemaField {
  readonly name: string;
  readonly type: string;
  readonly mode: 'REQUIRED' | 'NULLABLE';
}

export interface ManifestTable {
  /** The stage that writes it. */
  readonly stage: string;
  /** As the author wrote it: `table` or `dataset.table`. */
  readonly table: string;
  /** Null = the pipeline's own dataset. */
  readonly dataset: string | null;
  readonly name: string;
  readonly schema: readonly SchemaField[];
  readonly key: readonly string[];
  readonly partitionBy: string | null;
  readonly clusterBy: readonly string[];
  /** The longest time between two flushes, in seconds; a MERGE bills the partitions that it updates. */
  readonly flushSeconds: number;
}

/** The API's names of types that differ from GoogleSQL's. */
const API_TYPES: Readonly<Record<string, string>> = { INT64: 'INTEGER', FLOAT64: 'FLOAT', BOOL: 'BOOLEAN' };

export function manifestTables(plan: Plan): readonly ManifestTable[] {
  return plan.stages.flatMap(({ id, head }) => {
    if (head.kind !== 'writeBigQuery') return [];
    const dot = head.table.indexOf('.');
    const columns = head.key.length > 0 ? [...head.columns, ...GUARD_COLUMNS] : head.columns;
    return [
      {
        stage: id,
        table: head.table,
        dataset: dot < 0 ? null : head.table.slice(0, dot),
        name: head.table.slice(dot + 1),
        schema: columns.map(schemaField),
        key: head.key,
        partitionBy: head.partitionBy ?? null,
        clusterBy: head.clusterBy,
        flushSeconds: head.flush.every / 1_000,
      },
    ];
  });
}

function schemaField({ name, type, nullable }: Column): SchemaField {
  return { name, type: API_TYPES[type] ?? type, mode: nullable ? 'NULLABLE' : 'REQUIRED' };
}
