import { describe, expect, it } from 'vitest';
import type { Answer } from '../../emulators/vertex/errors.ts';
import { BadInstanceError, Vertex, type VertexOptions } from '../../emulators/vertex/server.ts';

const ENDPOINT = '/v1/projects/p/locations/us-central1/endpoints/categories:predict';
const MODELS = '/v1/projects/p/locations/us-central1/publishers/google/models';
const START = Date.UTC(2026, 2, 1, 10, 0, 0);

/** A server on a clock that the test sets. */
function serverOf(options: VertexOptions = {}) {
  const clock = { at: START };
  const slept: number[] = [];
  const sleep = async (millis: number) => {
    slept.push(millis);
  };
  const vertex = new Vertex({ now: () => clock.at, sleep, ...options });
  const call = (body: unknown, path = ENDPOINT, key?: string) =>
    vertex.answer({ path, body: typeof body === 'string' ? body : JSON.stringify(body), key });
  return { vertex, clock, slept, call };
}

function answered(answer: Answer | 'lost'): Answer {
  if (answer === 'lost') throw new Error('the answer was lost');
  return answer;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into by the tests
const bodyOf = (answer: Answer | 'lost'): any => answered(answer).body;
const statusOf = (answer: Answer | 'lost') => answered(answer).status;
const one = { instances: [{ merchant: 'City Taxi' }] };
const numbered = (count: number) => Array.from({ length: count }, (_, n) => ({ merchant: `shop ${n}` }));

describe('online prediction', () => {
  it('answers with a prediction for each instance, in their order', async () => {
    const { call } = serverOf();
    const instances = [{ merchant: 'Corner Bakery' }, 'City Taxi', { description: 'Blue Cinema' }, { text: 'Unknown' }];
    expect(bodyOf(await call({ instances }))).toEqual({
      predictions: [
        { category: 'groceries', confidence: expect.any(Number) },
        { category: 'travel', confidence: expect.any(Number) },
        { category: 'entertainment', confidence: expect.any(Number) },
        { category: 'other', confidence: expect.any(Number) },
      ],
      deployedModelId: '1',
      model: 'projects/p/locations/us-central1/models/categories',
      modelDisplayName: 'categories',
      modelVersionId: '1',
    });
  });

  it('gives the same input the same answer, in every server', async () => {
    expect(bodyOf(await serverOf().call(one))).toEqual(bodyOf(await serverOf().call(one)));
  });

  it('runs the models that it is given, by endpoint, with the parameters', async () => {
    const { call } = serverOf({
      models: { predict: { double: (instance, parameters) => [(instance as number) * 2, parameters] } },
    });
    const path = ENDPOINT.replace('categories', 'double');
    expect(bodyOf(await call({ instances: [4, 5], parameters: 'p' }, path)).predictions).toEqual([
      [8, 'p'],
      [10, 'p'],
    ]);
    expect(statusOf(await call(one))).toBe(404);
  });

  it('answers 400 for the whole request when one instance is bad, and does not say which', async () => {
    const { call, vertex } = serverOf();
    const answer = await call({ instances: [...numbered(249), { amount: 3 }] });
    expect(answer).toEqual({
      status: 400,
      headers: {},
      body: {
        error: {
          code: 400,
          message: 'Invalid instances: expected a text, or an object with text, merchant, description or content.',
          status: 'INVALID_ARGUMENT',
        },
      },
    });
    expect(vertex.counters()).toMatchObject({ calls: 1, served: 0, instances: 0, byStatus: { 400: 1 } });
  });

  it('takes for bad what it is told to', async () => {
    const { call } = serverOf({ isBad: (instance) => JSON.stringify(instance).includes('shop 7') });
    expect(statusOf(await call({ instances: numbered(7) }))).toBe(200);
    expect(statusOf(await call({ instances: numbered(8) }))).toBe(400);
  });

  it('answers 500 when a model fails by itself', async () => {
    const broken = () => {
      throw new Error('out of memory');
    };
    const { call } = serverOf({ models: { predict: { '*': broken } } });
    expect(answered(await call(one))).toMatchObject({
      status: 500,
      body: { error: { status: 'INTERNAL', message: 'The model failed: out of memory' } },
    });
  });

  it.each([
    ['no JSON', '{"instances": [', 'Invalid JSON payload received.'],
    ['no object', '[1]', 'Invalid JSON payload received.'],
    ['no instances', '{}', "Invalid value at 'instances': must be a list that is not empty."],
    ['an empty list', '{"instances": []}', "Invalid value at 'instances': must be a list that is not empty."],
  ])('answers 400 to %s', async (_name, body, message) => {
    expect(answered(await serverOf().call(body))).toMatchObject({ status: 400, body: { error: { message } } });
  });

  it('answers 400 above the size of a request, counted in bytes', async () => {
    const { call } = serverOf({ maxRequestBytes: 100 });
    const pad = (count: number) => JSON.stringify({ instances: ['ü'.repeat(count)] });
    expect(Buffer.byteLength(pad(41))).toBe(100);
    expect(statusOf(await call(pad(41)))).toBe(200);
    expect(bodyOf(await call(pad(42))).error.message).toBe(
      'Request payload size of 102 bytes exceeds the limit of 100 bytes.',
    );
  });

  it.each([
    '/v1/projects/p/locations/l/endpoints/e:explain',
    '/v1/projects/p/locations/l/endpoints/e',
    '/v1/projects/p/endpoints/e:predict',
    `${MODELS}/gemini-embedding-001:batchEmbedContents`,
    '/v2/projects/p/locations/l/endpoints/e:predict',
  ])('answers 404 to %s', async (path) => {
    expect(statusOf(await serverOf().call(one, path))).toBe(404);
  });
});

describe('embeddings', () => {
  const texts = (count: number, length = 20) => ({
    instances: Array.from({ length: count }, (_, n) => ({ content: `${n} `.padEnd(length, 'x') })),
  });
  const TEXT = `${MODELS}/text-embedding-005:predict`;

  it('are unit vectors of the asked length, with the statistics of each text', async () => {
    const { call } = serverOf();
    const body = bodyOf(await call({ ...texts(2), parameters: { outputDimensionality: 8 } }, TEXT));
    expect(body.metadata).toEqual({ billableCharacterCount: 38 });
    expect(body.predictions).toHaveLength(2);
    const [first, second] = body.predictions;
    expect(first.embeddings.statistics).toEqual({ token_count: 5, truncated: false });
    expect(first.embeddings.values).toHaveLength(8);
    expect(Math.hypot(...first.embeddings.values)).toBeCloseTo(1, 10);
    expect(first.embeddings.values).not.toEqual(second.embeddings.values);
  });

  it('are for 250 texts a request, and not for one more', async () => {
    const { call } = serverOf({ models: { embed: () => [1] } });
    expect(statusOf(await call(texts(250), TEXT))).toBe(200);
    expect(bodyOf(await call(texts(251), TEXT)).error).toEqual({
      code: 400,
      message: '251 instance(s) is too many; text-embedding-005 takes 250 a request.',
      status: 'INVALID_ARGUMENT',
    });
  });

  it('are for 20,000 tokens a request, and not for one more', async () => {
    const { call } = serverOf({ models: { embed: () => [1] } });
    expect(statusOf(await call(texts(10, 8_000), TEXT))).toBe(200);
    const { instances } = texts(10, 8_000);
    const above = { instances: [...instances, { content: 'x' }] };
    expect(bodyOf(await call(above, TEXT)).error.message).toBe(
      'The input token count is 20001 but the model supports up to 20000.',
    );
  });

  it('cut a text at 2,048 tokens, or refuse it when told not to', async () => {
    const seen: number[] = [];
    const embed = (text: string) => {
      seen.push(text.length);
      return [1];
    };
    const { call } = serverOf({ models: { embed } });
    const body = bodyOf(await call(texts(1, 8_196), TEXT));
    expect(body.predictions[0].embeddings.statistics).toEqual({ token_count: 2_048, truncated: true });
    expect(seen).toEqual([8_192]);
    expect(statusOf(await call({ ...texts(1, 8_192), parameters: { autoTruncate: false } }, TEXT))).toBe(200);
    expect(statusOf(await call({ ...texts(1, 8_196), parameters: { autoTruncate: false } }, TEXT))).toBe(400);
  });

  it('of gemini-embedding-001 are for one text a request', async () => {
    const { call } = serverOf();
    expect(statusOf(await call(texts(1), `${MODELS}/gemini-embedding-001:predict`))).toBe(200);
    expect(statusOf(await call(texts(2), `${MODELS}/gemini-embedding-001:predict`))).toBe(400);
  });

  it('come by embedContent too', async () => {
    const { call } = serverOf();
    const content = { parts: [{ text: 'hello ' }, { text: 'world' }] };
    const body = bodyOf(
      await call(
        { content, embedContentConfig: { outputDimensionality: 4 } },
        `${MODELS}/gemini-embedding-2:embedContent`,
      ),
    );
    expect(body.embedding.values).toHaveLength(4);
    expect(body).toMatchObject({ usageMetadata: { promptTokenCount: 3, totalTokenCount: 3 }, truncated: false });
    expect(statusOf(await call({ content: {} }, `${MODELS}/gemini-embedding-2:embedContent`))).toBe(400);
    expect(statusOf(await call(texts(1), `${MODELS}/gemini-embedding-2:predict`))).toBe(400);
  });

  it('come from models that embed only', async () => {
    expect(statusOf(await serverOf().call(texts(1), `${MODELS}/gemini-2.5-flash:predict`))).toBe(404);
  });
});

describe('generateContent', () => {
  const PATH = `${MODELS}/gemini-2.5-flash:generateContent`;
  const prompt = (text: string) => ({ contents: [{ role: 'user', parts: [{ text }] }] });

  it('answers with one candidate, and counts tokens', async () => {
    const { call } = serverOf();
    expect(bodyOf(await call(prompt('Categorise:\nCity Taxi'), PATH))).toEqual({
      candidates: [{ content: { role: 'model', parts: [{ text: 'travel' }] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 6, candidatesTokenCount: 2, totalTokenCount: 8 },
      modelVersion: 'gemini-2.5-flash',
    });
  });

  it('answers in JSON where JSON is asked for', async () => {
    const { call } = serverOf();
    const body = { ...prompt('City Taxi'), generationConfig: { responseMimeType: 'application/json' } };
    expect(bodyOf(await call(body, PATH)).candidates[0].content.parts[0].text).toBe('{"category":"travel"}');
  });

  it('runs the model that it is given, with the system instruction', async () => {
    const generate = (text: string, { system }: { system: string }) => {
      if (text === 'bad') throw new BadInstanceError('no');
      return `${system}: ${text}`;
    };
    const { call } = serverOf({ models: { generate } });
    const systemInstruction = { parts: [{ text: 'be brief' }] };
    const body = bodyOf(await call({ ...prompt('hi'), systemInstruction }, PATH));
    expect(body.candidates[0].content.parts[0].text).toBe('be brief: hi');
    expect(statusOf(await call(prompt('bad'), PATH))).toBe(400);
    expect(statusOf(await call({ contents: [{ role: 'user', parts: [] }] }, PATH))).toBe(400);
  });
});

describe('the quota', () => {
  it('lets its burst through at once, then as many as the rate allows, and says when to come again', async () => {
    const { call, clock } = serverOf({ quota: { requestsPerMinute: 60, burst: 3 } });
    const statuses = async (count: number) => {
      const answers = [];
      for (let n = 0; n < count; n++) answers.push(answered(await call(one)));
      return answers.map(({ status, headers }) => (status === 200 ? 200 : `429 after ${headers['retry-after']}`));
    };
    expect(await statuses(4)).toEqual([200, 200, 200, '429 after 1']);
    clock.at += 999;
    expect(await statuses(1)).toEqual(['429 after 1']);
    clock.at += 1;
    expect(await statuses(2)).toEqual([200, '429 after 1']);
    clock.at += 3_600_000;
    expect(await statuses(4)).toEqual([200, 200, 200, '429 after 1']);
  });

  it('rounds the time to wait up to whole seconds', async () => {
    const { call } = serverOf({ quota: { requestsPerMinute: 6, burst: 1 } });
    await call(one);
    expect(answered(await call(one)).headers).toEqual({ 'retry-after': '10' });
  });

  it('has a burst of a sixth of a minute unless told otherwise', async () => {
    const { call, vertex } = serverOf({ quota: { requestsPerMinute: 120 } });
    for (let n = 0; n < 30; n++) await call(one);
    expect(vertex.counters()).toMatchObject({ served: 20, throttled: 10 });
  });

  it('can keep to itself when to come again, as Vertex AI does', async () => {
    const { call } = serverOf({ quota: { requestsPerMinute: 60, burst: 1, retryAfter: false } });
    await call(one);
    expect(answered(await call(one))).toMatchObject({
      status: 429,
      headers: {},
      body: { error: { status: 'RESOURCE_EXHAUSTED' } },
    });
  });
});

describe('faults', () => {
  it('meet the calls that they name', async () => {
    const { call } = serverOf({ faults: [{ fault: { kind: 'status', status: 503 }, calls: { from: 2, to: 3 } }] });
    expect([await call(one), await call(one), await call(one), await call(one)].map(statusOf)).toEqual([
      200, 503, 503, 200,
    ]);
  });

  it('meet the time that they name: an outage of ten minutes', async () => {
    const fault = { kind: 'status', status: 429, retryAfterSeconds: 5 } as const;
    const { call, clock } = serverOf({ faults: [{ fault, millis: { from: 60_000, until: 660_000 } }] });
    const at = async (millis: number) => {
      clock.at = START + millis;
      return answered(await call(one)).status;
    };
    expect([await at(59_999), await at(60_000), await at(659_999), await at(660_000)]).toEqual([200, 429, 429, 200]);
  });

  it('meet a share of the calls, the same ones for the same seed', async () => {
    const met = async (seed: number) => {
      const { call } = serverOf({ seed, faults: [{ fault: { kind: 'status', status: 500 }, share: 0.1 }] });
      const statuses: number[] = [];
      for (let n = 0; n < 500; n++) statuses.push(statusOf(await call(one)));
      return statuses;
    };
    const statuses = await met(5);
    const failed = statuses.filter((status) => status === 500).length;
    expect(failed).toBeGreaterThan(25);
    expect(failed).toBeLessThan(80);
    expect(await met(5)).toEqual(statuses);
    expect(await met(6)).not.toEqual(statuses);
  });

  it('meet one endpoint, and the first rule decides', async () => {
    const { call } = serverOf({
      faults: [{ fault: { kind: 'status', status: 503 }, target: 'other' }, { fault: { kind: 'status', status: 500 } }],
    });
    expect(statusOf(await call(one))).toBe(500);
    expect(statusOf(await call(one, ENDPOINT.replace('categories', 'other')))).toBe(503);
  });

  it('of the kind lost do the work and cut the line', async () => {
    const { call, vertex } = serverOf({ faults: [{ fault: { kind: 'lost' }, calls: { to: 1 } }] });
    expect(await call({ instances: numbered(3) }, ENDPOINT, 'batch-1')).toBe('lost');
    expect(statusOf(await call({ instances: numbered(3) }, ENDPOINT, 'batch-1'))).toBe(200);
    expect(vertex.counters()).toMatchObject({
      calls: 2,
      served: 2,
      lost: 1,
      instances: 6,
      byStatus: { 200: 1 },
      byKey: { 'batch-1': { calls: 2, served: 2 } },
    });
  });

  it('of the kind partial leave the last predictions out', async () => {
    const { call, vertex } = serverOf({ faults: [{ fault: { kind: 'partial', keep: 0.5 } }] });
    expect(bodyOf(await call({ instances: numbered(5) })).predictions).toHaveLength(2);
    expect(bodyOf(await call(one)).predictions).toHaveLength(0);
    expect(vertex.counters()).toMatchObject({ partial: 2, instances: 6 });
  });

  it('of the kind slow take longer, on the clock that is given', async () => {
    const { call, slept } = serverOf({
      workMillis: 20,
      faults: [{ fault: { kind: 'slow', millis: 5_000 }, calls: { from: 2 } }],
    });
    await call(one);
    await call(one);
    expect(slept).toEqual([20, 5_020]);
  });

  it('do not meet calls that the quota refused, nor count them', async () => {
    const { call } = serverOf({
      quota: { requestsPerMinute: 60, burst: 1 },
      faults: [{ fault: { kind: 'status', status: 503 }, calls: { from: 2 } }],
    });
    expect([await call(one), await call(one), await call(one)].map(statusOf)).toEqual([200, 429, 429]);
  });
});

describe('the counters', () => {
  it('tell calls by minute, and the most within any sixty seconds', async () => {
    const { call, vertex, clock } = serverOf();
    for (const second of [0, 30, 59, 61, 89, 90, 118, 300]) {
      clock.at = START + second * 1_000;
      await call(one);
    }
    const { perMinute, mostInAnyMinute } = vertex.counters();
    expect(perMinute).toEqual({
      '2026-03-01T10:00:00.000Z': 3,
      '2026-03-01T10:01:00.000Z': 4,
      '2026-03-01T10:05:00.000Z': 1,
    });
    expect(mostInAnyMinute).toBe(5); // from second 59 to 118; the one at 30 is a full minute before the one at 90
  });

  it('tell how full the batches were, and calls by endpoint', async () => {
    const { call, vertex } = serverOf();
    for (const count of [250, 250, 3]) await call({ instances: numbered(count) });
    await call(one, ENDPOINT.replace('categories', 'other'));
    expect(vertex.counters()).toMatchObject({
      batchSizes: { 250: 2, 3: 1, 1: 1 },
      byTarget: { categories: 3, other: 1 },
    });
  });

  it('begin again after a reset, with a full quota', async () => {
    const { call, vertex } = serverOf({ quota: { requestsPerMinute: 60, burst: 1 } });
    await call(one, ENDPOINT, 'k');
    await call(one);
    vertex.reset();
    expect(vertex.counters()).toMatchObject({ calls: 0, served: 0, throttled: 0, byKey: {}, perMinute: {} });
    expect(statusOf(await call(one))).toBe(200);
  });
});
