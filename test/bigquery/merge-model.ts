/**
 * MERGE as BigQuery's documentation tells it, on plain rows: an independent model for the server to be held against.
 * A NULL key matches nothing; the state at the start decides; the first clause whose condition holds acts; a target row
 * that two source rows would change fails the whole statement; source rows without a match are inserted, each of them.
 */
export interface Row {
  readonly id: string | null;
  readonly v: number | null;
  readonly seq: number;
}

export interface SourceRow extends Row {
  readonly gone: boolean;
}

/** Which clauses the statement has. Their order among the MATCHED ones is: delete, then update. */
export interface Clauses {
  readonly deleteGone: boolean;
  readonly updateNewer: boolean;
  readonly insert: boolean;
  readonly insertOnlyPositive: boolean;
  readonly bySource: 'nothing' | 'delete large' | 'reset';
}

export type Outcome =
  | { readonly error: true }
  | { readonly rows: readonly Row[]; readonly inserted: number; readonly updated: number; readonly deleted: number };

/** The threshold of `delete large`. */
export const LARGE = 50;

export function mergeModel(target: readonly Row[], source: readonly SourceRow[], clauses: Clauses): Outcome {
  const result: Row[] = [];
  let updated = 0;
  let deleted = 0;
  for (const row of target) {
    const matches = source.filter((candidate) => candidate.id !== null && candidate.id === row.id);
    const actions = matches.flatMap(
      (match): readonly { readonly kind: 'delete' | 'update'; readonly match: SourceRow }[] => {
        if (clauses.deleteGone && match.gone) return [{ kind: 'delete', match }];
        if (clauses.updateNewer && match.seq > row.seq) return [{ kind: 'update', match }];
        return [];
      },
    );
    if (actions.length > 1) return { error: true };
    const [action] = actions;
    if (action?.kind === 'delete') {
      deleted++;
    } else if (action?.kind === 'update') {
      updated++;
      result.push({ id: row.id, v: action.match.v, seq: action.match.seq });
    } else if (matches.length === 0 && clauses.bySource === 'delete large' && row.v !== null && row.v > LARGE) {
      deleted++;
    } else if (matches.length === 0 && clauses.bySource === 'reset') {
      updated++;
      result.push({ ...row, v: 0 });
    } else {
      result.push(row);
    }
  }
  const unmatched = source.filter((candidate) => !target.some((row) => row.id !== null && row.id === candidate.id));
  const inserted = clauses.insert
    ? unmatched.filter((row) => !clauses.insertOnlyPositive || (row.v !== null && row.v > 0))
    : [];
  for (const { id, v, seq } of inserted) result.push({ id, v, seq });
  return { rows: result, inserted: inserted.length, updated, deleted };
}

/** The statement that has these clauses. */
export function mergeSql(clauses: Clauses): string {
  const parts = [
    "MERGE d.t T USING (SELECT JSON_VALUE(r, '$.id') AS id, CAST(JSON_VALUE(r, '$.v') AS INT64) AS v, CAST(JSON_VALUE(r, '$.seq') AS INT64) AS seq, JSON_VALUE(r, '$.gone') = 'true' AS gone FROM UNNEST(JSON_QUERY_ARRAY(@rows)) AS r) S ON T.id = S.id",
  ];
  if (clauses.deleteGone) parts.push('WHEN MATCHED AND S.gone THEN DELETE');
  if (clauses.updateNewer) parts.push('WHEN MATCHED AND S.seq > T.seq THEN UPDATE SET v = S.v, seq = S.seq');
  if (clauses.insert)
    parts.push(
      `WHEN NOT MATCHED BY TARGET${clauses.insertOnlyPositive ? ' AND S.v > 0' : ''} THEN INSERT (id, v, seq) VALUES (S.id, S.v, S.seq)`,
    );
  if (clauses.bySource === 'delete large') parts.push(`WHEN NOT MATCHED BY SOURCE AND T.v > ${LARGE} THEN DELETE`);
  if (clauses.bySource === 'reset') parts.push('WHEN NOT MATCHED BY SOURCE THEN UPDATE SET v = 0');
  return parts.join(' ');
}
