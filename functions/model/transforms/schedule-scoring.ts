/**
 * Scoring after landing: a statement that BigQuery runs by itself again and again, over the partitions of a table that have
 * rows without a score. The cheapest of the three ways to a model: features that are looked up (`lookUp`) cost a read each,
 * a model in the stream (`enrichWithModel`) a request for each batch, this one a query for each run.
 *
 * A row is scored again when its pane is replaced by a newer one, and when `version` changes; so a run that failed, or was
 * made twice, is made good by the next.
 *
 * @example
 * scheduleScoring({
 *   table: 'payments', key: ['payment_id', 'day'], partitionBy: 'day', into: 'payments_scored',
 *   model: 'models.category', version: '2026-03', every: '1 hours',
 *   using: { predict: ['predicted_category'] },
 * });
 */
import { ConfigurationError } from '../errors.ts';

export interface ScoringOptions {
  /** The table to score, as `writeBigQuery` writes it: `table` or `dataset.table`. It must have a key. */
  readonly table: string;
  readonly key: readonly string[];
  /** The TIMESTAMP or DATE column by whose day both tables are partitioned; part of the key. */
  readonly partitionBy: string;
  /** The table of the scores; made by the first run. */
  readonly into: string;
  /** A model of BigQuery ML, or a remote model over Vertex AI or Gemini: `dataset.model`. */
  readonly model: string;
  /** Names the model's version; all that `lookBackDays` reaches is scored anew when it changes. */
  readonly version: string;
  /** `predict`: the columns that ML.PREDICT adds. `prompt`: an expression in SQL over the table's columns, for AI.GENERATE_TEXT. */
  readonly using:
    | { readonly predict: readonly string[] }
    | { readonly prompt: string; readonly maxOutputTokens?: number; readonly temperature?: number };
  /** Days before today that are looked at. Default 2; give more, once, to score the past with a new version. */
  readonly lookBackDays?: number;
  /** When it runs, as BigQuery's data transfer service reads it: `every 1 hours`, `every day 04:00`. Default `every 1 hours`. */
  readonly every?: string;
}

export interface ScheduledStatement {
  /** `scoring of {table}`. */
  readonly name: string;
  readonly schedule: string;
  /** GoogleSQL; may be run at any time, by anybody, any number of times. */
  readonly sql: string;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const TABLE = /^([A-Za-z0-9_-]+\.){0,2}[A-Za-z0-9_-]+$/;
const GUARD = ['pane_epoch', 'pane_sequence'];

/** @throws {ConfigurationError} for names that are none, and a key without the partition's column */
export function scheduleScoring(options: ScoringOptions): ScheduledStatement {
  const { table, key, partitionBy, into, model, version, using, lookBackDays = 2, every = 'every 1 hours' } = options;
  const where = `scheduleScoring of '${table}'`;
  const fail = (problem: string): never => {
    throw new ConfigurationError(`${where}: ${problem}`);
  };
  for (const [field, name] of Object.entries({ table, into, model }))
    if (!TABLE.test(name)) fail(`${field}: expected a name such as dataset.table, got '${name}'`);
  const columns = 'predict' in using ? using.predict : ['result', 'status'];
  for (const name of [...key, partitionBy, ...columns]) if (!NAME.test(name)) fail(`'${name}' is no column name`);
  if (!key.includes(partitionBy)) fail(`partitionBy: '${partitionBy}' is not part of the key ${key.join(', ')}`);
  if (columns.length === 0) fail('using.predict: expected the names of the columns that the model adds');
  if (!/^[A-Za-z0-9._:-]+$/.test(version)) fail(`version: expected letters, digits, dots and dashes, got '${version}'`);
  if (!Number.isSafeInteger(lookBackDays) || lookBackDays < 0)
    fail(`lookBackDays: expected a whole number from 0 and up, got ${lookBackDays}`);
  const kept = [...key, ...GUARD];
  const scored = [...kept, ...columns];
  return { name: `scoring of ${table}`, schedule: every, sql: statement() };

  function statement(): string {
    const day = `DATE(${partitionBy})`;
    const recent = (alias: string): string =>
      `DATE(${alias}.${partitionBy}) >= DATE_SUB(CURRENT_DATE('UTC'), INTERVAL ${lookBackDays} DAY)`;
    const same = (a: string, b: string, names: readonly string[]): string =>
      names.map((name) => `${a}.${name} = ${b}.${name}`).join(' AND ');
    return [
      `CREATE TABLE IF NOT EXISTS \`${into}\` PARTITION BY ${day} AS`,
      `SELECT ${scored.join(', ')}, '' AS model_version, CURRENT_TIMESTAMP() AS scored_at`,
      `FROM ${applied(`SELECT * FROM \`${table}\` WHERE FALSE`)};`,
      '',
      `MERGE \`${into}\` AS scored`,
      'USING (',
      `  SELECT ${scored.join(', ')}`,
      `  FROM ${applied(
        `SELECT rows_.* FROM \`${table}\` AS rows_ WHERE ${recent('rows_')} AND NOT EXISTS (` +
          `SELECT 1 FROM \`${into}\` AS done WHERE ${recent('done')} AND ${same('done', 'rows_', kept)} AND done.model_version = '${version}')`,
      )}`,
      ') AS fresh',
      `ON ${recent('scored')} AND ${same('scored', 'fresh', key)}`,
      `WHEN MATCHED THEN UPDATE SET ${[...GUARD, ...columns].map((name) => `${name} = fresh.${name}`).join(', ')}, model_version = '${version}', scored_at = CURRENT_TIMESTAMP()`,
      `WHEN NOT MATCHED THEN INSERT (${scored.join(', ')}, model_version, scored_at) VALUES (${scored.map((name) => `fresh.${name}`).join(', ')}, '${version}', CURRENT_TIMESTAMP());`,
    ].join('\n');
  }

  function applied(rows: string): string {
    if ('predict' in using) return `ML.PREDICT(MODEL \`${model}\`, (${rows}))`;
    const { prompt, maxOutputTokens = 256, temperature = 0 } = using;
    const asked = `SELECT *, ${prompt} AS prompt FROM (${rows})`;
    return `AI.GENERATE_TEXT(MODEL \`${model}\`, (${asked}), STRUCT(${maxOutputTokens} AS max_output_tokens, ${temperature} AS temperature))`;
  }
}
