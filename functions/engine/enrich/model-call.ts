/**
 * One batch shown to the model: at most so many requests as were claimed tokens for. The only place that tries again
 * while a call is open, and only for seconds: what has to wait longer is parked by whoever called.
 */
import pRetry from 'p-retry';
import type { EnrichNode } from '../../model/graph.ts';
import { describeModel } from '../../model/models.ts';
import { type EpochMillis, type Millis, plus } from '../../model/time.ts';
import type { Clock, Ids } from '../../ports/clock.ts';
import type { PredictAnswer, Predictor } from '../../ports/predictor.ts';

/** What came of a call. */
export type CallOutcome =
  /** `predictions[i]` answers `instances[i]`. */
  | { readonly kind: 'answered'; readonly predictions: readonly unknown[] }
  /** It answered fewer instances than it was asked, so nobody knows which. */
  | { readonly kind: 'partial'; readonly answered: number }
  | { readonly kind: 'refused'; readonly reason: string; readonly answer: unknown }
  /** It may go well later, not before `notBefore`. */
  | { readonly kind: 'later'; readonly reason: string; readonly notBefore: EpochMillis };

export interface CallResult {
  readonly outcome: CallOutcome;
  /** Requests that were made. */
  readonly requests: number;
  /** How many of them were refused since too much was asked. */
  readonly throttled: number;
  readonly millis: number;
}

export interface CallSetting {
  readonly node: EnrichNode;
  readonly predictor: Predictor;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Another try begins at most so long after the first; 0 = there is none. */
  readonly patience: Millis;
}

type Unanswered = Extract<PredictAnswer, { state: 'throttled' | 'unavailable' }>;

/** The longest wait before the second try; each further one may be twice as long. Jitter is full: from zero up. */
const FIRST_WAIT = 500;

/** @param tries requests at most @param key the same for every try of this batch */
export async function callModel(
  setting: CallSetting,
  instances: readonly unknown[],
  key: string,
  tries: number,
): Promise<CallResult> {
  const { clock, ids, patience } = setting;
  const begun = clock.now();
  let requests = 0;
  let throttled = 0;
  let tooLong = false;
  const attempt = async (): Promise<CallOutcome> => {
    requests += 1;
    const answer = await ask(setting, instances, key);
    if (answer.state === 'throttled') throttled += 1;
    if (answer.state === 'throttled' || answer.state === 'unavailable') throw new NotNow(answer);
    if (answer.state === 'refused') return { kind: 'refused', reason: answer.reason, answer: answer.answer };
    const { predictions } = answer;
    if (predictions.length === instances.length) return { kind: 'answered', predictions };
    return { kind: 'partial', answered: predictions.length };
  };
  const waitForNext = async (error: Error, attemptNumber: number): Promise<void> => {
    const longest = FIRST_WAIT * 2 ** (attemptNumber - 1);
    const wait = Math.max(retryAfterOf(error), Math.ceil(ids.random() * longest));
    tooLong = clock.now() + wait - begun > patience;
    if (!tooLong) await clock.sleep(wait as Millis);
  };
  let outcome: CallOutcome;
  try {
    // Waiting is on our own clock; p-retry only keeps count.
    outcome = await pRetry(attempt, {
      retries: tries - 1,
      minTimeout: 0,
      factor: 1,
      onFailedAttempt: async ({ error, attemptNumber, retriesLeft }) => {
        if (retriesLeft > 0) await waitForNext(error, attemptNumber);
      },
      shouldRetry: ({ error }) => error instanceof NotNow && !tooLong,
    });
  } catch (error) {
    if (!(error instanceof NotNow)) throw error;
    outcome = { kind: 'later', reason: error.message, notBefore: plus(clock.now(), retryAfterOf(error)) };
  }
  return { outcome, requests, throttled, millis: clock.now() - begun };
}

/** One request, for as long as the author allows. */
async function ask(
  { node, predictor, clock }: CallSetting,
  instances: readonly unknown[],
  key: string,
): Promise<PredictAnswer> {
  const tooLate = new AbortController();
  const answered = new AbortController();
  const late = clock.sleep(node.timeout, answered.signal).then((): PredictAnswer => {
    tooLate.abort();
    const reason = `${describeModel(node.model)} gave no answer within ${node.timeout} ms`;
    return { state: 'unavailable', retryAfter: undefined, reason };
  });
  const answer = await Promise.race([
    predictor.predict({ model: node.model, instances, key, signal: tooLate.signal }),
    late,
  ]);
  answered.abort();
  return answer;
}

function retryAfterOf(error: Error): number {
  return error instanceof NotNow ? (error.answer.retryAfter ?? 0) : 0;
}

/** The model could not answer this time. */
class NotNow extends Error {
  readonly answer: Unanswered;
  constructor(answer: Unanswered) {
    super(answer.reason);
    this.answer = answer;
  }
}
