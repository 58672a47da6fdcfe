/**
 * Where results go: tables and topics. What an author writes, checked and with its defaults filled in.
 */
import { optionalFunction, plainFunction } from './author-function.ts';
import type { ElementContext } from './dofn.ts';
import { ConfigurationError, PoisonError, textOf } from './errors.ts';
import type { Ref, WriteBigQueryNode, WritePubSubNode } from './graph.ts';
import { checkOptions, type OptionNames } from './options.ts';
import { type Column, type Columns, type ColumnType, readColumns, type RowOf } from './table.ts';
import { type Duration, millis } from './time.ts';

export interface BigQueryOptions<T, C extends Columns> {
  /** `table` in the pipeline's dataset, or `dataset.table`. Default: the transform's name with underscores. */
  readonly table?: string;
  readonly columns: C;
  /** The columns that identify a row. Empty: rows are appended, each once. */
  readonly key: readonly (keyof C & string)[];
  /** The TIMESTAMP or DATE column by whose day the table is partitioned. */
  readonly partitionBy?: keyof C & string;
  /** At most four columns. Default: the key's columns that are not the partition's, as far as BigQuery clusters by their types. */
  readonly clusterBy?: readonly (keyof C & string)[];
  readonly row: (value: T, context: ElementContext) => RowOf<C>;
  /** A flush starts at so many rows (default 20,000), so many bytes (default 4 MiB) or so long after the first row (default one minute). */
  readonly flush?: { readonly rows?: number; readonly bytes?: number; readonly every?: Duration };
}

export interface PubSubSinkOptions<T> {
  /** The topic's short name. Default: the transform's name. */
  readonly topic?: string;
  /** The payload; an object is written as JSON. Default: the element itself. */
  readonly data?: (value: T, context: ElementContext) => unknown;
  readonly attributes?: (value: T, context: ElementContext) => Readonly<Record<string, string>>;
  /** The stable id by which readers recognise a message that is published again. Default: made from its place in the pipeline. */
  readonly id?: (value: T, context: ElementContext) => string;
}

const BIGQUERY_OPTIONS: OptionNames<BigQueryOptions<unknown, Columns>> = {
  table: true,
  columns: true,
  key: true,
  partitionBy: true,
  clusterBy: true,
  row: true,
  flush: true,
};

/** What BigQuery cannot tell to be equal, and so cannot be part of a key. */
const NO_KEY: readonly string[] = ['JSON'];
const CLUSTERABLE: readonly string[] = [
  'STRING',
  'INT64',
  'NUMERIC',
  'BIGNUMERIC',
  'BOOL',
  'TIMESTAMP',
  'DATE',
  'DATETIME',
] satisfies ColumnType[];

const TABLE = /^([A-Za-z0-9_]{1,1024}\.)?[A-Za-z0-9_-]{1,1024}$/;
const MAX_CLUSTER_COLUMNS = 4;

