/**
 * The model server without HTTP. Invariant: each call is counted once when it comes and once when it ends; the quota
 * is asked before any fault, and a fault with a status before any work.
 */
import { Counters, type VertexCounters } from './counters.ts';
import { embedByPredict, embedContent } from './embed.ts';
import { type Answer, ApiError } from './errors.ts';
import { type Fault, type FaultRule, faultOf } from './faults.ts';
import { generateContent } from './generate.ts';
import { predict, type Work } from './predict.ts';
import { Quota } from './quota.ts';
import { type JsonObject, parseBody, type Target, targetOf } from './requests.ts';
import type { VertexOptions } from './settings.ts';

export interface VertexCall {
  /** E.g. `/v1/projects/p/locations/l/endpoints/e:predict`. */
  readonly path: string;
  readonly body: string;
  /** What makes a repeated call the same call: the header `idempotency-key`. Counted, and nothing else. */
  readonly key?: string | undefined;
}

const DEFAULT_MAX_REQUEST_BYTES = 1_500_000;

export class Vertex {
  readonly #options: VertexOptions;
  readonly #now: () => number;
  readonly #sleep: (millis: number) => Promise<void>;
  #counters = new Counters();
  #quota: Quota | undefined;
  #rules: readonly FaultRule[];
  #startedAt: number;
  #admitted = 0;

  constructor(options: VertexOptions = {}) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#sleep = options.sleep ?? ((millis) => new Promise((resolve) => setTimeout(resolve, millis)));
    this.#rules = options.faults ?? [];
    this.#startedAt = this.#now();
    this.#quota = options.quota && new Quota(options.quota, this.#startedAt);
  }

  /** @returns the answer, or `'lost'` when the connection is to be cut without one */
  async answer({ path, body, key }: VertexCall): Promise<Answer | 'lost'> {
    let target: Target;
    try {
      target = targetOf(path);
    } catch (error) {
      return errorAnswer(error);
    }
    this.#counters.arrived(target.id, key, this.#now());
    const answer = await this.#handle(target, body, key).catch(errorAnswer);
    this.#counters.ended(answer === 'lost' ? undefined : answer.status);
    return answer;
  }

  counters(): VertexCounters {
    return this.#counters.read();
  }

  /** Puts other rules in place of the present ones. */
  setFaults(rules: readonly FaultRule[]): void {
    this.#rules = rules;
  }

  /** Counters to nothing, quota to full, calls and time counted from here; the rules stay. */
  reset(): void {
    this.#counters = new Counters();
    this.#startedAt = this.#now();
    this.#admitted = 0;
    this.#quota = this.#options.quota && new Quota(this.#options.quota, this.#startedAt);
  }

  async #handle(target: Target, body: string, key: string | undefined): Promise<Answer | 'lost'> {
    this.#admit();
    const number = ++this.#admitted;
    const sinceStartMillis = this.#now() - this.#startedAt;
    const fault = faultOf(this.#rules, this.#options.seed ?? 1, { number, sinceStartMillis, target: target.id });
    if (fault?.kind === 'status') {
      throw new ApiError(
        fault.status,
        `The service answers ${fault.status}, as it was told to.`,
        fault.retryAfterSeconds,
      );
    }
    const workMillis = (this.#options.workMillis ?? 0) + (fault?.kind === 'slow' ? fault.millis : 0);
    if (workMillis > 0) await this.#sleep(workMillis);
    const work = this.#work(target, body);
    this.#counters.served(work.instances, key);
    if (fault?.kind === 'lost') return 'lost';
    return { status: 200, headers: {}, body: this.#cut(work.body, fault) };
  }

  #admit(): void {
    const wait = this.#quota?.take(this.#now()) ?? 0;
    if (wait === 0) return;
    const seconds = this.#options.quota?.retryAfter === false ? undefined : Math.ceil(wait / 1_000);
    throw new ApiError(429, 'Resource has been exhausted (e.g. check quota).', seconds);
  }

  #work(target: Target, text: string): Work {
    const limit = this.#options.maxRequestBytes ?? DEFAULT_MAX_REQUEST_BYTES;
    const bytes = Buffer.byteLength(text);
    if (bytes > limit)
      throw new ApiError(400, `Request payload size of ${bytes} bytes exceeds the limit of ${limit} bytes.`);
    const body = parseBody(text);
    if (target.method === 'generateContent') return generateContent(target, body, this.#options);
    if (target.method === 'embedContent') return embedContent(target, body, this.#options);
    return target.kind === 'endpoint'
      ? predict(target, body, this.#options)
      : embedByPredict(target, body, this.#options);
  }

  #cut(body: JsonObject, fault: Fault | undefined): JsonObject {
    if (fault?.kind !== 'partial' || !Array.isArray(body.predictions)) return body;
    this.#counters.partial();
    const kept = Math.floor(body.predictions.length * fault.keep);
    return { ...body, predictions: body.predictions.slice(0, kept) };
  }
}

function errorAnswer(error: unknown): Answer {
  if (error instanceof ApiError) return error.toAnswer();
  return new ApiError(500, `The model failed: ${error instanceof Error ? error.message : String(error)}`).toAnswer();
}
