import { Vertex } from '../../../emulators/vertex/vertex.ts';
import type { VertexOptions } from '../../../emulators/vertex/settings.ts';
import { predictAnswer } from '../../../functions/cloud/predictor/answers.ts';
import { restRequest } from '../../../functions/cloud/predictor/requests.ts';
import type { VirtualClock } from '../../../functions/local/virtual-clock.ts';
import type { Millis } from '../../../functions/model/time.ts';
import type { PredictAnswer, Predictor, PredictRequest } from '../../../functions/ports/predictor.ts';

const PLACE = { project: 'p', location: 'us-central1' };

/** The model server under a virtual clock, reached by the cloud adapter's own requests and readings. */
export class VertexOnClock implements Predictor {
  readonly vertex: Vertex;
  /** How long each request was open, milliseconds. */
  readonly durations: number[] = [];
  readonly #clock: VirtualClock;

  constructor(clock: VirtualClock, options: VertexOptions) {
    this.#clock = clock;
    const sleep = (millis: number): Promise<void> => clock.sleep(millis as Millis);
    this.vertex = new Vertex({ ...options, now: () => clock.now(), sleep });
  }

  async predict({ model, instances, key }: PredictRequest): Promise<PredictAnswer> {
    const begun = this.#clock.now();
    const { path, body } = restRequest(model, instances, PLACE);
    const answer = await this.vertex.answer({ path, body: JSON.stringify(body), key });
    this.durations.push(this.#clock.now() - begun);
    if (answer === 'lost') return { state: 'unavailable', retryAfter: undefined, reason: 'the connection was cut' };
    const retryAfter = answer.headers['retry-after'] ?? answer.headers['Retry-After'] ?? null;
    return predictAnswer(model, { status: answer.status, retryAfter, body: answer.body }, this.#clock.now());
  }

  async close(): Promise<void> {}
}
