/** The models behind the server: pure functions, so that the same input has the same answer in every run. */
import { createHash } from 'node:crypto';

/** Thrown by a model for an instance that it cannot take: the whole request is answered with 400, as by Vertex AI. */
export class BadInstanceError extends Error {
  override readonly name = 'BadInstanceError';
}

/** The prediction for one instance. @throws {BadInstanceError} */
export type PredictModel = (instance: unknown, parameters: unknown) => unknown;
/** The text that is generated for a prompt. @throws {BadInstanceError} */
export type GenerateModel = (prompt: string, request: { readonly system: string; readonly json: boolean }) => string;
/** `dimensions` numbers for a text. @throws {BadInstanceError} */
export type EmbedModel = (text: string, dimensions: number) => number[];

export interface Models {
  /** By endpoint id; `'*'` is for all others. Default: `{ '*': merchantCategory }`. */
  readonly predict?: Readonly<Record<string, PredictModel>>;
  /** Default: `echoCategory`. */
  readonly generate?: GenerateModel;
  /** Default: `hashEmbedding`. */
  readonly embed?: EmbedModel;
}

const CATEGORIES: readonly (readonly [category: string, words: RegExp])[] = [
  ['groceries', /market|grocer|food|bakery/i],
  ['travel', /air|hotel|taxi|rail|flight/i],
  ['restaurants', /cafe|coffee|pizza|grill|restaurant/i],
  ['fuel', /gas|fuel|petrol/i],
  ['entertainment', /cinema|game|music|stream/i],
];

/** A merchant's category by the words in its name; `confidence` from a hash, 0.5 to 1. */
export const merchantCategory: PredictModel = (instance) => {
  const text = textOf(instance);
  return { category: categoryOf(text), confidence: Math.round((0.5 + fraction(text) / 2) * 1_000) / 1_000 };
};

/** Answers with the category of the prompt's last line, as JSON where JSON is asked for. */
export const echoCategory: GenerateModel = (prompt, { json }) => {
  const category = categoryOf(prompt.trim().split('\n').at(-1) ?? '');
  return json ? JSON.stringify({ category }) : category;
};

/** A unit vector that depends on every character of the text. */
export const hashEmbedding: EmbedModel = (text, dimensions) => {
  const values = Array.from({ length: dimensions }, (_, n) => fraction(`${n}|${text}`) * 2 - 1);
  const length = Math.hypot(...values) || 1;
  return values.map((value) => value / length);
};

function categoryOf(text: string): string {
  return CATEGORIES.find(([, words]) => words.test(text))?.[0] ?? 'other';
}

/** The text of an instance: itself, or its `text`, `merchant`, `description` or `content`. */
function textOf(instance: unknown): string {
  if (typeof instance === 'string') return instance;
  if (typeof instance === 'object' && instance !== null) {
    const fields = instance as Record<string, unknown>;
    const text = fields.text ?? fields.merchant ?? fields.description ?? fields.content;
    if (typeof text === 'string') return text;
  }
  throw new BadInstanceError('expected a text, or an object with text, merchant, description or content');
}

function fraction(text: string): number {
  return createHash('sha1').update(text).digest().readUInt32BE(0) / 2 ** 32;
}
