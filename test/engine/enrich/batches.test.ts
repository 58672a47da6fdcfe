import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { pipeline } from '../../../functions/index.ts';
import { gemini, embeddings, vertexEndpoint } from '../../../functions/model/models.ts';
import { plan } from '../../../functions/plan/plan.ts';
import { double, events, idsOf, Loaded, range, START } from './loaded.ts';

describe('a batch', () => {
  it('is full by bytes where that comes first', async () => {
    const bytes = Buffer.byteLength('{"id":100}') + 1;
    const loaded = await new Loaded({ batch: { maxInstances: 250, maxBytes: 3 * bytes + 2 } }).start();
    await loaded.feed(events(100, 7));
    await loaded.pass(5_000);
    expect(loaded.model.vertex.counters().batchSizes).toEqual({ '3': 2, '1': 1 });
  });

  it('is full by tokens where that comes first', async () => {
    // Ten characters are three tokens.
    const loaded = await new Loaded({ batch: { maxInstances: 250, maxTokens: 12 } }).start();
    await loaded.feed(events(100, 10));
    await loaded.pass(5_000);
    expect(loaded.model.vertex.counters().batchSizes).toEqual({ '4': 2, '2': 1 });
  });

  it('never holds an instance that is too large to be shown: it is a dead letter at once', async () => {
    const loaded = await new Loaded({
      batch: { maxInstances: 10, maxBytes: 100 },
      instance: ({ id }) => ({ id, text: 'x'.repeat(id === 2 ? 200 : 1) }),
    }).start();
    await loaded.feed(events(0, 4));
    await loaded.pass(5_000);
    expect(await loaded.letters()).toMatchObject([
      { code: 'TOO_LARGE', message: "an instance for 'score' has 218 bytes, above the limit of 100", value: { id: 2 } },
    ]);
    expect(idsOf(await loaded.scores())).toEqual([0, 1, 3]);
  });

  it('leaves out an element whose instance cannot be made', async () => {
    const loaded = await new Loaded({
      instance: ({ id }) => {
        if (id === 1) throw new Error('no merchant');
        return { id };
      },
    }).start();
    await loaded.feed(events(0, 3));
    await loaded.pass(5_000);
    expect(await loaded.letters()).toMatchObject([{ code: 'USER_CODE', message: 'no merchant', step: 'score' }]);
    expect(idsOf(await loaded.scores())).toEqual([0, 2]);
  });

  it('asks once for equal instances, and not at all for what was answered lately', async () => {
    const loaded = await new Loaded({
      cache: { keepFor: '1m' },
      instance: ({ card }) => ({ id: Number(card) }),
      batch: { maxInstances: 10, wait: '1s' },
    }).start();
    const cards = (from: number, ids: readonly number[]) =>
      ids.map((id, i) => ({ id: from + i, card: String(id), at: START }));
    await loaded.feed(cards(0, [1, 2, 1, 1, 2]));
    await loaded.pass(3_000);
    expect(loaded.model.vertex.counters()).toMatchObject({ calls: 1, instances: 2 });
    expect(loaded.state.counters).toMatchObject({ calls: 1, instances: 2, cached: 3 });
    await loaded.feed(cards(5, [2, 1, 3]));
    await loaded.pass(3_000);
    expect(loaded.model.vertex.counters()).toMatchObject({ calls: 2, instances: 3 });
    await loaded.pass(60_000);
    await loaded.feed(cards(8, [1]));
    await loaded.pass(3_000);
    expect(loaded.model.vertex.counters()).toMatchObject({ calls: 3, instances: 4 });
    const rows = await loaded.scores();
    expect(idsOf(rows)).toEqual(range(0, 9));
    const scores = new Map(rows.map(({ id, score }) => [id, score]));
    expect(range(0, 9).map((id) => scores.get(id))).toEqual([2, 4, 2, 2, 4, 4, 2, 6, 2]);
  });

  it('with more to write than one commit holds is settled in parts', async () => {
    const loaded = await new Loaded({
      batch: { maxInstances: 30 },
      output: ({ id }, { score }) => ({ id, score, text: 'x'.repeat(100_000) }),
    }).start();
    const largest = largestCommit(loaded);
    await loaded.feed(events(0, 30));
    await loaded.pass(10_000);
    expect(loaded.state).toMatchObject({ batches: [], counters: { calls: 1, instances: 30 } });
    expect(idsOf(await loaded.scores())).toEqual(range(0, 30));
    expect(largest()).toBeLessThan(1_200_000);
  });
});

