/** The list of queries and results, held against the reference evaluator itself. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TOPICS } from '../bigquery/queries/topics.ts';
import { type Evaluated, GoogleSql } from './googlesql.ts';

/** What BigQuery does and the evaluator does not: the words with which it says so. */
const NOT_EVALUATED = /\b(unsupported|not supported|does not support|function not found)\b/i;

let googlesql: GoogleSql;
beforeAll(async () => {
  googlesql = await GoogleSql.start();
});
afterAll(() => googlesql.stop());

for (const [topic, cases] of Object.entries(TOPICS)) {
  describe(`${topic}: the pairs are what the evaluator gives`, () => {
    test.each(cases.map((one) => [one.sql, one] as const))('%s', async (sql, one) => {
      try {
        const { types, rows } = asTable(await googlesql.evaluate(sql));
        expect({ types, rows }).toEqual('fails' in one ? 'a refusal' : { types: one.types, rows: one.rows });
      } catch (error) {
        const reason = (error as { details?: string }).details;
        if (reason === undefined) throw error;
        if (!('fails' in one)) expect(reason).toMatch(NOT_EVALUATED);
      }
    });
  });
}

/** The evaluator gives `SELECT AS STRUCT` as one nameless value a row; BigQuery shows its fields as columns. */
function asTable({ names, types, rows }: Evaluated): Pick<Evaluated, 'types' | 'rows'> {
  const fields = /^STRUCT<(\w+ \w+(?:, \w+ \w+)*)>$/.exec(types[0] ?? '')?.[1];
  if (names.length !== 1 || names[0] !== '' || fields === undefined) return { types, rows };
  return {
    types: fields.split(', ').map((field) => field.split(' ')[1]!),
    rows: rows.map(([value]) => value as unknown[]),
  };
}
