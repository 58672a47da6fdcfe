import { afterEach, describe, expect, it } from 'vitest';
import { BadInstanceError } from '../../../emulators/vertex/models.ts';
import type { VertexOptions } from '../../../emulators/vertex/settings.ts';
import { startVertex } from '../../../emulators/vertex/server.ts';
import { VertexPredictor } from '../../../functions/cloud/predictor/vertex-predictor.ts';
import { SYSTEM_CLOCK } from '../../../functions/local/system.ts';
import { embeddings, gemini, type ModelAddress, vertexEndpoint } from '../../../functions/model/models.ts';
import type { PredictAnswer } from '../../../functions/ports/predictor.ts';

type Running = Awaited<ReturnType<typeof startVertex>>;
const running: Running[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

async function served(options: VertexOptions = {}): Promise<{ predictor: VertexPredictor; server: Running }> {
  const server = await startVertex(options);
  running.push(server);
  const place = { project: 'shop', location: 'us-central1' };
  return { predictor: new VertexPredictor({ ...place, clock: SYSTEM_CLOCK, baseUrl: server.url }), server };
}

async function ask(
  model: ModelAddress,
  instances: readonly unknown[],
  options: VertexOptions = {},
): Promise<PredictAnswer> {
  const { predictor } = await served(options);
  return predictor.predict({ model, instances, key: 'k1', signal: AbortSignal.timeout(5_000) });
}

const twice = { models: { predict: { doubler: (instance: unknown) => 2 * (instance as number) } } };

describe('Vertex AI by REST', () => {
  it('asks an endpoint, under the key of the work', async () => {
    const { predictor, server } = await served(twice);
    const request = {
      model: vertexEndpoint('doubler'),
      instances: [1, 2, 3],
      key: 'k1',
      signal: AbortSignal.timeout(5_000),
    };
    expect(await predictor.predict(request)).toEqual({ state: 'answered', predictions: [2, 4, 6] });
    expect(server.counters()).toMatchObject({ byTarget: { doubler: 1 }, byKey: { k1: { calls: 1, served: 1 } } });
  });

  it('asks Gemini for text, and for JSON', async () => {
    const model = 'gemini-2.5-flash';
    expect(await ask(gemini(model), ['City Taxi'])).toEqual({ state: 'answered', predictions: ['travel'] });
    expect(await ask(gemini(model, { json: true, system: 'be brief' }), ['City Taxi'])).toEqual({
      state: 'answered',
      predictions: [{ category: 'travel' }],
    });
  });

  it('takes vectors from either method for embeddings', async () => {
    const size = { dimensions: 3 };
    const texts = await ask(embeddings('text-embedding-005', size), ['a', 'b']);
    expect(texts).toMatchObject({
      state: 'answered',
      predictions: [[expect.any(Number), expect.any(Number), expect.any(Number)], expect.any(Array)],
    });
    const one = await ask(embeddings('gemini-embedding-001', size), ['a']);
    const other = await ask(embeddings('gemini-embedding-2', size), ['a']);
    const [first] = (texts as unknown as { predictions: number[][] }).predictions;
    expect((one as unknown as { predictions: number[][] }).predictions[0]).toEqual(first);
    expect((other as unknown as { predictions: number[][] }).predictions[0]).toEqual(first);
  });

  it.each([
    [429, 3, { state: 'throttled', retryAfter: 3_000, reason: '429: The service answers 429, as it was told to.' }],
    [
      503,
      undefined,
      { state: 'unavailable', retryAfter: undefined, reason: '503: The service answers 503, as it was told to.' },
    ],
    [500, undefined, { state: 'unavailable' }],
    [504, undefined, { state: 'unavailable' }],
    [408, undefined, { state: 'unavailable' }],
    [400, undefined, { state: 'refused', answer: { error: { code: 400, status: 'INVALID_ARGUMENT' } } }],
    // A grant that has not spread yet, an API that is off, a model that was taken away: no instance is bad.
    [401, undefined, { state: 'unavailable' }],
    [403, undefined, { state: 'unavailable', reason: '403: The service answers 403, as it was told to.' }],
    [404, undefined, { state: 'unavailable' }],
  ])('sorts %i by what to do about it', async (status, retryAfterSeconds, expected) => {
    const fault = {
      kind: 'status' as const,
      status,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    };
    expect(await ask(vertexEndpoint('doubler'), [1], { ...twice, faults: [{ fault }] })).toMatchObject(expected);
  });

  it('says what the server said of a bad instance', async () => {
    const refuse = (): never => {
      throw new BadInstanceError('no merchant');
    };
    const answer = await ask(vertexEndpoint('e'), [{}], { models: { predict: { '*': refuse } } });
    expect(answer).toMatchObject({ state: 'refused', reason: expect.stringMatching(/^400: .*no merchant/) });
  });

  it('hands on fewer predictions than instances as they are', async () => {
    const faults = [{ fault: { kind: 'partial' as const, keep: 0.5 } }];
    expect(await ask(vertexEndpoint('doubler'), [1, 2, 3, 4], { ...twice, faults })).toEqual({
      state: 'answered',
      predictions: [2, 4],
    });
  });

  it('never throws: a connection that is cut, that is refused, and a caller that has waited long enough', async () => {
    const lost = await ask(vertexEndpoint('doubler'), [1], { ...twice, faults: [{ fault: { kind: 'lost' } }] });
    expect(lost).toMatchObject({
      state: 'unavailable',
      reason: expect.stringMatching(/^endpoint doubler could not be asked: /),
    });
    const nobody = new VertexPredictor({
      project: 'p',
      location: 'l',
      clock: SYSTEM_CLOCK,
      baseUrl: 'http://127.0.0.1:1',
    });
    const request = { model: vertexEndpoint('doubler'), instances: [1], key: 'k', signal: AbortSignal.timeout(5_000) };
    expect(await nobody.predict(request)).toMatchObject({ state: 'unavailable' });
    const { predictor } = await served({ ...twice, workMillis: 2_000 });
    expect(await predictor.predict({ ...request, signal: AbortSignal.timeout(20) })).toMatchObject({
      state: 'unavailable',
    });
    const asked = predictor.predict(request);
    await predictor.close();
    expect(await asked).toMatchObject({ state: 'unavailable' });
  });
});
