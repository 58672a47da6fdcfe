/** PARTITION BY, from its expression to the form the API has. */
import type { Call, Expression } from '../googlesql/ast/expression.ts';
import { SqlError } from '../googlesql/sql-error.ts';
import { ApiError, invalid } from '../api-error.ts';
import type { RangePartitioning, TableField, TableResource, TimePartitioning } from './table.ts';

type Partitioning = Pick<TableResource, 'timePartitioning' | 'rangePartitioning'>;

const TYPES = ['HOUR', 'DAY', 'MONTH', 'YEAR'] as const;
const INGESTION = /^_PARTITION(TIME|DATE)$/i;

function refuse(at: number): SqlError {
  return new SqlError(
    'PARTITION BY expression must be DATE(<timestamp_column>), DATE(<datetime_column>), DATETIME_TRUNC(…), TIMESTAMP_TRUNC(…), DATE_TRUNC(…), a DATE column, _PARTITIONDATE, or RANGE_BUCKET(<int64_column>, GENERATE_ARRAY(…))',
    at,
  );
}

function columnName(node: Expression | undefined, at: number): string {
  if (node?.kind === 'path' && node.names.length === 1) return node.names[0] ?? '';
  throw refuse(at);
}

function time(column: string, type: TimePartitioning['type']): Partitioning {
  return { timePartitioning: INGESTION.test(column) ? { type } : { type, field: column } };
}

function integerText(node: Expression | undefined, at: number): string {
  if (node?.kind === 'literal' && node.type === 'INT64') return node.text;
  throw refuse(at);
}

function rangeBucket(node: Call): Partitioning {
  const [column, array] = node.args;
  if (array?.kind !== 'call' || array.name !== 'GENERATE_ARRAY') throw refuse(node.at);
  const [start, end, interval] = array.args;
  const range = {
    start: integerText(start, node.at),
    end: integerText(end, node.at),
    interval: interval ? integerText(interval, node.at) : '1',
  };
  return { rangePartitioning: { field: columnName(column, node.at), range } };
}

export function partitioningOf(node: Expression): Partitioning {
  if (node.kind === 'path') return time(columnName(node, node.at), 'DAY');
  if (node.kind !== 'call') throw refuse(node.at);
  if (node.name === 'RANGE_BUCKET') return rangeBucket(node);
  if (node.name === 'DATE') return time(columnName(node.args[0], node.at), 'DAY');
  if (!/^(DATE|DATETIME|TIMESTAMP)_TRUNC$/.test(node.name)) throw refuse(node.at);
  const part = columnName(node.args[1], node.at).toUpperCase();
  const type = TYPES.find((candidate) => candidate === part);
  if (!type) throw refuse(node.at);
  return time(columnName(node.args[0], node.at), type);
}

const TIME_TYPES: ReadonlySet<string> = new Set(['DATE', 'DATETIME', 'TIMESTAMP']);

/** @throws {ApiError} when the table's columns do not allow the partitioning or clustering. */
export function checkPartitioning(
  { timePartitioning, rangePartitioning }: Partitioning,
  clustering: readonly string[] | undefined,
  fields: readonly TableField[],
): void {
  const find = (name: string, what: string) => {
    const field = fields.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
    if (!field) throw invalid(`The field specified for ${what} cannot be found in the schema: ${name}`);
    return field;
  };
  if (timePartitioning?.field !== undefined) {
    const field = find(timePartitioning.field, 'partitioning');
    if (!TIME_TYPES.has(field.type.kind) || field.mode === 'REPEATED')
      throw invalid(
        `The field specified for time partitioning must be of type DATE, DATETIME or TIMESTAMP: ${field.name} is ${field.type.kind}`,
      );
    if (timePartitioning.type === 'HOUR' && field.type.kind === 'DATE')
      throw invalid(`Partitioning by HOUR is not possible on the DATE field ${field.name}`);
  }
  if (rangePartitioning && find(rangePartitioning.field, 'partitioning').type.kind !== 'INT64')
    throw invalid(`The field specified for range partitioning must be of type INTEGER: ${rangePartitioning.field}`);
  if (clustering && clustering.length > 4) throw invalid('The number of clustering columns is limited to 4');
  for (const name of clustering ?? []) find(name, 'clustering');
}

/** Reads `timePartitioning` of the API. */
export function timePartitioningFromWire(value: unknown): TimePartitioning | undefined {
  if (value === undefined || value === null) return undefined;
  const source = value as Record<string, unknown>;
  const type = TYPES.find((candidate) => candidate === String(source['type'] ?? 'DAY').toUpperCase());
  if (!type) throw invalid(`Invalid time partitioning type: ${String(source['type'])}`);
  const { field, expirationMs } = source;
  return {
    type,
    ...(typeof field === 'string' && field !== '' && { field }),
    ...(expirationMs !== undefined && expirationMs !== null && { expirationMs: String(expirationMs) }),
  };
}

/** Reads `rangePartitioning` of the API. */
export function rangePartitioningFromWire(value: unknown): RangePartitioning | undefined {
  if (value === undefined || value === null) return undefined;
  const { field, range } = value as { field?: unknown; range?: Record<string, unknown> };
  const bounds = ['start', 'end', 'interval'].map((key) => String(range?.[key] ?? ''));
  if (typeof field !== 'string' || bounds.some((bound) => !/^-?\d+$/.test(bound)))
    throw new ApiError(
      'invalid',
      'Invalid range partitioning: field, range.start, range.end and range.interval are required',
    );
  const [start = '', end = '', interval = ''] = bounds;
  return { field, range: { start, end, interval } };
}
