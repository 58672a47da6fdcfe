/**
 * Look-ups by HTTP. Invariant: 408, 429, 5xx, time-outs and broken connections are `RetryableError`s; 404 is "nothing
 * there"; every other refusal is the fault of the key that was asked for.
 */
import { optionalFunction, plainFunction } from '../../model/author-function.ts';
import { messageOf, PoisonError, RetryableError } from '../../model/errors.ts';
import type { Key } from '../../model/key.ts';
import { checkOptions } from '../../model/options.ts';
import type { LookUpClient } from '../../model/transforms/look-up.ts';
import { millis, type Duration } from '../../model/time.ts';

/** A request, as `fetch` takes it. */
export interface LookUpRequest {
  readonly url: string | URL;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface CommonOptions {
  /** A request that has no answer after so long has failed, and is tried again. Default 10 seconds. */
  readonly timeout?: Duration;
}

export interface HttpLookUpOptions<K extends Key, R> extends CommonOptions {
  /** What to ask for one key. */
  readonly request: (key: K) => LookUpRequest | string | URL;
  /** From the response's JSON to the answer. Default: the JSON itself. What it throws makes the answer bad. */
  readonly answer?: (json: unknown, key: K) => R | undefined;
  /** Requests under way at once, from 1 to 100. Default 8. */
  readonly concurrency?: number;
}

export interface HttpBatchLookUpOptions<K extends Key, R> extends CommonOptions {
  /** What to ask for all keys of a batch. */
  readonly request: (keys: readonly K[]) => LookUpRequest;
  /** From the response's JSON to the answers, one for each key and in their order; `undefined` where there is none. */
  readonly answers: (json: unknown, keys: readonly K[]) => readonly (R | Error | undefined)[];
}

/** The server does not take a request, and would not take it later. */
export class HttpRefusedError extends PoisonError {
  override readonly code = 'HTTP_REFUSED';
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/**
 * One request for each key.
 * @example client: httpLookUp({ request: (id) => `https://merchants.example/v1/${encodeURIComponent(id)}` })
 */
export function httpLookUp<K extends Key, R = unknown>(options: HttpLookUpOptions<K, R>): () => LookUpClient<K, R> {
  checkOptions<HttpLookUpOptions<K, R>>('httpLookUp(options)', options, {
    request: true,
    answer: true,
    concurrency: true,
    timeout: true,
  });
  const { concurrency = 8 } = options;
  const request = plainFunction('httpLookUp request', options.request);
  const answer = optionalFunction('httpLookUp answer', options.answer) ?? ((json: unknown) => json as R);
  const timeout = millis('httpLookUp timeout', options.timeout ?? '10s', 1);
  const one = async (key: K): Promise<R | Error | undefined> => {
    try {
      const asked = request(key);
      const json = await fetchJson(typeof asked === 'string' || asked instanceof URL ? { url: asked } : asked, timeout);
      return json === undefined ? undefined : answer(json, key);
    } catch (error) {
      return error instanceof Error ? error : new PoisonError(messageOf(error));
    }
  };
  return () => ({ get: (keys) => inParallel(keys, concurrency, one) });
}

/** One request for all keys of a batch. A refusal of the whole is tried again key by key, by the look-up itself. */
export function httpBatchLookUp<K extends Key, R = unknown>(
  options: HttpBatchLookUpOptions<K, R>,
): () => LookUpClient<K, R> {
  checkOptions<HttpBatchLookUpOptions<K, R>>('httpBatchLookUp(options)', options, {
    request: true,
    answers: true,
    timeout: true,
  });
  const request = plainFunction('httpBatchLookUp request', options.request);
  const answers = plainFunction('httpBatchLookUp answers', options.answers);
  const timeout = millis('httpBatchLookUp timeout', options.timeout ?? '10s', 1);
  const get = async (keys: readonly K[]): Promise<readonly (R | Error | undefined)[]> => {
    const json = await fetchJson(request(keys), timeout);
    return json === undefined ? keys.map(() => undefined) : answers(json, keys);
  };
  return () => ({ get });
}

/** The response's JSON; undefined for 404. */
async function fetchJson({ url, ...init }: LookUpRequest, timeout: number): Promise<unknown> {
  const where = `${init.method ?? 'GET'} ${String(url)}`;
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeout) });
    text = await response.text();
  } catch (cause) {
    if (cause instanceof TypeError && isBadRequest(cause))
      throw new PoisonError(`${where}: ${messageOf(cause)}`, { cause });
    throw new RetryableError(`${where} failed: ${reasonOf(cause)}`, { cause });
  }
  const { status } = response;
  if (status === 404) return undefined;
  if (status === 408 || status === 429 || status >= 500)
    throw new RetryableError(`${where} was answered with ${status}: ${text.slice(0, 500)}`);
  if (!response.ok) throw new HttpRefusedError(`${where} was answered with ${status}: ${text.slice(0, 500)}`, status);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new PoisonError(`${where} was answered with no JSON: ${text.slice(0, 200)}`, { cause });
  }
}

/** `fetch` says 'fetch failed', and why in its cause. */
function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  return cause === undefined ? messageOf(error) : `${messageOf(error)} (${messageOf(cause)})`;
}

/** `fetch` throws a TypeError for broken connections too; those have a cause with a system's code. */
function isBadRequest({ cause }: TypeError): boolean {
  const code = (cause as { readonly code?: unknown } | undefined)?.code;
  return cause === undefined || code === 'ERR_INVALID_URL';
}

/**
 * The answers, among them a `RetryableError` for each key that could not be asked for now. Where as many have failed in a
 * row as are asked for at once, the server is taken to be down and the rest is not asked for.
 * @throws {RetryableError} when nothing is known of any key
 */
async function inParallel<K, R>(
  keys: readonly K[],
  concurrency: number,
  call: (key: K) => Promise<R | Error>,
): Promise<(R | Error)[]> {
  const answers: (R | Error)[] = [];
  const failures: RetryableError[] = [];
  let inARow = 0;
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < keys.length) {
      const at = next++;
      const answer = inARow < concurrency ? await call(keys[at]!) : failures.at(-1)!;
      answers[at] = answer;
      inARow = answer instanceof RetryableError ? inARow + 1 : 0;
      if (answer instanceof RetryableError) failures.push(answer);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, keys.length) }, worker));
  if (keys.length > 0 && failures.length === keys.length) throw failures[0]!;
  return answers;
}
