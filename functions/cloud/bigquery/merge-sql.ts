/**
 * The statements that write a table. Invariant: names come from a checked table spec and are quoted; every value is in one
 * JSON text parameter and is unpacked in SQL, so nothing of a row is ever part of a statement.
 */
import type { Column } from '../../model/table.ts';
import type { Row, TableSpec } from '../../ports/warehouse.ts';

/** `project.dataset.table` in backquotes. The parts are checked where the spec is made; a backquote cannot be in them. */
export function quotedTable(projectId: string, dataset: string, table: string): string {
  return `\`${projectId}.${dataset}.${table}\``;
}

/** Rows as one text: a JSON array of arrays, in the order of the table's columns. */
export function rowsText(spec: TableSpec, rows: readonly Row[]): string {
  return JSON.stringify(rows.map((row) => spec.columns.map((column) => row[column.name] ?? null)));
}

/**
 * Keyed rows: of a key, the newest (`pane_epoch`, `pane_sequence`) stays. Parameters: `rows`, and where the table is
 * partitioned `low` and `high`, which must span the rows' own partition column, or a row outside would be inserted twice.
 */
export function mergeSql(target: string, spec: TableSpec): string {
  const names = spec.columns.map(({ name }) => quoted(name));
  const on = spec.key.map((key) => `T.${quoted(key)} = S.${quoted(key)}`);
  if (spec.partitionBy !== undefined) on.push(`T.${quoted(spec.partitionBy)} BETWEEN @low AND @high`);
  const others = names.filter((name) => !spec.key.some((key) => quoted(key) === name));
  return [
    `MERGE ${target} T`,
    `USING (${sourceSql(spec)}) S`,
    `ON ${on.join(' AND ')}`,
    'WHEN MATCHED AND (S.pane_epoch > T.pane_epoch OR (S.pane_epoch = T.pane_epoch AND S.pane_sequence > T.pane_sequence))',
    `THEN UPDATE SET ${others.map((name) => `${name} = S.${name}`).join(', ')}`,
    `WHEN NOT MATCHED THEN INSERT (${names.join(', ')}) VALUES (${names.map((name) => `S.${name}`).join(', ')})`,
  ].join('\n');
}

/** Plain rows: appended. Parameter: `rows`. */
export function insertSql(target: string, spec: TableSpec): string {
  const names = spec.columns.map(({ name }) => quoted(name));
  return `INSERT INTO ${target} (${names.join(', ')})\n${sourceSql(spec)}`;
}

function sourceSql({ columns }: TableSpec): string {
  const fields = columns.map((column, i) => `${unpacked(column, `'$[${i}]'`)} AS ${quoted(column.name)}`);
  return `SELECT ${fields.join(', ')} FROM UNNEST(JSON_QUERY_ARRAY(@rows)) AS r`;
}

/** A column's value from its place in a row's JSON text. JSON's null becomes NULL. */
function unpacked({ type }: Column, path: string): string {
  const text = `JSON_VALUE(r, ${path})`;
  switch (type) {
    case 'STRING':
      return text;
    case 'JSON':
      return `PARSE_JSON(NULLIF(JSON_QUERY(r, ${path}), 'null'))`;
    case 'BYTES':
      return `FROM_BASE64(${text})`;
    default:
      return `CAST(${text} AS ${type})`;
  }
}

function quoted(name: string): string {
  return `\`${name}\``;
}

/** The smallest and largest value of the partition's column among rows, as texts that compare as their values do. */
export function partitionBounds(spec: TableSpec, rows: readonly Row[]): { low: string; high: string } | undefined {
  if (spec.partitionBy === undefined || rows.length === 0) return undefined;
  let low: string | undefined;
  let high: string | undefined;
  for (const row of rows) {
    const value = String(row[spec.partitionBy]);
    if (low === undefined || isBefore(value, low)) low = value;
    if (high === undefined || isBefore(high, value)) high = value;
  }
  return { low: low!, high: high! };
}

/** Dates compare as texts; instants by their milliseconds, then as texts for what is finer. */
function isBefore(a: string, b: string): boolean {
  const [first, second] = [Date.parse(a), Date.parse(b)];
  return first === second || Number.isNaN(first) || Number.isNaN(second) ? a < b : first < second;
}
