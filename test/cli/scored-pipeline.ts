import { z } from 'zod';
import { boundedOutOfOrderness, fixedWindows, pipeline, sum, vertexEndpoint } from '../../functions/index.ts';

const Visit = z.object({ page: z.string(), at: z.number() });

/** A model that knows no page called `bad`, until somebody has mended it. */
export const localModel = (instance: unknown): number => {
  const { page } = instance as { page: string };
  if (page === 'bad' && process.env['TEST_MODEL_MENDED'] === undefined) throw new Error(`no score for '${page}'`);
  return page.length;
};

/** A small pipeline that asks a model, for the tests of operators' commands. */
export default pipeline('scored', (p) => {
  p.readPubSub('visits', {
    schema: Visit,
    eventTime: ({ at }) => at,
    arrivalTime: ({ at }) => at,
    watermark: boundedOutOfOrderness('1h'),
  })
    .enrichWithModel('score', {
      model: vertexEndpoint('scores'),
      instance: ({ page }) => ({ page }),
      prediction: z.number(),
      requestsPerMinute: 600,
      batch: { maxInstances: 250, wait: '1s' },
    })
    .keyBy('by-page', ({ value }) => value.page)
    .window('hourly', fixedWindows('1h'), { allowedLateness: '1d', accumulation: 'accumulating' })
    .combinePerKey(
      'scores',
      sum(({ prediction }) => prediction),
    )
    .writeBigQuery('scores-table', {
      columns: { page: 'STRING', hour: 'TIMESTAMP', score: 'FLOAT64' },
      key: ['page', 'hour'],
      row: ({ key, value }, { window }) => ({ page: key, hour: window.start, score: value }),
    });
});
