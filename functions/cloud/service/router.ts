/**
 * From an HTTP request to the work that it asks for, and back to a status. Invariants: nothing is looked at before the
 * caller is known; every request is answered, before the platform would cut it off; a handler never rejects. A 5xx is the
 * last resort, since many of them make Pub/Sub pause the whole subscription.
 */
import { DecodeError, RetryableError } from '../../model/errors.ts';
import type { Millis } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';
import { decodePush, PushIdentityError, type PushMessage, type PushVerifier } from '../push/index.ts';
import { Deadlines } from './deadlines.ts';
import { InFlight, type InFlightLimits } from './in-flight.ts';
import type { Log } from './log.ts';

/** As much of Express' request as is used. */
export interface FunctionRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body?: unknown;
  readonly rawBody?: Uint8Array | undefined;
}

/** As much of Express' response as is used. */
export interface FunctionResponse {
  status(code: number): { json(body: unknown): unknown; end(): unknown };
}

/** Answers one path. What it throws becomes a status; see `statusOf`. */
export type Route =
  /** Takes a Pub/Sub message; it is acknowledged when this resolves. */
  | { readonly kind: 'push'; readonly take: (message: PushMessage) => Promise<void> }
  /** Does something, and answers with what it found. */
  | { readonly kind: 'call'; readonly call: () => Promise<unknown> };

export interface RouterSetting {
  /** By path, such as `/stages/delays`. */
  readonly routes: ReadonlyMap<string, Route>;
  readonly verify: PushVerifier;
  readonly clock: Clock;
  readonly log: Log;
  /** In milliseconds. */
  readonly answerWithin: number;
  readonly limits?: InFlightLimits;
}

/** More than the concurrency that the manifest gives an instance; so the platform's own limit comes first. */
const DEFAULT_LIMITS: InFlightLimits = { requests: 1_000, bytes: 128 * 1024 * 1024 };
const CLOUD_TRACE = /^([0-9a-f]{32})(?:\/|$)/;
const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-/;

interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

export class Router {
  readonly #setting: RouterSetting;
  readonly #inFlight: InFlight;
  readonly #deadlines: Deadlines;

  constructor(setting: RouterSetting) {
    this.#setting = setting;
    this.#inFlight = new InFlight(setting.limits ?? DEFAULT_LIMITS);
    this.#deadlines = new Deadlines(setting.clock, setting.answerWithin as Millis);
  }

  /** Handles one request; never rejects. */
  async handle(request: FunctionRequest, response: FunctionResponse): Promise<void> {
    const { status, body } = await this.#answer(request);
    const begun = response.status(status);
    if (body === undefined) begun.end();
    else begun.json(body);
  }

  /** Lets nothing in any more; resolves when everything that was let in has been answered. */
  drain(): Promise<void> {
    return this.#inFlight.drain();
  }

  async #answer(request: FunctionRequest): Promise<Answer> {
    const route = this.#setting.routes.get(request.path);
    if (route === undefined) return { status: 404 };
    const bytes = request.rawBody?.byteLength ?? 0;
    const refusal = this.#inFlight.refusal(bytes);
    if (refusal !== undefined) return { status: refusal === 'full' ? 429 : 503 };
    return this.#inFlight.during(bytes, () => this.#inTime(route, request));
  }

  /** The work goes on after its time is up; what it then commits is found done when the message comes again. */
  #inTime(route: Route, request: FunctionRequest): Promise<Answer> {
    return new Promise((resolve) => {
      const cancel = this.#deadlines.start(() => {
        this.#setting.log.warning(`${request.path} was not answered in time`, { trace: traceOf(request) });
        resolve({ status: 503 });
      });
      void this.#work(route, request).then((answer) => {
        cancel();
        resolve(answer);
      });
    });
  }

  /** Never rejects. */
  async #work(route: Route, request: FunctionRequest): Promise<Answer> {
    try {
      await this.#setting.verify(request);
      if (route.kind === 'call') return { status: 200, body: await route.call() };
      await route.take(decodePush(request));
      return { status: 204 };
    } catch (error) {
      const status = statusOf(error);
      const fields = { trace: traceOf(request), error };
      if (status >= 500 && !(error instanceof RetryableError))
        this.#setting.log.error(`${request.path} failed`, fields);
      else this.#setting.log.warning(`${request.path} was answered with ${status}`, fields);
      return { status };
    }
  }
}

function statusOf(error: unknown): number {
  if (error instanceof PushIdentityError) return error.status;
  if (error instanceof DecodeError) return 400;
  return error instanceof RetryableError ? 503 : 500;
}

function traceOf({ headers }: FunctionRequest): string | undefined {
  const cloud = String(headers['x-cloud-trace-context'] ?? '');
  return (CLOUD_TRACE.exec(cloud) ?? TRACE_PARENT.exec(String(headers['traceparent'] ?? '')))?.[1];
}
