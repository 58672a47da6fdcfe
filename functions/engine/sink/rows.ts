/**
 * Rows on their way to a table. Invariant: a row's place in its table is its key's text; of two rows of one place the one
 * with the newer (epoch, sequence) stays, whatever order they come in.
 */
import { DecodeError } from '../../model/errors.ts';
import type { WriteBigQueryNode } from '../../model/graph.ts';
import { columnJson, GUARD_COLUMNS } from '../../model/table.ts';
import type { Row, TableSpec } from '../../ports/warehouse.ts';

/** What a row keeps that an operator has replayed: the replay's id, and the epoch in which its pane was made. */
export interface ReplayedRow {
  readonly id: string;
  readonly epoch: number;
}

/** A row as it waits in a run: the sequence of its pane, its columns in JSON form in the table's order. */
export type WaitingRow = readonly [sequence: number, values: readonly unknown[], replay?: ReplayedRow];

/** Reads an author's row: every column checked, in the table's order. @throws {DecodeError} naming the column and the value */
export function rowValues(node: WriteBigQueryNode, row: Readonly<Record<string, unknown>>): unknown[] {
  const { columns, table } = node;
  if (typeof row !== 'object' || row === null)
    throw new DecodeError(`table '${table}': expected a row as an object, got ${describe(row)}`);
  const values: unknown[] = [];
  let known = 0;
  for (const column of columns) {
    const given = row[column.name];
    if (given !== undefined) known += 1;
    const value = columnJson(column, given);
    if (value === undefined)
      throw new DecodeError(
        `table '${table}', column '${column.name}': ${describe(given)} is no ${column.type}${column.nullable ? ' or NULL' : ''}`,
      );
    values.push(value);
  }
  let given = 0;
  for (const _ in row) given += 1;
  if (given > known) refuseUnknown(node, row);
  return values;
}

function refuseUnknown({ columns, table }: WriteBigQueryNode, row: Readonly<Record<string, unknown>>): void {
  const names = columns.map(({ name }) => name);
  const unknown = Object.keys(row).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new DecodeError(`table '${table}' has no column '${unknown}'; its columns are ${names.join(', ')}`);
}

/** Where the columns of a table's key stand among its columns. */
export function keyColumns({ key, columns }: WriteBigQueryNode): number[] {
  return key.map((name) => columns.findIndex((column) => column.name === name));
}

/** A row's place in its table: the text of its key. Of a text its length says where it ends. */
function placeOf(keyColumns: readonly number[], values: readonly unknown[]): string {
  let place = '';
  for (const column of keyColumns) {
    const value = values[column];
    place += typeof value === 'string' ? `${value.length}:${value}` : `${JSON.stringify(value)};`;
  }
  return place;
}

/** The table as the warehouse sees it. */
export function tableSpec(node: WriteBigQueryNode): TableSpec {
  return {
    table: node.table,
    columns: node.key.length === 0 ? node.columns : [...node.columns, ...GUARD_COLUMNS],
    key: node.key,
    clusterBy: node.clusterBy,
    ...(node.partitionBy === undefined ? {} : { partitionBy: node.partitionBy }),
  };
}

/**
 * Of each place the newest row, in order of first appearance.
 * @param keyColumns where the key's columns stand
 */
export function newestRows<Placed extends { readonly row: WaitingRow }>(
  rows: readonly Placed[],
  keyColumns: readonly number[],
): Placed[] {
  const newest = new Map<string, Placed>();
  for (const placed of rows) {
    const place = placeOf(keyColumns, placed.row[1]);
    const other = newest.get(place);
    if (other === undefined || isNewer(placed.row, other.row)) newest.set(place, placed);
  }
  return [...newest.values()];
}

/** The row by column name, with the guard's columns where the table has them. */
export function warehouseRow(node: WriteBigQueryNode, [sequence, values, replay]: WaitingRow, epoch: number): Row {
  const row: Record<string, unknown> = {};
  for (let i = 0; i < node.columns.length; i++) row[node.columns[i]!.name] = values[i];
  if (node.key.length > 0) {
    row['pane_epoch'] = replay?.epoch ?? epoch;
    row['pane_sequence'] = sequence;
  }
  return row;
}

/** A replayed row is of an epoch that is not after the present one. */
function isNewer(row: WaitingRow, other: WaitingRow): boolean {
  const epoch = row[2]?.epoch ?? Number.POSITIVE_INFINITY;
  const otherEpoch = other[2]?.epoch ?? Number.POSITIVE_INFINITY;
  return epoch === otherEpoch ? row[0] >= other[0] : epoch > otherEpoch;
}

function describe(value: unknown): string {
  // JSON has no word for NaN and the infinities.
  if (value === undefined || typeof value === 'number') return String(value);
  return typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value)?.slice(0, 200) ?? typeof value);
}
