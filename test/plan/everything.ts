/** A pipeline with one of everything that needs something of its own in the cloud. */
import { z } from 'zod';
import { combineFields, count, fixedWindows, pipeline } from '../../functions/index.ts';
import { vertexEndpoint } from '../../functions/model/models.ts';

export const everything = pipeline('everything', (p) => {
  const orders = p.readPubSub('orders', { schema: z.object({ shop: z.string(), text: z.string() }) });
  const kinds = orders.enrichWithModel('kind', {
    model: vertexEndpoint('1234567890'),
    instance: ({ text }) => text,
    prediction: z.object({ kind: z.string() }),
    output: ({ shop }, { kind }) => ({ shop, kind }),
    requestsPerMinute: 60,
  });
  const counts = kinds
    .keyBy('by-shop', ({ shop }) => shop)
    .window('hourly', fixedWindows('1h'))
    .combinePerKey('orders-by-shop', combineFields({ orders: count() }));
  counts.writePubSub('alerts', { topic: 'shop-alerts' });
  counts
    .keyBy('by-size', ({ value }) => (value.orders > 100 ? 'large' : 'small'))
    .combinePerKey('sizes', combineFields({ shops: count() }))
    .writeBigQuery('shop-sizes', {
      table: 'theirs.sizes',
      columns: { size: 'STRING', shops: 'INT64 NULL' },
      key: ['size'],
      row: ({ key, value }) => ({ size: key, shops: value.shops }),
    });
});
