/** A model in this process: a function of an instance, which may ask another server. */
import { messageOf, RetryableError } from '../model/errors.ts';
import type { PredictAnswer, Predictor, PredictRequest } from '../ports/predictor.ts';

/**
 * The prediction of an instance. What it throws refuses the whole request, as Vertex AI does; a `RetryableError` says that
 * this one is not to be had now.
 */
export type LocalModel = (instance: unknown) => unknown;

/** Predictions, by their instances as JSON: of a request that comes again, some instances may be answered from elsewhere. */
type Known = Map<string, unknown>;

export class MemoryPredictor implements Predictor {
  /** The instances of each request, in order. */
  readonly requests: PredictRequest[] = [];
  readonly #model: LocalModel;
  /** Of requests that could not be answered as a whole, by key: when they come again, only the rest is asked for. */
  readonly #known = new Map<string, Known>();

  constructor(model: LocalModel) {
    this.#model = model;
  }

  async predict(request: PredictRequest): Promise<PredictAnswer> {
    this.requests.push(request);
    const { instances, key } = request;
    const known = this.#known.get(key) ?? new Map<string, unknown>();
    const problems: unknown[] = [];
    const pending = this.#ask(instances, known, problems);
    if (pending.length > 0) await Promise.all(pending);
    this.#known.delete(key);
    const refusal = problems.find((problem) => !(problem instanceof RetryableError));
    if (refusal !== undefined) {
      const reason = messageOf(refusal);
      return { state: 'refused', reason, answer: { error: reason } };
    }
    if (problems.length === 0)
      return { state: 'answered', predictions: instances.map((each) => known.get(JSON.stringify(each))) };
    this.#known.set(key, known);
    return { state: 'unavailable', retryAfter: undefined, reason: messageOf(problems[0]) };
  }

  /** Adds what is known at once, or what went wrong. @returns what has to be waited for */
  #ask(instances: readonly unknown[], known: Known, problems: unknown[]): Promise<unknown>[] {
    const pending: Promise<unknown>[] = [];
    for (const instance of instances) {
      const text = JSON.stringify(instance);
      if (known.has(text)) continue;
      try {
        const prediction = this.#model(instance);
        if (!(prediction instanceof Promise)) known.set(text, prediction);
        else
          pending.push(
            prediction.then(
              (value) => known.set(text, value),
              (error: unknown) => problems.push(error),
            ),
          );
      } catch (error) {
        problems.push(error);
      }
    }
    return pending;
  }

  async close(): Promise<void> {}
}
