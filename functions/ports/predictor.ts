/**
 * Models that are served elsewhere. A call is one request and is never tried again in here: whoever calls decides.
 *
 * Contract, held by one suite over every adapter:
 * - `predict` never throws; what went wrong is in the answer, sorted by what to do about it.
 * - `predictions[i]` answers `instances[i]`. There may be fewer than instances: then nobody knows whose they are.
 * - `key` is the same for every try of the same work, and goes along where the server takes one.
 */
import type { ModelAddress } from '../model/models.ts';
import type { Millis } from '../model/time.ts';

export interface PredictRequest {
  readonly model: ModelAddress;
  readonly instances: readonly unknown[];
  readonly key: string;
  /** Gives up when it aborts; the server may have done the work. */
  readonly signal: AbortSignal;
}

export type PredictAnswer =
  | { readonly state: 'answered'; readonly predictions: readonly unknown[] }
  /** 429: too much was asked of it. */
  | { readonly state: 'throttled'; readonly retryAfter: Millis | undefined; readonly reason: string }
  /** 401, 403, 404, 408, 5xx, no answer in time, no connection: nothing of the instances, and it may go well later. */
  | { readonly state: 'unavailable'; readonly retryAfter: Millis | undefined; readonly reason: string }
  /** Any other status: it does not take this request. `answer` = what it said. */
  | { readonly state: 'refused'; readonly reason: string; readonly answer: unknown };

export interface Predictor {
  predict(request: PredictRequest): Promise<PredictAnswer>;
  /** Gives back what it holds open. */
  close(): Promise<void>;
}
