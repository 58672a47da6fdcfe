/**
 * The backlog from Cloud Monitoring. Pub/Sub's metrics are sampled each minute and visible up to two minutes later; what a
 * sample says was true when it was taken, and that instant comes with it.
 */
import { ConfigurationError, messageOf, RetryableError } from '../model/errors.ts';
import { type EpochMillis, earlier, type Millis, plus } from '../model/time.ts';
import { sourceSubscription } from '../plan/resource-names.ts';
import type { Backlog, BacklogSample } from '../ports/backlog.ts';
import type { Clock } from '../ports/clock.ts';
import { defaultCredentials } from './credentials.ts';

export interface MonitoringSetting {
  readonly projectId: string;
  readonly pipeline: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Such as `http://127.0.0.1:8099` for an emulator, which wants no token; absent: Google's own. */
  readonly endpoint?: string | undefined;
}

/** A point of a time series, as the REST API gives it: newest first, times as RFC 3339, 64-bit integers as text. */
interface Point {
  readonly interval: { readonly endTime: string };
  readonly value: { readonly int64Value?: string };
}

const GOOGLE = 'https://monitoring.googleapis.com';
const SCOPE = 'https://www.googleapis.com/auth/monitoring.read';
const AGE = 'pubsub.googleapis.com/subscription/oldest_unacked_message_age';
const UNDELIVERED = 'pubsub.googleapis.com/subscription/num_undelivered_messages';
/** How far back is asked: a sample older than this is of no use. */
const WINDOW = 600_000;
const TIMEOUT = 10_000;
/** Between two samples of a metric. */
const SAMPLED_EVERY = 60_000;
const SECOND = 1_000;

export class MonitoringBacklog implements Backlog {
  readonly #setting: MonitoringSetting;
  readonly #credentials = defaultCredentials(SCOPE);

  constructor(setting: MonitoringSetting) {
    this.#setting = setting;
  }

  /** Of the newest instant for which both metrics are known; where they are sampled at different ones, of the earlier of two. */
  async sample(source: string): Promise<BacklogSample | undefined> {
    const subscription = sourceSubscription(this.#setting.pipeline, source);
    const [ages, counts] = await Promise.all([
      this.#series(AGE, subscription),
      this.#series(UNDELIVERED, subscription),
    ]);
    const pair = newestPair(ages, counts);
    if (pair === undefined) return undefined;
    const undelivered = counts.get(pair.count)!;
    const seconds = ages.get(pair.age)!;
    // Whole seconds, cut off: the oldest message may be up to a second older than that.
    const oldestUnackedAge = (undelivered === 0 && seconds === 0 ? 0 : (seconds + 1) * SECOND) as Millis;
    return { sampledAt: earlier(pair.age, pair.count), oldestUnackedAge, undelivered };
  }

  /** Values by the instant for which they hold. */
  async #series(metric: string, subscription: string): Promise<Map<EpochMillis, number>> {
    const { projectId, clock, endpoint = GOOGLE } = this.#setting;
    const now = clock.now();
    const query = new URLSearchParams({
      filter: `metric.type = "${metric}" AND resource.labels.subscription_id = "${subscription}"`,
      'interval.startTime': new Date(plus(now, -WINDOW)).toISOString(),
      'interval.endTime': new Date(now).toISOString(),
    });
    const body = (await this.#get(`${endpoint}/v3/projects/${projectId}/timeSeries?${query}`)) as {
      readonly timeSeries?: readonly { readonly points: readonly Point[] }[];
    };
    const values = new Map<EpochMillis, number>();
    for (const { points } of body.timeSeries ?? [])
      for (const { interval, value } of points)
        values.set(Date.parse(interval.endTime) as EpochMillis, Number(value.int64Value ?? 0));
    return values;
  }

  async #get(url: string): Promise<unknown> {
    let response: Response;
    try {
      const headers = await this.#headers();
      response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT) });
      if (response.ok) return await response.json();
    } catch (cause) {
      throw new RetryableError(`Cloud Monitoring cannot be asked: ${messageOf(cause)}`, { cause });
    }
    const problem = `Cloud Monitoring answered ${response.status}: ${(await response.text()).slice(0, 500)}`;
    if (response.status === 401 || response.status === 403)
      throw new ConfigurationError(`${problem}; give the function's account roles/monitoring.viewer`);
    throw new RetryableError(problem);
  }

  async #headers(): Promise<Readonly<Record<string, string>>> {
    return this.#setting.endpoint === undefined ? this.#credentials() : {};
  }
}

type Series = ReadonlyMap<EpochMillis, number>;

/**
 * The newest instants of both metrics that are one, else the newest that are less than a sample apart. What is said of the
 * earlier of two holds: nothing older than the age was unacknowledged then or later; and when nothing at all was, whatever was
 * published before either of them has been taken in.
 */
function newestPair(ages: Series, counts: Series): { age: EpochMillis; count: EpochMillis } | undefined {
  const newest = [...ages.keys()].sort((a, b) => b - a);
  for (const apart of [0, SAMPLED_EVERY - 1])
    for (const age of newest) {
      const count = [...counts.keys()].filter((at) => Math.abs(at - age) <= apart).sort((a, b) => b - a)[0];
      if (count !== undefined) return { age, count };
    }
  return undefined;
}