export function bigQueryNode<T, C extends Columns>(
  name: string,
  input: Ref,
  options: BigQueryOptions<T, C>,
): WriteBigQueryNode {
  const where = `writeBigQuery '${name}'`;
  checkOptions<BigQueryOptions<T, C>>(where, options, BIGQUERY_OPTIONS);
  checkOptions(`${where} flush`, options.flush ?? {}, { rows: true, bytes: true, every: true });
  const table = options.table ?? name.replaceAll('-', '_');
  const fail = (problem: string): never => {
    throw new ConfigurationError(`${where}: ${problem}`);
  };
  if (!TABLE.test(table)) fail(`'${table}' is no table name; expected 'table' or 'dataset.table'`);
  const columns = readColumns(table, options.columns);
  const column = (field: string, wanted: string): Column =>
    columns.find((candidate) => candidate.name === wanted) ??
    fail(`${field} names '${wanted}', which is not among the columns ${columns.map((each) => each.name).join(', ')}`);
  if (!Array.isArray(options.key))
    fail(`key: expected a list of columns, such as ['id'], or [] where rows are appended; got ${textOf(options.key)}`);
  for (const [i, key] of options.key.entries()) {
    const { nullable, type } = column('key', key);
    if (nullable) fail(`key column '${key}' admits NULL, which never matches in a MERGE; declare it without NULL`);
    if (NO_KEY.includes(type)) fail(`key column '${key}' is of type ${type}, which BigQuery cannot compare`);
    if (options.key.indexOf(key) < i) fail(`key names '${key}' twice`);
  }
  const partition = options.partitionBy === undefined ? undefined : column('partitionBy', options.partitionBy);
  if (partition !== undefined && partition.type !== 'TIMESTAMP' && partition.type !== 'DATE')
    fail(`partitionBy names '${partition.name}' of type ${partition.type}; expected TIMESTAMP or DATE`);
  if (partition !== undefined && options.key.length > 0 && !options.key.includes(partition.name))
    fail(
      `partitionBy names '${partition.name}', which is not part of the key; a row could then stand in two partitions`,
    );
  const clusterBy: readonly string[] =
    options.clusterBy ??
    options.key
      .filter((key) => key !== partition?.name && CLUSTERABLE.includes(column('key', key).type))
      .slice(0, MAX_CLUSTER_COLUMNS);
  for (const each of clusterBy)
    if (!CLUSTERABLE.includes(column('clusterBy', each).type))
      fail(`clusterBy names '${each}', by whose type BigQuery cannot cluster; it can by ${CLUSTERABLE.join(', ')}`);
  if (clusterBy.length > MAX_CLUSTER_COLUMNS)
    fail(`clusterBy names ${clusterBy.length} columns; at most ${MAX_CLUSTER_COLUMNS} are possible`);
  return {
    kind: 'writeBigQuery',
    name,
    inputs: [input],
    table,
    columns,
    key: options.key,
    partitionBy: partition?.name,
    clusterBy,
    row: plainFunction(`${where} row`, options.row) as WriteBigQueryNode['row'],
    flush: {
      rows: atLeastOne(name, 'flush.rows', options.flush?.rows ?? 20_000),
      bytes: atLeastOne(name, 'flush.bytes', options.flush?.bytes ?? 4 * 1024 * 1024),
      every: millis(`${where} flush.every`, options.flush?.every ?? '1m', 1),
    },
  };
}

export function pubSubSinkNode<T>(name: string, input: Ref, options: PubSubSinkOptions<T>): WritePubSubNode {
  const where = `writePubSub '${name}'`;
  checkOptions<PubSubSinkOptions<T>>(where, options, { topic: true, data: true, attributes: true, id: true });
  const data = optionalFunction(`${where} data`, options.data);
  const attributes = optionalFunction(`${where} attributes`, options.attributes);
  const id = optionalFunction(`${where} id`, options.id);
  return {
    kind: 'writePubSub',
    name,
    inputs: [input],
    topic: options.topic ?? name,
    message: (value, context) => ({
      data: data === undefined ? value : data(value as T, context),
      attributes: {
        ...texts(`${where} attributes`, attributes?.(value as T, context)),
        ...texts(where, id === undefined ? {} : { id: id(value as T, context) }),
      },
    }),
  };
}

/** Attributes are texts; anything else Pub/Sub would refuse, with all that is published beside it. */
function texts(where: string, attributes: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  for (const name in attributes)
    if (typeof attributes[name] !== 'string')
      throw new PoisonError(`${where}: expected a text for '${name}', got ${textOf(attributes[name]).slice(0, 200)}`);
  return attributes;
}

function atLeastOne(name: string, field: string, value: number): number {
  if (!Number.isSafeInteger(value) || value < 1)
    throw new ConfigurationError(
      `writeBigQuery '${name}': ${field}: expected a whole number of 1 or more, got ${value}`,
    );
  return value;
}
