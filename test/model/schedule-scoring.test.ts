import { describe, expect, it } from 'vitest';
import { type ScoringOptions, scheduleScoring } from '../../functions/model/transforms/schedule-scoring.ts';

const options: ScoringOptions = {
  table: 'shop.payments',
  key: ['payment', 'day'],
  partitionBy: 'day',
  into: 'shop.payments_scored',
  model: 'models.category',
  version: '2026-03',
  using: { predict: ['predicted_category'] },
};

describe('scheduleScoring', () => {
  it('scores the rows of recent partitions whose newest pane has no score of this version', () => {
    expect(scheduleScoring(options)).toEqual({
      name: 'scoring of shop.payments',
      schedule: 'every 1 hours',
      sql: `CREATE TABLE IF NOT EXISTS \`shop.payments_scored\` PARTITION BY DATE(day) AS
SELECT payment, day, pane_epoch, pane_sequence, predicted_category, '' AS model_version, CURRENT_TIMESTAMP() AS scored_at
FROM ML.PREDICT(MODEL \`models.category\`, (SELECT * FROM \`shop.payments\` WHERE FALSE));

MERGE \`shop.payments_scored\` AS scored
USING (
  SELECT payment, day, pane_epoch, pane_sequence, predicted_category
  FROM ML.PREDICT(MODEL \`models.category\`, (SELECT rows_.* FROM \`shop.payments\` AS rows_ WHERE DATE(rows_.day) >= DATE_SUB(CURRENT_DATE('UTC'), INTERVAL 2 DAY) AND NOT EXISTS (SELECT 1 FROM \`shop.payments_scored\` AS done WHERE DATE(done.day) >= DATE_SUB(CURRENT_DATE('UTC'), INTERVAL 2 DAY) AND done.payment = rows_.payment AND done.day = rows_.day AND done.pane_epoch = rows_.pane_epoch AND done.pane_sequence = rows_.pane_sequence AND done.model_version = '2026-03')))
) AS fresh
ON DATE(scored.day) >= DATE_SUB(CURRENT_DATE('UTC'), INTERVAL 2 DAY) AND scored.payment = fresh.payment AND scored.day = fresh.day
WHEN MATCHED THEN UPDATE SET pane_epoch = fresh.pane_epoch, pane_sequence = fresh.pane_sequence, predicted_category = fresh.predicted_category, model_version = '2026-03', scored_at = CURRENT_TIMESTAMP()
WHEN NOT MATCHED THEN INSERT (payment, day, pane_epoch, pane_sequence, predicted_category, model_version, scored_at) VALUES (fresh.payment, fresh.day, fresh.pane_epoch, fresh.pane_sequence, fresh.predicted_category, '2026-03', CURRENT_TIMESTAMP());`,
    });
  });

  it('asks a remote model for text', () => {
    const using = { prompt: "CONCAT('Category of ', merchant)", maxOutputTokens: 16 };
    const { sql, schedule } = scheduleScoring({ ...options, using, lookBackDays: 30, every: 'every day 04:00' });
    expect(schedule).toBe('every day 04:00');
    expect(sql).toContain(
      "AI.GENERATE_TEXT(MODEL `models.category`, (SELECT *, CONCAT('Category of ', merchant) AS prompt FROM (SELECT rows_.* FROM",
    );
    expect(sql).toContain('STRUCT(16 AS max_output_tokens, 0 AS temperature)');
    expect(sql).toContain('INTERVAL 30 DAY');
    expect(sql).toContain('result = fresh.result, status = fresh.status');
  });

  it.each([
    [
      { partitionBy: 'hour' },
      "scheduleScoring of 'shop.payments': partitionBy: 'hour' is not part of the key payment, day",
    ],
    [{ into: 'a`b' }, "scheduleScoring of 'shop.payments': into: expected a name such as dataset.table, got 'a`b'"],
    [
      { version: "v'" },
      "scheduleScoring of 'shop.payments': version: expected letters, digits, dots and dashes, got 'v''",
    ],
    [
      { using: { predict: [] } },
      "scheduleScoring of 'shop.payments': using.predict: expected the names of the columns that the model adds",
    ],
  ])('refuses %j', (change, message) => {
    expect(() => scheduleScoring({ ...options, ...change } as ScoringOptions)).toThrow(message);
  });
});
