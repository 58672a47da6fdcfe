/** Why an element could not be enriched. Each carries what the model answered, for its dead letter. */
import { PoisonError } from '../../model/errors.ts';

/** The model does not take this instance. */
export class ModelRefused extends PoisonError {
  override readonly code = 'MODEL_REFUSED';
  readonly answer: unknown;
  constructor(message: string, answer: unknown) {
    super(message);
    this.answer = answer;
  }
}

/** The model's answer is not what the author's schema asks for, or is missing. */
export class PredictionMisfit extends PoisonError {
  override readonly code = 'PREDICTION_MISFIT';
  readonly answer: unknown;
  constructor(message: string, answer: unknown, options?: ErrorOptions) {
    super(message, options);
    this.answer = answer;
  }
}

/** The model could not be asked for as long as the author allows. */
export class ModelUnavailable extends PoisonError {
  override readonly code = 'MODEL_UNAVAILABLE';
}
