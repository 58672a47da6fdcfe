/** What is asked of Vertex AI's REST, and what of its answer is a prediction. Pure. */
import type { EmbeddingModel, ModelAddress } from '../../model/models.ts';

/** Where models are that name no place of their own. */
export interface Place {
  readonly project: string;
  readonly location: string;
}

export interface RestRequest {
  /** Behind the server's address. */
  readonly path: string;
  readonly body: unknown;
}

/** Places that are several regions, and named otherwise than a region is. */
const MULTI_REGIONS: ReadonlySet<string> = new Set(['us', 'eu']);

/** Who answers for a model. */
export function hostOf(model: ModelAddress, place: Place): string {
  if (model.kind === 'endpoint' && model.host !== undefined) return model.host;
  const { location = place.location } = model;
  if (location === 'global') return 'aiplatform.googleapis.com';
  return MULTI_REGIONS.has(location)
    ? `aiplatform.${location}.rep.googleapis.com`
    : `${location}-aiplatform.googleapis.com`;
}

export function restRequest(model: ModelAddress, instances: readonly unknown[], place: Place): RestRequest {
  const { project = place.project, location = place.location } = model;
  const parent = `/v1/projects/${project}/locations/${location}`;
  switch (model.kind) {
    case 'endpoint': {
      const { endpoint, parameters } = model;
      const body = { instances, ...(parameters === undefined ? {} : { parameters }) };
      return { path: `${parent}/endpoints/${endpoint}:predict`, body };
    }
    case 'gemini': {
      const { system, json, generation } = model;
      const config = { ...generation, ...(json ? { responseMimeType: 'application/json' } : {}) };
      const body = {
        contents: [{ role: 'user', parts: [{ text: instances[0] }] }],
        ...(system === undefined ? {} : { systemInstruction: { parts: [{ text: system }] } }),
        ...(Object.keys(config).length === 0 ? {} : { generationConfig: config }),
      };
      return { path: `${parent}/publishers/google/models/${model.model}:generateContent`, body };
    }
    case 'embedding': {
      const { task, dimensions } = model;
      if (usesEmbedContent(model)) {
        const size = dimensions === undefined ? {} : { outputDimensionality: dimensions };
        const body = {
          content: { parts: [{ text: instances[0] }] },
          ...(task === undefined ? {} : { taskType: task }),
          ...size,
        };
        return { path: `${parent}/publishers/google/models/${model.model}:embedContent`, body };
      }
      const parameters = dimensions === undefined ? {} : { parameters: { outputDimensionality: dimensions } };
      const texts = instances.map((content) => ({ content, ...(task === undefined ? {} : { task_type: task }) }));
      return {
        path: `${parent}/publishers/google/models/${model.model}:predict`,
        body: { instances: texts, ...parameters },
      };
    }
  }
}

/** From the second generation on, Gemini's embedding models have a method of their own. */
function usesEmbedContent({ model }: EmbeddingModel): boolean {
  return model.startsWith('gemini-embedding-') && model !== 'gemini-embedding-001';
}

/** The predictions of an answer; fewer than instances where it holds fewer. */
export function predictionsOf(model: ModelAddress, answer: unknown): readonly unknown[] {
  if (model.kind === 'gemini') return generated(model.json, answer);
  if (model.kind === 'embedding' && usesEmbedContent(model)) {
    const { embedding } = (answer ?? {}) as { readonly embedding?: { readonly values?: unknown } };
    return embedding?.values === undefined ? [] : [embedding.values];
  }
  const { predictions } = (answer ?? {}) as { readonly predictions?: unknown };
  if (!Array.isArray(predictions)) return [];
  return model.kind === 'endpoint' ? predictions : predictions.map(vectorOf);
}

/** The text of the first candidate; what was cut off or blocked is none. */
function generated(json: boolean, answer: unknown): readonly unknown[] {
  const { candidates } = (answer ?? {}) as { readonly candidates?: readonly Candidate[] };
  const text = candidates?.[0]?.content?.parts?.map((part) => part.text ?? '').join('');
  if (text === undefined || text === '') return [];
  if (!json) return [text];
  try {
    return [JSON.parse(text)];
  } catch {
    // The author's schema says what is wrong with it, and the dead letter shows it.
    return [text];
  }
}

interface Candidate {
  readonly content?: { readonly parts?: readonly { readonly text?: string }[] };
}

function vectorOf(prediction: unknown): unknown {
  return (
    (prediction as { readonly embeddings?: { readonly values?: unknown } } | null)?.embeddings?.values ?? prediction
  );
}
