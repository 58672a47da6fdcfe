/** Reads what a request asks for. Paths as on `LOCATION-aiplatform.googleapis.com`, v1 and v1beta1. */
import { ApiError } from './errors.ts';

export type Method = 'predict' | 'generateContent' | 'embedContent';

export interface Target {
  /** `endpoint` is a model that was deployed; `publisher` is one of Google's. */
  readonly kind: 'endpoint' | 'publisher';
  readonly project: string;
  readonly location: string;
  /** The endpoint's or the model's id. */
  readonly id: string;
  readonly method: Method;
}

export type JsonObject = Readonly<Record<string, unknown>>;

const PATH =
  /^\/v1(?:beta1)?\/projects\/([^/]+)\/locations\/([^/]+)\/(endpoints|publishers\/google\/models)\/([^/:]+):(\w+)$/;
const METHODS: Readonly<Record<Target['kind'], readonly string[]>> = {
  endpoint: ['predict', 'generateContent'],
  publisher: ['predict', 'generateContent', 'embedContent'],
};

/** @throws {ApiError} 404 when the path is none of those that are known */
export function targetOf(path: string): Target {
  const [, project, location, collection, id, method] = PATH.exec(path) ?? [];
  if (!project || !location || !id || !method) throw new ApiError(404, `no such path: ${path}`);
  const kind = collection === 'endpoints' ? 'endpoint' : 'publisher';
  if (!METHODS[kind].includes(method)) throw new ApiError(404, `no such method: ${method} of ${collection}`);
  return { kind, project, location, id, method: method as Method };
}

/** @throws {ApiError} 400 */
export function parseBody(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // told below
  }
  throw new ApiError(400, 'Invalid JSON payload received.');
}

/** A list that must be there and not be empty. @throws {ApiError} 400 */
export function listOf(body: JsonObject, field: string): readonly unknown[] {
  const list = body[field];
  if (!Array.isArray(list) || list.length === 0)
    throw new ApiError(400, `Invalid value at '${field}': must be a list that is not empty.`);
  return list;
}

/** The text of a Content: its parts' texts, joined. @throws {ApiError} 400 when it has none */
export function textOfContent(content: unknown, field: string): string {
  const parts = isObject(content) && Array.isArray(content.parts) ? content.parts : [];
  const texts = parts.flatMap((part) => (isObject(part) && typeof part.text === 'string' ? [part.text] : []));
  if (texts.length === 0) throw new ApiError(400, `Invalid value at '${field}': must have a part with text.`);
  return texts.join('');
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
