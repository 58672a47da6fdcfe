import { describe, expect, test } from 'vitest';
import { useLocalServer } from './local-server.ts';
import { CASES as basics } from './queries/basics.ts';
import { CASES as datesAndTimes } from './queries/dates-and-times.ts';
import { CASES as documented } from './queries/documented.ts';
import { CASES as everyday } from './queries/everyday.ts';
import { CASES as jsonAndAggregates } from './queries/json-and-aggregates.ts';
import { CASES as mathAndStrings } from './queries/math-and-strings.ts';
import type { QueryCase } from './queries/query-case.ts';
import { CASES as querySyntax } from './queries/query-syntax.ts';

const TOPICS: Readonly<Record<string, readonly QueryCase[]>> = {
  basics,
  'mathematics and strings': mathAndStrings,
  'dates and times': datesAndTimes,
  'JSON and aggregates': jsonAndAggregates,
  'query syntax': querySyntax,
  'everyday queries': everyday,
  'documented examples': documented,
};

const server = useLocalServer();

for (const [topic, cases] of Object.entries(TOPICS)) {
  describe(`${topic}: the local server answers as BigQuery does`, () => {
    test.each(cases.map((one) => [one.sql, one] as const))('%s', async (sql, one) => {
      if ('fails' in one) {
        expect(await server.refusal(sql)).not.toBe('');
        return;
      }
      const { types, rows } = await server.query(sql);
      expect(types).toEqual(one.types);
      expect(rows).toEqual(one.rows);
    });
  });
}

test('there are at least 150 pairs of query and result', () => {
  expect(Object.values(TOPICS).flat().length).toBeGreaterThanOrEqual(150);
});
