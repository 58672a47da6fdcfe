/** A model beside the groupings: what it said of each element goes to a table. */
import type { PCollection } from '../../../../functions/model/collection.ts';
import { vertexEndpoint } from '../../../../functions/model/models.ts';
import type { EnrichedSpec } from '../../scenario.ts';
import { type Item, keyIn } from '../tokens.ts';

export const ENRICHED = 'enriched';
/** Of what the model is asked. */
export const QUESTIONS = 7;

export function addEnriched(items: PCollection<Item>, spec: EnrichedSpec): void {
  const { requestsPerMinute, maxInstances, wait, cache } = spec;
  items
    .enrichWithModel(ENRICHED, {
      model: vertexEndpoint('1234567890'),
      // Several elements ask the same.
      instance: ({ key, flaw }: Item) => ({ token: keyIn(key, QUESTIONS), flaw }),
      prediction: { parse: (said: unknown) => said as { readonly of: string } },
      output: ({ token }, { of }) => ({ token, of }),
      requestsPerMinute,
      batch: { maxInstances, wait },
      ...(cache ? {} : { cache: false as const }),
    })
    .writeBigQuery(`${ENRICHED}-rows`, {
      columns: { token: 'STRING', told: 'STRING' },
      key: [],
      row: ({ token, of }) => ({ token, told: of }),
      flush: { rows: 10, every: 10_000 },
    });
}
