import { z } from 'zod';
import { boundedOutOfOrderness, count, fixedWindows, pipeline } from '../../functions/index.ts';

const Visit = z.object({ page: z.string(), at: z.number() });

/** A small pipeline for the tests of operators' commands. */
export default pipeline('visits', (p) => {
  p.readPubSub('visits', { schema: Visit, eventTime: ({ at }) => at, watermark: boundedOutOfOrderness('1m') })
    .keyBy('by-page', ({ page }) => page)
    .window('hourly', fixedWindows('1h'))
    .combinePerKey('count', count())
    .writeBigQuery('counts', {
      columns: { page: 'STRING', hour: 'TIMESTAMP', visits: 'INT64' },
      key: ['page', 'hour'],
      row: ({ key, value }, { window }) => ({ page: key, hour: window.start, visits: value }),
    });
});
