/** What a relay is told to do. All problems are found at once, before anything is pulled. */
import { ConfigurationErrors } from '../../functions/model/errors.ts';

export interface RelayOptions {
  readonly projectId: string;
  /** `host:port` of the Pub/Sub emulator. Default: PUBSUB_EMULATOR_HOST. */
  readonly pubsubHost?: string;
  readonly routes: readonly RouteOptions[];
  /** Default: none. */
  readonly troubles?: Troubles;
  /** Told, once a route and cause, about what keeps messages from moving: no emulator, no function. Default: stderr. */
  readonly onProblem?: (text: string) => void;
}

/** From one pull subscription to one function. */
export interface RouteOptions {
  /** The short name of a subscription without a push endpoint, and with no other reader than this route. */
  readonly subscription: string;
  /** Where its messages are posted, e.g. `http://127.0.0.1:8081/`; several for several instances, which take turns. */
  readonly url: string | readonly string[];
  /** Pushes in flight at most: instances x requests an instance. Default 80. */
  readonly concurrency?: number;
  /** Sent with each push, e.g. an `authorization`. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Whether the pushes in flight follow Pub/Sub's own window, which starts small, grows with fast answers, shrinks
   * with refusals and pauses the whole subscription after many of them. Default false: `concurrency` from the start.
   */
  readonly slowStart?: boolean;
  /** Used instead of the subscription's own retry policy, so that a test need not wait its 10 s. In milliseconds. */
  readonly retryBackoff?: { readonly minimum: number; readonly maximum: number };
}

/** Which messages a trouble meets. */
export interface Trouble {
  /** Share of the messages, 0 to 1. */
  readonly share: number;
  /** Short names of the subscriptions it is for. Default: all. */
  readonly subscriptions?: readonly string[];
}

/** Everything that Pub/Sub may do to a message, made frequent. The same seed and message id meet the same trouble. */
export interface Troubles {
  readonly seed: number;
  /** Each attempt is pushed twice: at once, after the first was answered, or up to a second later. */
  readonly duplicate?: Trouble;
  /** The message is acknowledged and never delivered, as a purge, an expiry or a wrong acknowledgement does. */
  readonly drop?: Trouble;
  /** The first attempt waits a time between 0 and `maxMillis`. */
  readonly delay?: Trouble & { readonly maxMillis: number };
  /**
   * No answer to a push of the message reaches Pub/Sub: its function takes it, and after so many `attempts`, if not before,
   * it is given to the dead-letter topic all the same.
   */
  readonly unheard?: Trouble & { readonly attempts: number };
  /** Messages are gathered by `within` of them (or for 200 ms) and go out shuffled. */
  readonly reorder?: Trouble & { readonly within: number };
}

export const DEFAULT_CONCURRENCY = 80;

/** @throws {ConfigurationErrors} with every problem there is */
export function checkOptions(options: RelayOptions): void {
  const problems: string[] = [];
  const names = options.routes.map((route) => route.subscription);
  for (const [n, route] of options.routes.entries()) {
    const at = `routes[${n}] (${route.subscription})`;
    if (route.subscription.includes('/')) problems.push(`${at}.subscription: expected a short name without "/"`);
    if (names.indexOf(route.subscription) !== n)
      problems.push(`${at}.subscription: has two routes; join their functions`);
    if (urlsOf(route).length === 0) problems.push(`${at}.url: expected at least one address`);
    for (const url of urlsOf(route)) {
      if (!URL.canParse(url) || !url.startsWith('http://')) {
        problems.push(`${at}.url: expected an http:// address, got '${url}'`);
      }
    }
    const concurrency = route.concurrency ?? DEFAULT_CONCURRENCY;
    if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > 10_000) {
      problems.push(`${at}.concurrency: expected a whole number from 1 to 10000, got ${concurrency}`);
    }
    const backoff = route.retryBackoff;
    if (backoff && !(backoff.minimum >= 0 && backoff.maximum >= backoff.minimum)) {
      problems.push(
        `${at}.retryBackoff: expected 0 <= minimum <= maximum, got ${backoff.minimum} and ${backoff.maximum}`,
      );
    }
  }
  for (const kind of ['duplicate', 'drop', 'delay', 'unheard', 'reorder'] as const) {
    const trouble = options.troubles?.[kind];
    if (!trouble) continue;
    if (!(trouble.share >= 0 && trouble.share <= 1)) {
      problems.push(`troubles.${kind}.share: expected a number from 0 to 1, got ${trouble.share}`);
    }
    for (const name of trouble.subscriptions ?? []) {
      if (!names.includes(name))
        problems.push(`troubles.${kind}.subscriptions: no route has the subscription '${name}'`);
    }
  }
  if (problems.length > 0) throw new ConfigurationErrors(problems);
}

export function urlsOf({ url }: RouteOptions): readonly string[] {
  return typeof url === 'string' ? [url] : url;
}
