/**
 * Models on Vertex AI, by REST. Invariant: every call is one request, tried once; the client and its credentials are made
 * with the first call, and `close` ends what is under way.
 */
import { messageOf } from '../../model/errors.ts';
import { describeModel, type ModelAddress } from '../../model/models.ts';
import type { Clock } from '../../ports/clock.ts';
import type { PredictAnswer, Predictor, PredictRequest } from '../../ports/predictor.ts';
import { defaultCredentials } from '../credentials.ts';
import { predictAnswer } from './answers.ts';
import { hostOf, type Place, restRequest } from './requests.ts';

export interface VertexSetting extends Place {
  readonly clock: Clock;
  /** Another server with the same shapes, e.g. `http://127.0.0.1:8090`; it is not shown any credentials. */
  readonly baseUrl?: string;
}

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';

export class VertexPredictor implements Predictor {
  readonly #setting: VertexSetting;
  readonly #closing = new AbortController();
  readonly #credentials = defaultCredentials(SCOPE);

  constructor(setting: VertexSetting) {
    this.#setting = setting;
  }

  async predict({ model, instances, key, signal }: PredictRequest): Promise<PredictAnswer> {
    const { path, body } = restRequest(model, instances, this.#setting);
    try {
      const response = await fetch(`${this.#serverOf(model)}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': key, ...(await this.#headers()) },
        body: JSON.stringify(body),
        signal: AbortSignal.any([signal, this.#closing.signal]),
      });
      const answer = {
        status: response.status,
        retryAfter: response.headers.get('retry-after'),
        body: await bodyOf(response),
      };
      return predictAnswer(model, answer, this.#setting.clock.now());
    } catch (error) {
      // No connection, no credentials just now, or it was cut: nobody knows whether the work was done.
      const reason = `${describeModel(model)} could not be asked: ${reasonOf(error)}`;
      return { state: 'unavailable', retryAfter: undefined, reason };
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
  }

  async #headers(): Promise<Readonly<Record<string, string>>> {
    return this.#setting.baseUrl === undefined ? this.#credentials() : {};
  }

  #serverOf(model: ModelAddress): string {
    const { baseUrl } = this.#setting;
    return baseUrl === undefined ? `https://${hostOf(model, this.#setting)}` : baseUrl.replace(/\/$/, '');
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** `fetch` hides the reason in the cause. */
function reasonOf(error: unknown): string {
  return error instanceof Error && error.cause instanceof Error ? error.cause.message : messageOf(error);
}
