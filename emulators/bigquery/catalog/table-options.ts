/** OPTIONS(…) of CREATE and ALTER, as far as the catalog keeps them. */
import type { Expression } from '../googlesql/ast/expression.ts';
import type { Options } from '../googlesql/ast/statement.ts';
import { SqlError } from '../googlesql/sql-error.ts';
import { parseTimestamp } from '../values/parse-time.ts';
import type { TableResource } from './table.ts';

type OptionValue = string | number | boolean | null | readonly (readonly [string, string])[];

function value(node: Expression, name: string): OptionValue {
  if (node.kind === 'literal') {
    if (node.type === 'NULL') return null;
    if (node.type === 'BOOL') return node.text === 'true';
    return node.type === 'INT64' || node.type === 'FLOAT64' ? Number(node.text) : node.text;
  }
  if (node.kind === 'array') return node.elements.map((element) => pair(element, name));
  throw new SqlError(`Option ${name} must be a literal`, node.at);
}

function pair(node: Expression, name: string): readonly [string, string] {
  const [key, text] = node.kind === 'struct' ? node.fields.map((field) => field.value) : [];
  if (key?.kind === 'literal' && text?.kind === 'literal') return [key.text, text.text];
  throw new SqlError(`Option ${name} must be an array of pairs of strings`, node.at);
}

/** Options that BigQuery has and that change nothing here. */
const IGNORED: ReadonlySet<string> = new Set([
  'kms_key_name',
  'enable_refresh',
  'refresh_interval_minutes',
  'max_staleness',
  'enable_change_history',
  'default_rounding_mode',
  'location',
  'is_case_insensitive',
  'storage_billing_model',
  'max_time_travel_hours',
  'tags',
  'enable_fine_grained_mutations',
]);

export interface ReadOptions {
  readonly table: Partial<
    Pick<TableResource, 'description' | 'friendlyName' | 'labels' | 'expirationTime' | 'requirePartitionFilter'>
  >;
  readonly partitionExpirationMs?: string;
  readonly defaultTableExpirationMs?: string;
  readonly location?: string;
}

export function readOptions(options: Options): ReadOptions {
  let result: ReadOptions = { table: {} };
  const table = (more: ReadOptions['table']) => {
    result = { ...result, table: { ...result.table, ...more } };
  };
  for (const { name, value: node } of options) {
    const given = value(node, name);
    if (name === 'location' && typeof given === 'string') result = { ...result, location: given };
    else if (given === null || IGNORED.has(name)) continue;
    else if (name === 'description') table({ description: String(given) });
    else if (name === 'friendly_name') table({ friendlyName: String(given) });
    else if (name === 'labels') table({ labels: Object.fromEntries(given as readonly (readonly [string, string])[]) });
    else if (name === 'require_partition_filter') table({ requirePartitionFilter: given === true });
    else if (name === 'expiration_timestamp') table({ expirationTime: String(parseTimestamp(String(given)) / 1000n) });
    else if (name === 'partition_expiration_days')
      result = { ...result, partitionExpirationMs: String(Number(given) * 86_400_000) };
    else if (name === 'default_table_expiration_days')
      result = { ...result, defaultTableExpirationMs: String(Number(given) * 86_400_000) };
    else throw new SqlError(`Unknown option: ${name}`, node.at);
  }
  return result;
}
