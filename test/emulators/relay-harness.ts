/** What the relay's suites share: an emulator a file, subscriptions of their own, functions and relays that end with each test. */
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type Emulators, startEmulators } from '../../emulators/launch.ts';
import { type Clients, openClients } from '../../emulators/relay/clients.ts';
import { type Relay, type RelayOptions, type RouteOptions, startRelay } from '../../emulators/relay/relay.ts';
import { type FunctionServer, startFunction } from './function-server.ts';

export const PROJECT = 'demo-relay';
export const QUICK = { minimum: 20, maximum: 40 };
export const WAIT = { timeout: 20_000, interval: 20 };

export let emulators: Emulators<{ firestore: false }>;
export let clients: Clients;
let names = 0;
/** Ended after each test, the last first. */
export const open: { close?(): Promise<void>; stop?(): Promise<void> }[] = [];

beforeAll(async () => {
  emulators = await startEmulators({ firestore: false, projectId: PROJECT });
  clients = await openClients(PROJECT, emulators.pubsubHost);
});
afterAll(async () => {
  await clients?.close();
  await emulators?.stop();
});
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await (one.stop?.() ?? one.close?.());
});

export interface Subscribed {
  readonly topic: string;
  readonly subscription: string;
}

export async function subscribed(more: Record<string, unknown> = {}): Promise<Subscribed> {
  const name = `relay-${names++}`;
  const topic = `projects/${PROJECT}/topics/${name}`;
  await clients.publisher.createTopic({ name: topic });
  const subscription = `projects/${PROJECT}/subscriptions/${name}`;
  await clients.subscriber.createSubscription({ name: subscription, topic, ackDeadlineSeconds: 10, ...more });
  return { topic, subscription: name };
}

export async function publish(
  topic: string,
  texts: readonly string[],
  more: Record<string, unknown> = {},
): Promise<string[]> {
  const messages = texts.map((text) => ({ data: Buffer.from(text), ...more }));
  const [answer] = await clients.publisher.publish({ topic, messages });
  return answer.messageIds ?? [];
}

export async function functionThat(
  answer?: Parameters<typeof startFunction>[0],
  port?: number,
): Promise<FunctionServer> {
  const server = await startFunction(answer, port);
  open.push(server);
  return server;
}

export async function relayTo(
  server: { readonly url: string },
  { subscription }: Subscribed,
  route: Partial<RouteOptions> = {},
  more: Partial<RelayOptions> = {},
): Promise<Relay> {
  const relay = await startRelay({
    projectId: PROJECT,
    pubsubHost: emulators.pubsubHost,
    routes: [{ subscription, url: server.url, retryBackoff: QUICK, ...route }],
    onProblem: () => {},
    ...more,
  });
  open.push(relay);
  return relay;
}

/** How many messages the emulator would give to anybody now. */
export async function leftOver({ subscription }: Subscribed): Promise<number> {
  const path = `projects/${PROJECT}/subscriptions/${subscription}`;
  const [answer] = await clients.subscriber.pull({ subscription: path, maxMessages: 1_000, returnImmediately: true });
  return answer.receivedMessages?.length ?? 0;
}

export const numbered = (count: number) => Array.from({ length: count }, (_, n) => `m${n}`);
