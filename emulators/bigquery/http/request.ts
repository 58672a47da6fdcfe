/** One request as the handlers see it, and the pieces they answer with. */
import { ApiError, invalid } from '../api-error.ts';

export type Json = Record<string, unknown>;

export interface ApiRequest {
  readonly method: string;
  /** Decoded parts of the path that the route names. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** `{}` when none was sent. */
  readonly body: Json;
  readonly ifMatch: string | undefined;
  /** `http://host:port`, for links. */
  readonly origin: string;
}

export interface ApiAnswer {
  readonly status: number;
  /** `undefined` for an answer without a body. */
  readonly body: object | undefined;
  /** The connection is dropped instead of answering. */
  readonly lost?: boolean;
}

export type Handler = (request: ApiRequest) => Promise<ApiAnswer> | ApiAnswer;

export function ok(body: object): ApiAnswer {
  return { status: 200, body };
}

export const NO_CONTENT: ApiAnswer = { status: 204, body: undefined };

/** A path part that the route is known to have. */
export function param(request: ApiRequest, name: string): string {
  return request.params[name] ?? '';
}

/** A whole number from 0 up out of a query string or a body. */
export function wholeNumber(value: unknown, name: string, fallback: number): number {
  if (value === undefined || value === null || value === '') return fallback;
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 0) throw invalid(`Invalid value for ${name}: ${String(value)}`, name);
  return number;
}

export function optionalString(value: unknown, name: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw invalid(`Invalid value for ${name}: a string expected`, name);
  return value;
}

export function objectOf(value: unknown, name: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw new ApiError('required', `Required parameter is missing: ${name}`, name);
}

/** Labels, or `undefined`; every value a string. */
export function labelsOf(value: unknown): Readonly<Record<string, string>> | undefined {
  if (value === undefined || value === null) return undefined;
  const entries = Object.entries(objectOf(value, 'labels')).filter(([, text]) => text !== null);
  for (const [key, text] of entries)
    if (typeof text !== 'string') throw invalid(`Invalid label ${key}: a string expected`, 'labels');
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Page tokens are offsets. @throws {ApiError} for a token that is none of this server's. */
export function offsetOf(token: unknown): number {
  if (token === undefined || token === null || token === '') return 0;
  const match = /^at(\d{1,15})$/.exec(Buffer.from(String(token), 'base64url').toString());
  if (!match) throw invalid(`Invalid page token: ${String(token).slice(0, 100)}`, 'pageToken');
  return Number(match[1]);
}

export function tokenOf(offset: number): string {
  return Buffer.from(`at${offset}`).toString('base64url');
}

/** A page of a list that is all in memory. */
export function pageOf<T>(
  items: readonly T[],
  request: ApiRequest,
): { readonly items: readonly T[]; readonly nextPageToken?: string } {
  const start = offsetOf(request.query.get('pageToken'));
  const size = wholeNumber(request.query.get('maxResults'), 'maxResults', 1000) || 1000;
  const end = start + size;
  return { items: items.slice(start, end), ...(end < items.length && { nextPageToken: tokenOf(end) }) };
}
