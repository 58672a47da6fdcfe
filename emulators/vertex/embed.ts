/**
 * Embeddings of publisher models, with their limits: by `:predict` 250 texts and 20,000 tokens a request (one text for
 * gemini-embedding-001), by `:embedContent` one content. Texts are cut at 2,048 tokens unless told otherwise.
 */
import { ApiError } from './errors.ts';
import { hashEmbedding } from './models.ts';
import { onInstance, type Work } from './predict.ts';
import { isObject, type JsonObject, listOf, type Target, textOfContent } from './requests.ts';
import type { VertexOptions } from './settings.ts';

const MAX_TEXTS = 250;
const MAX_TOKENS = 20_000;
const MAX_TOKENS_PER_TEXT = 2_048;
/** Tokens are counted as the usual estimate for English: four characters each. */
const CHARACTERS_PER_TOKEN = 4;
/** Numbers in a vector unless a request asks for fewer. */
const DEFAULT_DIMENSIONS = 768;

/** @throws {ApiError} 400 above a limit or for a bad text, 404 for a model that does not embed */
export function embedByPredict(target: Target, body: JsonObject, options: VertexOptions): Work {
  if (!target.id.includes('embedding')) throw new ApiError(404, `Publisher Model ${target.id} was not found.`);
  if (target.id.startsWith('gemini-embedding-2')) throw new ApiError(400, `${target.id} is served by embedContent.`);
  const instances = listOf(body, 'instances');
  const maxTexts = target.id.startsWith('gemini-embedding') ? 1 : MAX_TEXTS;
  if (instances.length > maxTexts) {
    throw new ApiError(400, `${instances.length} instance(s) is too many; ${target.id} takes ${maxTexts} a request.`);
  }
  const texts = instances.map((instance) => onInstance(instance, options.isBad, () => contentOf(instance)));
  const tokens = texts.reduce((sum, text) => sum + tokensOf(text), 0);
  if (tokens > MAX_TOKENS) {
    throw new ApiError(400, `The input token count is ${tokens} but the model supports up to ${MAX_TOKENS}.`);
  }
  const parameters = isObject(body.parameters) ? body.parameters : {};
  const predictions = texts.map((text) => {
    const { values, tokenCount, truncated } = embed(text, parameters, options);
    return { embeddings: { values, statistics: { token_count: tokenCount, truncated } } };
  });
  const billableCharacterCount = texts.reduce((sum, text) => sum + text.replace(/\s/g, '').length, 0);
  return { instances: texts.length, body: { predictions, metadata: { billableCharacterCount } } };
}

/** @throws {ApiError} as `embedByPredict` */
export function embedContent(target: Target, body: JsonObject, options: VertexOptions): Work {
  if (!target.id.includes('embedding')) throw new ApiError(404, `Publisher Model ${target.id} was not found.`);
  const text = textOfContent(body.content, 'content');
  const config = isObject(body.embedContentConfig) ? body.embedContentConfig : body;
  const { values, tokenCount, truncated } = onInstance(text, options.isBad, () => embed(text, config, options));
  const usageMetadata = { promptTokenCount: tokenCount, totalTokenCount: tokenCount };
  return { instances: 1, body: { embedding: { values }, usageMetadata, truncated } };
}

export function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

function embed(
  text: string,
  { autoTruncate, outputDimensionality }: JsonObject,
  { models, isBad }: VertexOptions,
): { values: number[]; tokenCount: number; truncated: boolean } {
  const truncated = tokensOf(text) > MAX_TOKENS_PER_TEXT;
  if (truncated && autoTruncate === false) {
    throw new ApiError(
      400,
      `The input has ${tokensOf(text)} tokens but the model supports up to ${MAX_TOKENS_PER_TEXT}.`,
    );
  }
  const used = truncated ? text.slice(0, MAX_TOKENS_PER_TEXT * CHARACTERS_PER_TOKEN) : text;
  const dimensions = typeof outputDimensionality === 'number' ? outputDimensionality : DEFAULT_DIMENSIONS;
  const model = models?.embed ?? hashEmbedding;
  return { values: onInstance(used, isBad, () => model(used, dimensions)), tokenCount: tokensOf(used), truncated };
}

function contentOf(instance: unknown): string {
  if (isObject(instance) && typeof instance.content === 'string') return instance.content;
  throw new ApiError(400, "Invalid instances: each must have a text 'content'.");
}
