/** A model in this process: a function of an instance. What it throws refuses the whole request, as Vertex AI does. */
import { messageOf } from '../model/errors.ts';
import type { PredictAnswer, Predictor, PredictRequest } from '../ports/predictor.ts';

export class MemoryPredictor implements Predictor {
  /** The instances of each request, in order. */
  readonly requests: PredictRequest[] = [];
  readonly #model: (instance: unknown) => unknown;

  constructor(model: (instance: unknown) => unknown) {
    this.#model = model;
  }

  async predict(request: PredictRequest): Promise<PredictAnswer> {
    this.requests.push(request);
    try {
      return { state: 'answered', predictions: request.instances.map((instance) => this.#model(instance)) };
    } catch (error) {
      return { state: 'refused', reason: messageOf(error), answer: { error: messageOf(error) } };
    }
  }

  async close(): Promise<void> {}
}
