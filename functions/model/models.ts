/**
 * Which model is asked, and how. Plain data: a pipeline knows nothing of clients and credentials. Invariant: prediction `i`
 * answers instance `i`.
 */
import { ConfigurationError } from './errors.ts';

interface Located {
  /** Where it is served, e.g. `europe-west4`, `eu` or `global`. Default: the pipeline's own region. */
  readonly location?: string;
  /** Default: the pipeline's own project. */
  readonly project?: string;
}

/** An endpoint of Vertex AI, by `:predict`. */
export interface EndpointModel extends Located {
  readonly kind: 'endpoint';
  /** The endpoint's id. */
  readonly endpoint: string;
  /**
   * Where a dedicated endpoint answers, which it does nowhere else: its `dedicatedEndpointDns`, e.g.
   * `123.us-central1-456.prediction.vertexai.goog`. Default: the location's own address, for endpoints that are shared.
   */
  readonly host?: string;
  /** Sent along with every request. */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

/** A Gemini model, by `:generateContent`. An instance is a prompt's text. */
export interface GeminiModel extends Located {
  readonly kind: 'gemini';
  /** E.g. `gemini-2.5-flash`. */
  readonly model: string;
  readonly system?: string;
  /** The answer is JSON, and the prediction what it says; else the prediction is the text. */
  readonly json: boolean;
  /** `generationConfig`, e.g. `{ temperature: 0 }`. */
  readonly generation?: Readonly<Record<string, unknown>>;
}

/** An embedding model. An instance is a text, a prediction a list of numbers. */
export interface EmbeddingModel extends Located {
  readonly kind: 'embedding';
  /** E.g. `text-embedding-005`, `gemini-embedding-001`. */
  readonly model: string;
  readonly dimensions?: number;
  /** What the embedding is for, e.g. `RETRIEVAL_DOCUMENT`. */
  readonly task?: string;
}

export type ModelAddress = EndpointModel | GeminiModel | EmbeddingModel;

/** Nothing but Vertex AI is shown the function's credentials. */
const DEDICATED = /^[a-z0-9-]+(\.[a-z0-9-]+)*\.prediction\.vertexai\.goog$/i;

/** A model that is deployed on an endpoint of Vertex AI. @param endpoint its id, digits as a rule */
export function vertexEndpoint(
  endpoint: string,
  options: Located & Pick<EndpointModel, 'host' | 'parameters'> = {},
): EndpointModel {
  const { host } = options;
  if (host !== undefined && !DEDICATED.test(host))
    throw new ConfigurationError(
      `vertexEndpoint(host): expected a dedicated endpoint's name such as '123.us-central1-456.prediction.vertexai.goog', got ${JSON.stringify(host)}`,
    );
  return { kind: 'endpoint', endpoint: named('vertexEndpoint(endpoint)', endpoint), ...options };
}

/** A Gemini model, asked for each element by itself. */
export function gemini(
  model: string,
  options: Located & Pick<GeminiModel, 'system' | 'generation'> & { readonly json?: boolean } = {},
): GeminiModel {
  const { json = false, ...others } = options;
  return { kind: 'gemini', model: named('gemini(model)', model), json, ...others };
}

/** A model that turns texts into vectors. */
export function embeddings(
  model: string,
  options: Located & Pick<EmbeddingModel, 'dimensions' | 'task'> = {},
): EmbeddingModel {
  return { kind: 'embedding', model: named('embeddings(model)', model), ...options };
}

/** What one request to a model may hold. */
export interface RequestLimits {
  readonly instances: number;
  /** Of all instances as JSON. */
  readonly bytes: number;
  /** Counted as four characters each; undefined = no limit. */
  readonly tokens: number | undefined;
}

/** A shared endpoint takes 1.5 MB a request; the rest is room for what stands around the instances. */
const REQUEST_BYTES = 1_400_000;

/** The most that one request to this model may hold, by what Vertex AI documents. */
export function requestLimits(model: ModelAddress): RequestLimits {
  if (model.kind === 'endpoint') return { instances: 1_000, bytes: REQUEST_BYTES, tokens: undefined };
  if (model.kind === 'gemini' || isSingleText(model)) return { instances: 1, bytes: REQUEST_BYTES, tokens: undefined };
  return { instances: 250, bytes: REQUEST_BYTES, tokens: 20_000 };
}

/** Embedding models that take one text a request. */
export function isSingleText({ model }: EmbeddingModel): boolean {
  return model.startsWith('gemini-embedding');
}

/** For messages. */
export function describeModel(model: ModelAddress): string {
  return model.kind === 'endpoint' ? `endpoint ${model.endpoint}` : model.model;
}

function named(where: string, name: string): string {
  if (typeof name !== 'string' || !/^[A-Za-z0-9._-]+$/.test(name))
    throw new ConfigurationError(
      `${where}: expected an id such as '1234567890' or 'gemini-2.5-flash', got ${JSON.stringify(name)}`,
    );
  return name;
}
