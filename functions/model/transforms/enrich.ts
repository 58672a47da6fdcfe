/**
 * Enrichment by a model: every element is shown to a model on its way, in batches, at a rate that the whole pipeline keeps.
 *
 * @example
 * payments.enrichWithModel('category', {
 *   model: vertexEndpoint('1234567890'),
 *   instance: ({ merchant }) => ({ merchant }),
 *   prediction: z.object({ category: z.string() }),
 *   output: (payment, { category }) => ({ ...payment, category }),
 *   requestsPerMinute: 600,
 * });
 *
 * A run on this machine asks what the pipeline's module exports under this name instead; it may be async:
 * export const localModel = (instance: unknown) => ({ category: 'other' });
 */
import { optionalFunction, plainFunction } from '../author-function.ts';
import type { ElementContext } from '../dofn.ts';
import { ConfigurationError } from '../errors.ts';
import type { EnrichNode, Ref } from '../graph.ts';
import { describeModel, type ModelAddress, requestLimits } from '../models.ts';
import { checkOptions, type OptionNames } from '../options.ts';
import type { Schema } from '../source.ts';
import { type Duration, millis } from '../time.ts';

export interface EnrichOptions<T, P, Out> {
  readonly model: ModelAddress;
  /** What the model is shown of an element: a JSON value for an endpoint, a text for Gemini and embeddings. */
  readonly instance: (value: T, context: ElementContext) => unknown;
  /** What the model must answer. An answer that does not parse is a dead letter with the answer in it. */
  readonly prediction: Schema<P>;
  /** What goes on. Default: `{ value, prediction }`. */
  readonly output?: (value: T, prediction: P, context: ElementContext) => Out;
  /** Requests that the pipeline makes at most in a minute; tries again count too. From 1. */
  readonly requestsPerMinute: number;
  readonly batch?: {
    /** Instances of one request. Default: as many as the model takes, at most 250. */
    readonly maxInstances?: number;
    /** Bytes of all instances of one request, as JSON. Default: what the model takes. */
    readonly maxBytes?: number;
    /** Tokens of one request, counted as four characters each. Default: what the model takes. */
    readonly maxTokens?: number;
    /** How long an element waits for others at most. Default two seconds. */
    readonly wait?: Duration;
  };
  /** Answers are used again for equal instances. Default: for ten minutes, the newest 10,000 of a shard. `false`: never. */
  readonly cache?: false | { readonly keepFor?: Duration; readonly entries?: number };
  /** One request may take so long, from 1 second up to the default of 20 seconds. */
  readonly timeout?: Duration;
  /** What cannot be asked for so long, since the model does not answer, becomes a dead letter. Default one day. */
  readonly giveUpAfter?: Duration;
  /** What it costs, in any currency; for the estimate among the counters. Default 0 each. */
  readonly price?: { readonly request?: number; readonly instance?: number; readonly thousandTokens?: number };
}

const OPTIONS: OptionNames<EnrichOptions<unknown, unknown, unknown>> = {
  model: true,
  instance: true,
  prediction: true,
  output: true,
  requestsPerMinute: true,
  batch: true,
  cache: true,
  timeout: true,
  giveUpAfter: true,
  price: true,
};

function checkEnrich<T, P, Out>(where: string, options: EnrichOptions<T, P, Out>): void {
  checkOptions<EnrichOptions<T, P, Out>>(where, options, OPTIONS);
  const { batch = {}, cache = {}, price = {} } = options;
  checkOptions(`${where} batch`, batch, { maxInstances: true, maxBytes: true, maxTokens: true, wait: true });
  if (cache !== false) checkOptions(`${where} cache`, cache, { keepFor: true, entries: true });
  checkOptions(`${where} price`, price, { request: true, instance: true, thousandTokens: true });
}

const MAX_INSTANCES = 250;
const LONGEST_TIMEOUT = 20_000;

/** @throws {ConfigurationError} for what cannot work, and for batches above what the model takes */
export function enrichNode<T, P, Out>(name: string, input: Ref, options: EnrichOptions<T, P, Out>): EnrichNode {
  const where = `enrichWithModel '${name}'`;
  checkEnrich(where, options);
  const { model, instance, prediction, output, batch = {}, cache = {}, price = {} } = options;
  const show = plainFunction(`${where} instance`, instance);
  const result = optionalFunction(`${where} output`, output);
  if (typeof prediction?.parse !== 'function')
    throw new ConfigurationError(`${where} prediction: expected something with a parse method, such as a zod schema`);
  const limits = requestLimits(model);
  const most = (field: string, given: number | undefined, limit: number, otherwise: number): number => {
    const number = given ?? otherwise;
    if (!Number.isSafeInteger(number) || number < 1 || number > limit)
      throw new ConfigurationError(
        `${where} ${field}: expected a whole number from 1 to ${limit} for ${describeModel(model)}, got ${number}`,
      );
    return number;
  };
  const timeout = millis(`${where} timeout`, options.timeout ?? LONGEST_TIMEOUT, 1_000);
  if (timeout > LONGEST_TIMEOUT)
    throw new ConfigurationError(
      `${where} timeout: ${timeout} ms is above ${LONGEST_TIMEOUT} ms; no request may be held open for longer`,
    );
  const tokens = limits.tokens ?? Number.MAX_SAFE_INTEGER;
  return {
    kind: 'enrich',
    name,
    inputs: [input],
    model,
    instance: show as EnrichNode['instance'],
    prediction: prediction as Schema<unknown>,
    output: (result as EnrichNode['output'] | undefined) ?? ((value, answer) => ({ value, prediction: answer })),
    looksAtWindows: instance.length > 1 || (output?.length ?? 0) > 2,
    requestsPerMinute: most('requestsPerMinute', options.requestsPerMinute, 1_000_000, Number.NaN),
    batch: {
      instances: most(
        'batch.maxInstances',
        batch.maxInstances,
        limits.instances,
        Math.min(limits.instances, MAX_INSTANCES),
      ),
      bytes: most('batch.maxBytes', batch.maxBytes, limits.bytes, limits.bytes),
      tokens: most('batch.maxTokens', batch.maxTokens, tokens, tokens),
      wait: millis(`${where} batch.wait`, batch.wait ?? '2s', 1),
    },
    cache:
      cache === false
        ? undefined
        : {
            keepFor: millis(`${where} cache.keepFor`, cache.keepFor ?? '10m', 1),
            entries: most('cache.entries', cache.entries, 1_000_000, 10_000),
          },
    timeout,
    giveUpAfter: millis(`${where} giveUpAfter`, options.giveUpAfter ?? '1d', 1),
    price: { request: price.request ?? 0, instance: price.instance ?? 0, thousandTokens: price.thousandTokens ?? 0 },
  };
}
