/**
 * Tables: what an output table looks like, with the type of its rows derived from its columns.
 */
import { isCivil } from './civil-time.ts';
import { ConfigurationError } from './errors.ts';
import type { Instant } from './instant.ts';
import { instant } from './instant.ts';

/** BigQuery's column types that a table of Millrace may have. */
export const COLUMN_TYPES = [
  'STRING',
  'INT64',
  'FLOAT64',
  'NUMERIC',
  'BIGNUMERIC',
  'BOOL',
  'TIMESTAMP',
  'DATE',
  'DATETIME',
  'TIME',
  'JSON',
  'BYTES',
] as const;
export type ColumnType = (typeof COLUMN_TYPES)[number];

/** A column's type; `NULL` behind it admits nulls. */
export type ColumnDeclaration = ColumnType | `${ColumnType} NULL`;
export type Columns = Readonly<Record<string, ColumnDeclaration>>;

interface ColumnValues {
  STRING: string;
  INT64: number | bigint;
  FLOAT64: number;
  /** Exact decimals as text; a number is written as JavaScript prints it. */
  NUMERIC: string | number | bigint;
  BIGNUMERIC: string | number | bigint;
  BOOL: boolean;
  TIMESTAMP: Instant;
  /** `YYYY-MM-DD` */
  DATE: string;
  /** `YYYY-MM-DDTHH:MM:SS`, with up to six digits of a second; no zone. */
  DATETIME: string;
  /** `HH:MM:SS`, with up to six digits of a second. */
  TIME: string;
  JSON: unknown;
  BYTES: Uint8Array;
}

type ValueOf<D> = D extends ColumnType
  ? ColumnValues[D]
  : D extends `${infer T extends ColumnType} NULL`
    ? ColumnValues[T] | null
    : never;

/** The row that a table's columns ask for. */
export type RowOf<C extends Columns> = { readonly [Name in keyof C]: ValueOf<C[Name]> };

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable: boolean;
}

/** The columns that Millrace adds to every keyed table: the guard that keeps an older pane from replacing a newer one. */
export const GUARD_COLUMNS: readonly Column[] = [
  { name: 'pane_epoch', type: 'INT64', nullable: false },
  { name: 'pane_sequence', type: 'INT64', nullable: false },
];

/** https://cloud.google.com/bigquery/docs/schemas#column_names */
const RESERVED = /^(_TABLE_|_FILE_|_PARTITION|_ROW_TIMESTAMP|__ROOT__|_COLIDENTIFIER)/i;
const COLUMN_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/** Reads declared columns. @throws {ConfigurationError} naming the table, the column and what is wrong */
export function readColumns(table: string, columns: Columns): readonly Column[] {
  if (typeof columns !== 'object' || columns === null || Object.keys(columns).length === 0)
    throw new ConfigurationError(`table '${table}': expected columns, such as { id: 'STRING', cents: 'INT64' }`);
  const names = new Map<string, string>();
  return Object.entries(columns).map(([name, declaration]) => {
    const other = names.get(name.toLowerCase());
    if (other !== undefined)
      throw new ConfigurationError(`table '${table}': '${other}' and '${name}' are one column to BigQuery`);
    names.set(name.toLowerCase(), name);
    if (RESERVED.test(name))
      throw new ConfigurationError(
        `table '${table}': column '${name}' begins as BigQuery's own columns do; choose another name`,
      );
    if (!COLUMN_NAME.test(name))
      throw new ConfigurationError(
        `table '${table}': '${name}' is no column name: letters, digits and underscores, at most 128`,
      );
    if (GUARD_COLUMNS.some((guard) => guard.name === name.toLowerCase()))
      throw new ConfigurationError(`table '${table}': column '${name}' is added by Millrace itself; leave it out`);
    const nullable = String(declaration).endsWith(' NULL');
    const type = (nullable ? declaration.slice(0, -' NULL'.length) : declaration) as ColumnType;
    if (!COLUMN_TYPES.includes(type))
      throw new ConfigurationError(
        `table '${table}': column '${name}' has type '${declaration}'; expected one of ${COLUMN_TYPES.join(', ')}, with ' NULL' behind it where nulls are admitted`,
      );
    return { name, type, nullable };
  });
}

/**
 * The JSON form of a column's value, in which rows travel and are stored.
 * @returns undefined when the value does not fit the column
 */
export function columnJson(column: Column, value: unknown): unknown {
  if (value === null || value === undefined) return column.nullable ? null : undefined;
  switch (column.type) {
    case 'STRING':
      return typeof value === 'string' ? value : undefined;
    case 'INT64':
      return integer(value);
    case 'FLOAT64':
      return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
    case 'NUMERIC':
    case 'BIGNUMERIC':
      return decimal(value);
    case 'BOOL':
      return typeof value === 'boolean' ? value : undefined;
    case 'TIMESTAMP':
      return timestamp(value as Instant);
    case 'DATE':
    case 'DATETIME':
    case 'TIME':
      return typeof value === 'string' && isCivil(column.type, value) ? value : undefined;
    case 'JSON':
      return value;
    case 'BYTES':
      return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : undefined;
  }
}

function integer(value: unknown): number | string | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined;
  if (typeof value !== 'bigint' || BigInt.asIntN(64, value) !== value) return undefined;
  return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER)
    ? Number(value)
    : value.toString();
}

const DECIMAL = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

function decimal(value: unknown): string | undefined {
  const text =
    typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'bigint' ? String(value) : '';
  return DECIMAL.test(text) ? text : undefined;
}

const MICROSECONDS = /\.(\d{4,6})/;

/** One text for each instant, since it may be part of a key. Text keeps its microseconds; others have milliseconds. */
function timestamp(value: Instant): string | undefined {
  const at = instant(value);
  if (at === undefined) return undefined;
  const fraction = typeof value === 'string' ? MICROSECONDS.exec(value)?.[1] : undefined;
  return fraction === undefined ? isoText(at) : `${isoText(at).slice(0, -4)}${fraction.padEnd(6, '0')}Z`;
}

/** Bounds of windows come again and again; their texts are kept. */
const texts = new Map<number, string>();
const MAX_TEXTS = 5_000;

function isoText(at: number): string {
  let text = texts.get(at);
  if (text === undefined) {
    if (texts.size >= MAX_TEXTS) texts.clear();
    text = new Date(at).toISOString();
    texts.set(at, text);
  }
  return text;
}
