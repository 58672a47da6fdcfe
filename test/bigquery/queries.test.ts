import { describe, expect, test } from 'vitest';
import { useLocalServer } from './local-server.ts';
import { TOPICS } from './queries/topics.ts';

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
