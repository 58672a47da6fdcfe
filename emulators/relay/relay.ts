/**
 * The relay: what Pub/Sub's push is in the cloud, from the Pub/Sub emulator to functions. The emulator can push by
 * itself, but keeps about two requests in flight and leaves deliveryAttempt and orderingKey out.
 */
import { messageOf } from '../../functions/model/errors.ts';
import { openClients } from './clients.ts';
import { readPolicy } from './policy.ts';
import { Route } from './route.ts';
import { checkOptions, type RelayOptions } from './settings.ts';
import type { RelayStats } from './stats.ts';

export type { RelayOptions, RouteOptions, Trouble, Troubles } from './settings.ts';
export type { RelayStats, RouteStats } from './stats.ts';

export interface Relay {
  /** One entry a route, in the order of the routes. */
  stats(): RelayStats;
  /** Starts no more pushes for a subscription, as when its push endpoint is taken off; what is in flight ends. */
  pause(subscription: string): void;
  resume(subscription: string): void;
  /**
   * Waits up to 5 s for pushes in flight, and gives undelivered messages back. May be called again. A pull that waits at the
   * emulator keeps a connection open for up to a minute, or until the emulator has gone.
   */
  stop(): Promise<void>;
}

/**
 * @throws {ConfigurationError} when an option is wrong, the emulator is not there, or a subscription is missing or
 * pushes by itself
 * @example
 * const relay = await startRelay({
 *   projectId: 'demo-millrace',
 *   routes: [{ subscription: 'flights-count', url: 'http://127.0.0.1:8081/', concurrency: 40 }],
 *   troubles: { seed: 7, duplicate: { share: 1 } },
 * });
 */
export async function startRelay(options: RelayOptions): Promise<Relay> {
  checkOptions(options);
  const clients = await openClients(options.projectId, options.pubsubHost ?? process.env.PUBSUB_EMULATOR_HOST);
  const path = (subscription: string) => `projects/${options.projectId}/subscriptions/${subscription}`;
  const policies = await Promise.all(
    options.routes.map(({ subscription }) => readPolicy(clients.subscriber, path(subscription))),
  ).catch(async (error: unknown) => {
    await clients.close();
    throw error;
  });
  const tell = options.onProblem ?? ((text) => process.stderr.write(`${text}\n`));
  const routes = options.routes.map((route, n) => {
    const tellOnce = once((cause) => tell(`relay: ${route.subscription}: ${cause}`));
    return new Route(clients, policies[n]!, route, options.troubles, tellOnce);
  });
  const routeOf = (subscription: string) => {
    const route = routes.find(({ name }) => name === subscription);
    if (!route) throw new RangeError(`relay: no route has the subscription '${subscription}'`);
    return route;
  };
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    await Promise.all(routes.map((route) => route.stop()));
    // Closed at once, the clients could not give back what a pull that is under way brings: whoever comes next would miss it.
    void Promise.all(routes.map((route) => route.ended()))
      .then(() => clients.close())
      .catch((error: unknown) => tell(`relay: ${messageOf(error)}`));
  };
  return {
    stats: () => routes.map((route) => route.stats()),
    pause: (subscription) => routeOf(subscription).pause(true),
    resume: (subscription) => routeOf(subscription).pause(false),
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

/** Passes each text on the first time it comes. */
function once(tell: (text: string) => void): (text: string) => void {
  const told = new Set<string>();
  return (text) => {
    if (told.has(text)) return;
    told.add(text);
    tell(text);
  };
}
