import { describe, expect, it } from 'vitest';
import { predictAnswer } from '../../../functions/cloud/predictor/answers.ts';
import { hostOf, restRequest } from '../../../functions/cloud/predictor/requests.ts';
import { embeddings, gemini, vertexEndpoint } from '../../../functions/model/models.ts';

const PLACE = { project: 'shop', location: 'europe-west4' };

describe('who is asked', () => {
  it.each([
    [gemini('gemini-2.5-flash'), 'europe-west4-aiplatform.googleapis.com'],
    [gemini('gemini-2.5-flash', { location: 'us-central1' }), 'us-central1-aiplatform.googleapis.com'],
    [gemini('gemini-2.5-flash', { location: 'global' }), 'aiplatform.googleapis.com'],
    [gemini('gemini-2.5-flash', { location: 'eu' }), 'aiplatform.eu.rep.googleapis.com'],
    [embeddings('gemini-embedding-001', { location: 'us' }), 'aiplatform.us.rep.googleapis.com'],
    [vertexEndpoint('42'), 'europe-west4-aiplatform.googleapis.com'],
    [
      vertexEndpoint('42', { host: '42.europe-west4-123.prediction.vertexai.goog' }),
      '42.europe-west4-123.prediction.vertexai.goog',
    ],
  ])('%j is at %s', (model, host) => {
    expect(hostOf(model, PLACE)).toBe(host);
  });

  it('is never anybody but Vertex AI, who is shown a token', () => {
    for (const host of [
      'prediction.vertexai.goog.example.com',
      'https://42.prediction.vertexai.goog',
      'a@b.prediction.vertexai.goog',
    ])
      expect(() => vertexEndpoint('42', { host })).toThrow(/expected a dedicated endpoint's name/);
  });
});

describe('a request', () => {
  it.each([
    [
      vertexEndpoint('42', { parameters: { top: 1 } }),
      [{ a: 1 }],
      '/v1/projects/shop/locations/europe-west4/endpoints/42:predict',
      { instances: [{ a: 1 }], parameters: { top: 1 } },
    ],
    [
      gemini('gemini-2.5-flash', {
        location: 'global',
        project: 'other',
        json: true,
        system: 'Be brief.',
        generation: { temperature: 0 },
      }),
      ['Hello'],
      '/v1/projects/other/locations/global/publishers/google/models/gemini-2.5-flash:generateContent',
      {
        contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
        generationConfig: { temperature: 0, responseMimeType: 'application/json' },
      },
    ],
    [
      embeddings('text-embedding-005', { task: 'CLUSTERING', dimensions: 256 }),
      ['a', 'b'],
      '/v1/projects/shop/locations/europe-west4/publishers/google/models/text-embedding-005:predict',
      {
        instances: [
          { content: 'a', task_type: 'CLUSTERING' },
          { content: 'b', task_type: 'CLUSTERING' },
        ],
        parameters: { outputDimensionality: 256 },
      },
    ],
    [
      embeddings('gemini-embedding-2', { task: 'CLUSTERING', dimensions: 256 }),
      ['a'],
      '/v1/projects/shop/locations/europe-west4/publishers/google/models/gemini-embedding-2:embedContent',
      { content: { parts: [{ text: 'a' }] }, taskType: 'CLUSTERING', outputDimensionality: 256 },
    ],
  ])('to %j', (model, instances, path, body) => {
    expect(restRequest(model, instances, PLACE)).toEqual({ path, body });
  });
});

describe('an answer', () => {
  const of = (status: number, retryAfter: string | null, body: unknown = {}) =>
    predictAnswer(gemini('g'), { status, retryAfter, body }, Date.parse('2026-03-01T10:00:00Z'));

  it.each([
    ['7', 7_000],
    ['0', 0],
    ['Sun, 01 Mar 2026 10:00:30 GMT', 30_000],
    ['Sun, 01 Mar 2026 09:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [null, undefined],
  ])('with Retry-After: %s', (header, retryAfter) => {
    expect(of(429, header)).toMatchObject({ state: 'throttled', retryAfter });
  });

  it('is read where Google puts its error into a list', () => {
    const body = [{ error: { code: 403, message: "Permission 'aiplatform.endpoints.predict' denied" } }];
    expect(of(403, null, body)).toMatchObject({ reason: "403: Permission 'aiplatform.endpoints.predict' denied" });
  });

  it('without a candidate, cut off or blocked, holds no prediction', () => {
    expect(of(200, null, { candidates: [] })).toEqual({ state: 'answered', predictions: [] });
    expect(of(200, null, { candidates: [{ finishReason: 'SAFETY' }] })).toEqual({ state: 'answered', predictions: [] });
    expect(of(200, null, 'nonsense')).toEqual({ state: 'answered', predictions: [] });
  });

  it('that should be JSON and is not is handed on as text, for the schema to refuse', () => {
    const body = { candidates: [{ content: { parts: [{ text: '{"categ' }, { text: 'ory"' }] } }] };
    expect(predictAnswer(gemini('g', { json: true }), { status: 200, retryAfter: null, body }, 0)).toEqual({
      state: 'answered',
      predictions: ['{"category"'],
    });
  });
});
