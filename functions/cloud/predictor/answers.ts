/** What an answer of Vertex AI means for us, by its status. Pure. */
import type { ModelAddress } from '../../model/models.ts';
import { type Millis, MAX_TIMESTAMP } from '../../model/time.ts';
import type { PredictAnswer } from '../../ports/predictor.ts';
import { predictionsOf } from './requests.ts';

export interface RestAnswer {
  readonly status: number;
  /** The value of the header `Retry-After`, if there is one. */
  readonly retryAfter: string | null;
  readonly body: unknown;
}

const TOO_MANY = 429;
/**
 * Again later: request timeout, client closed request, and everything that is the server's fault. So is what no instance can
 * help: a role that was given just now and has not spread yet, or that somebody took; an API or model that is not there.
 */
const LATER: ReadonlySet<number> = new Set([401, 403, 404, 408, 499]);

/** @param now to which a `Retry-After` that is a date is related, epoch milliseconds */
export function predictAnswer(
  model: ModelAddress,
  { status, retryAfter, body }: RestAnswer,
  now: number,
): PredictAnswer {
  if (status >= 200 && status < 300) return { state: 'answered', predictions: predictionsOf(model, body) };
  const reason = `${status}: ${errorMessage(body)}`;
  if (status === TOO_MANY) return { state: 'throttled', retryAfter: waitOf(retryAfter, now), reason };
  if (status >= 500 || LATER.has(status)) return { state: 'unavailable', retryAfter: waitOf(retryAfter, now), reason };
  return { state: 'refused', reason, answer: body };
}

/** Seconds or an HTTP date. */
function waitOf(header: string | null, now: number): Millis | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  const millis = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - now;
  return Number.isFinite(millis) ? (Math.min(Math.max(0, Math.ceil(millis)), MAX_TIMESTAMP) as Millis) : undefined;
}

function errorMessage(body: unknown): string {
  const { error } = ((Array.isArray(body) ? body[0] : body) ?? {}) as {
    readonly error?: { readonly message?: unknown };
  };
  if (typeof error?.message === 'string') return error.message;
  return typeof body === 'string' ? body.slice(0, 500) : 'no reason was given';
}