/** The characters of the largest commit. */
function largestCommit({ store }: Loaded): () => number {
  let largest = 0;
  const commit = store.commit.bind(store);
  store.commit = (batch) => {
    largest = Math.max(largest, JSON.stringify(batch).length);
    return commit(batch);
  };
  return () => largest;
}

describe('the rate', () => {
  it('is one for the whole pipeline: two shards have half each', async () => {
    const loaded = await new Loaded({ requestsPerMinute: 900, batch: { maxInstances: 1 } }).start();
    expect(loaded.embedded.plan.stage('score').shards).toBe(2);
    await loaded.feed(events(0, 2_500));
    await loaded.pass(60_000);
    for (let i = 0; i < 45; i++) {
      await loaded.sweep();
      await loaded.pass(4_000);
    }
    const { mostInAnyMinute } = loaded.model.vertex.counters();
    expect(mostInAnyMinute).toBeLessThanOrEqual(900 * 1.2);
    expect(mostInAnyMinute).toBeGreaterThan(900 * 0.8);
    expect(idsOf(await loaded.scores())).toEqual(range(0, 2_500));
  });

  it('counts what it cost, by the author’s prices', async () => {
    const price = { request: 1, instance: 0.01, thousandTokens: 1_000 };
    const loaded = await new Loaded({ batch: { maxInstances: 10 }, price }).start();
    await loaded.feed(events(100, 20));
    await loaded.pass(3_000);
    // Two requests, twenty instances of three tokens each.
    expect(loaded.state.counters.cost).toBeCloseTo(2 + 0.2 + 60);
    expect(loaded.state.counters.millis).toBe(400);
  });
});

describe('enrichWithModel', () => {
  const source = (build: (options: object) => unknown) => (options: object) => build(options);
  const refused = (options: object): string => {
    try {
      pipeline('p', (p) => {
        p.readFile('events', { schema: z.object({ id: z.number() }) }).enrichWithModel('score', {
          model: vertexEndpoint('e'),
          instance: (value) => value,
          prediction: z.number(),
          requestsPerMinute: 60,
          ...options,
        });
      });
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };

  it.each([
    [
      { requestsPerMinute: 0 },
      "enrichWithModel 'score' requestsPerMinute: expected a whole number from 1 to 1000000 for endpoint e, got 0",
    ],
    [
      { requestsPerMinute: undefined },
      "enrichWithModel 'score' requestsPerMinute: expected a whole number from 1 to 1000000 for endpoint e, got NaN",
    ],
    [
      { model: gemini('gemini-2.5-flash'), batch: { maxInstances: 5 } },
      "enrichWithModel 'score' batch.maxInstances: expected a whole number from 1 to 1 for gemini-2.5-flash, got 5",
    ],
    [
      { model: embeddings('text-embedding-005'), batch: { maxTokens: 30_000 } },
      "enrichWithModel 'score' batch.maxTokens: expected a whole number from 1 to 20000 for text-embedding-005, got 30000",
    ],
    [
      { timeout: '1m' },
      "enrichWithModel 'score' timeout: 60000 ms is above 20000 ms; no request may be held open for longer",
    ],
    [
      { prediction: {} },
      "enrichWithModel 'score' prediction: expected something with a parse method, such as a zod schema",
    ],
  ])('refuses %j', (options, message) => {
    expect(refused(source((given) => given)(options) as object)).toBe(message);
  });

  it('takes one shard up to 600 requests a minute, and two above', () => {
    const shards = (requestsPerMinute: number): number => {
      const graph = pipeline('p', (p) => {
        p.readFile('events', { schema: z.object({ id: z.number() }) }).enrichWithModel('score', {
          model: vertexEndpoint('e'),
          instance: double,
          prediction: z.number(),
          requestsPerMinute,
        });
      });
      return plan(graph).stage('score').shards;
    };
    expect([60, 600, 601, 30_000].map(shards)).toEqual([1, 1, 2, 2]);
  });
});
