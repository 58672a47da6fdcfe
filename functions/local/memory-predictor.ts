/** A model in this process: a function of an instance, which may ask another server. */
import { messageOf, RetryableError } from '../model/errors.ts';
import type { PredictAnswer, Predictor, PredictRequest } from '../ports/predictor.ts';

/**
 * The prediction of an instance. What it throws refuses the whole request, as Vertex AI does; a `RetryableError` says that
 * it is not to be had now, as a 503 does.
 */
export type LocalModel = (instance: unknown) => unknown;

export class MemoryPredictor implements Predictor {
  /** The instances of each request, in order. */
  readonly requests: PredictRequest[] = [];
  readonly #model: LocalModel;

  constructor(model: LocalModel) {
    this.#model = model;
  }

  async predict(request: PredictRequest): Promise<PredictAnswer> {
    this.requests.push(request);
    try {
      const predictions = request.instances.map((instance) => this.#model(instance));
      const isAsync = predictions.some((prediction) => prediction instanceof Promise);
      return { state: 'answered', predictions: isAsync ? await Promise.all(predictions) : predictions };
    } catch (error) {
      const reason = messageOf(error);
      return error instanceof RetryableError
        ? { state: 'unavailable', retryAfter: undefined, reason }
        : { state: 'refused', reason, answer: { error: reason } };
    }
  }

  async close(): Promise<void> {}
}
