import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Emulators, startEmulators } from '../../emulators/launch.ts';
import { type Clients, openClients } from '../../emulators/relay/clients.ts';
import { type Relay, type RelayOptions, type RouteOptions, startRelay } from '../../emulators/relay/relay.ts';
import { type FunctionServer, startFunction } from './function-server.ts';

const PROJECT = 'demo-relay';
const QUICK = { minimum: 20, maximum: 40 };
const WAIT = { timeout: 20_000, interval: 20 };

let emulators: Emulators<{ firestore: false }>;
let clients: Clients;
let names = 0;
const open: { close?(): Promise<void>; stop?(): Promise<void> }[] = [];

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

interface Subscribed {
  readonly topic: string;
  readonly subscription: string;
}

async function subscribed(more: Record<string, unknown> = {}): Promise<Subscribed> {
  const name = `relay-${names++}`;
  const topic = `projects/${PROJECT}/topics/${name}`;
  await clients.publisher.createTopic({ name: topic });
  const subscription = `projects/${PROJECT}/subscriptions/${name}`;
  await clients.subscriber.createSubscription({ name: subscription, topic, ackDeadlineSeconds: 10, ...more });
  return { topic, subscription: name };
}

async function publish(topic: string, texts: readonly string[], more: Record<string, unknown> = {}): Promise<string[]> {
  const messages = texts.map((text) => ({ data: Buffer.from(text), ...more }));
  const [answer] = await clients.publisher.publish({ topic, messages });
  return answer.messageIds ?? [];
}

async function functionThat(answer?: Parameters<typeof startFunction>[0], port?: number): Promise<FunctionServer> {
  const server = await startFunction(answer, port);
  open.push(server);
  return server;
}

async function relayTo(
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
async function leftOver({ subscription }: Subscribed): Promise<number> {
  const path = `projects/${PROJECT}/subscriptions/${subscription}`;
  const [answer] = await clients.subscriber.pull({ subscription: path, maxMessages: 1_000, returnImmediately: true });
  return answer.receivedMessages?.length ?? 0;
}

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `m${n}`);

describe('what a function receives', () => {
  it('has the form of a push, with both spellings and no empty fields', async () => {
    const source = await subscribed();
    const server = await functionThat();
    await relayTo(server, source, { headers: { authorization: 'Bearer abc' } });
    const [id] = await publish(source.topic, ['hello'], { attributes: { kind: 'greeting' } });
    await vi.waitFor(() => expect(server.seen).toHaveLength(1), WAIT);
    const { body, headers } = server.seen[0]!;
    const publishTime = body.message.publishTime;
    expect(publishTime).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ$/);
    expect(Math.abs(Date.parse(publishTime) - Date.now())).toBeLessThan(60_000);
    expect(body).toEqual({
      subscription: `projects/${PROJECT}/subscriptions/${source.subscription}`,
      message: {
        data: 'aGVsbG8=',
        attributes: { kind: 'greeting' },
        messageId: id,
        message_id: id,
        publishTime,
        publish_time: publishTime,
      },
    });
    expect(headers).toMatchObject({ 'content-type': 'application/json', authorization: 'Bearer abc' });
  });

  it('has an ordering key when the message has one', async () => {
    const source = await subscribed();
    const server = await functionThat();
    await relayTo(server, source);
    await publish(source.topic, ['a'], { orderingKey: 'k1' });
    await vi.waitFor(() => expect(server.seen).toHaveLength(1), WAIT);
    expect(server.seen[0]?.body.message.orderingKey).toBe('k1');
  });

  it('counts its attempts when the subscription has a dead-letter policy', async () => {
    const dead = await subscribed();
    const source = await subscribed({ deadLetterPolicy: { deadLetterTopic: dead.topic, maxDeliveryAttempts: 10 } });
    const server = await functionThat(({ body }) => (body.deliveryAttempt < 3 ? 503 : 200));
    const relay = await relayTo(server, source);
    await publish(source.topic, ['x']);
    await vi.waitFor(() => expect(relay.stats()[0]?.acknowledged).toBe(1), WAIT);
    expect(server.seen.map(({ body }) => body.deliveryAttempt)).toEqual([1, 2, 3]);
    expect(relay.stats()[0]).toMatchObject({ pushed: 3, refused: 2, answers: { 200: 1, 503: 2 }, held: 0 });
  });
});

describe('acknowledgement', () => {
  it.each([200, 201, 202, 204])('follows the answer %i', async (status) => {
    const source = await subscribed();
    const server = await functionThat(() => status);
    const relay = await relayTo(server, source);
    await publish(source.topic, ['x']);
    await vi.waitFor(() => expect(relay.stats()[0]).toMatchObject({ acknowledged: 1, held: 0 }), WAIT);
    expect(server.seen).toHaveLength(1);
  });

  it.each([203, 301, 400, 429, 500])('does not follow the answer %i', async (status) => {
    const source = await subscribed();
    const answers = [status, 204];
    const server = await functionThat(() => answers.shift() ?? 204);
    const relay = await relayTo(server, source);
    await publish(source.topic, ['x']);
    await vi.waitFor(() => expect(relay.stats()[0]?.acknowledged).toBe(1), WAIT);
    expect(server.seen).toHaveLength(2);
  });

  it('is for good: nothing is left in the emulator', async () => {
    const source = await subscribed();
    const relay = await relayTo(await functionThat(), source);
    await publish(source.topic, numbered(500));
    await vi.waitFor(() => expect(relay.stats()[0]).toMatchObject({ acknowledged: 500, held: 0 }), WAIT);
    await relay.stop();
    await new Promise((resolve) => setTimeout(resolve, 11_000)); // past the ack deadline, after which they would come again
    expect(await leftOver(source)).toBe(0);
  });

  it('is not awaited longer than the ack deadline: the message comes again while the first push still runs', async () => {
    const source = await subscribed({ ackDeadlineSeconds: 1 });
    let pushes = 0;
    const server = await functionThat(async () => {
      if (pushes++ === 0) await new Promise((resolve) => setTimeout(resolve, 2_500));
      return 204;
    });
    const relay = await relayTo(server, source);
    await publish(source.topic, ['slow']);
    await vi.waitFor(() => expect(relay.stats()[0]?.acknowledged).toBe(1), WAIT);
    expect(server.mostOpen()).toBe(2);
    expect(relay.stats()[0]?.answers).toEqual({ deadline: 1, 204: 1 });
  });

  it('may take longer for messages that wait their turn: none of them is given out twice', async () => {
    const source = await subscribed({ ackDeadlineSeconds: 2 });
    const server = await functionThat(async () => {
      await new Promise((resolve) => setTimeout(resolve, 900));
      return 204;
    });
    const relay = await relayTo(server, source, { concurrency: 1 });
    await publish(source.topic, numbered(6));
    await vi.waitFor(() => expect(relay.stats()[0]?.acknowledged).toBe(6), WAIT);
    expect(server.seen).toHaveLength(6);
    expect(relay.stats()[0]?.pulled).toBe(6);
  });
});

describe('refused messages', () => {
  it("wait as the subscription's retry policy says, doubling up to its maximum", async () => {
    const source = await subscribed({
      retryPolicy: { minimumBackoff: { nanos: 200e6 }, maximumBackoff: { nanos: 500e6 } },
    });
    const server = await functionThat(() => (server.seen.length < 5 ? 500 : 204));
    const relay = await startRelay({
      projectId: PROJECT,
      pubsubHost: emulators.pubsubHost,
      routes: [{ subscription: source.subscription, url: server.url }],
    });
    open.push(relay);
    await publish(source.topic, ['x']);
    await vi.waitFor(() => expect(server.seen).toHaveLength(5), WAIT);
    const gaps = server.seen.slice(1).map(({ at }, n) => at - server.seen[n]!.at);
    for (const [n, expected] of [200, 400, 500, 500].entries()) {
      expect(gaps[n]).toBeGreaterThanOrEqual(expected - 5);
      expect(gaps[n]).toBeLessThan(expected + 150);
    }
  });

  it('go to the dead-letter topic after so many attempts, marked as Pub/Sub marks them', async () => {
    const dead = await subscribed();
    const source = await subscribed({ deadLetterPolicy: { deadLetterTopic: dead.topic, maxDeliveryAttempts: 5 } });
    const server = await functionThat(() => 500);
    const deadServer = await functionThat();
    const relay = await relayTo(server, source);
    await relayTo(deadServer, dead);
    await publish(source.topic, ['poison'], { attributes: { kind: 'bad' } });
    await vi.waitFor(() => expect(deadServer.seen).toHaveLength(1), WAIT);
    expect(server.seen.map(({ body }) => body.deliveryAttempt)).toEqual([1, 2, 3, 4, 5]);
    expect(deadServer.seen[0]?.text).toBe('poison');
    expect(deadServer.seen[0]?.body.message.attributes).toEqual({
      kind: 'bad',
      CloudPubSubDeadLetterSourceDeliveryCount: '5',
      CloudPubSubDeadLetterSourceSubscription: source.subscription,
      CloudPubSubDeadLetterSourceSubscriptionProject: PROJECT,
      CloudPubSubDeadLetterSourceTopicPublishTime: server.seen[0]?.body.message.publishTime,
    });
    await vi.waitFor(() => expect(relay.stats()[0]).toMatchObject({ deadLettered: 1, held: 0, acknowledged: 0 }), WAIT);
    await relay.stop();
    expect(await leftOver(source)).toBe(0);
  });

  it('do not stand in the way of others', async () => {
    const source = await subscribed();
    const server = await functionThat(({ text }) => (text.startsWith('bad') ? 500 : 204));
    const relay = await relayTo(server, source, { concurrency: 2, retryBackoff: { minimum: 60_000, maximum: 60_000 } });
    await publish(source.topic, [...Array.from({ length: 300 }, (_, n) => `bad${n}`), ...numbered(300)]);
    await vi.waitFor(() => expect(relay.stats()[0]?.acknowledged).toBe(300), WAIT);
    expect(relay.stats()[0]).toMatchObject({ refused: 300, held: 300 });
  });

  it('come in once the function is there, and the trouble is told once', async () => {
    const source = await subscribed();
    const before = await startFunction();
    await before.close();
    const problems: string[] = [];
    const relay = await relayTo(before, source, {}, { onProblem: (text) => problems.push(text) });
    await publish(source.topic, numbered(50));
    await vi.waitFor(() => expect(relay.stats()[0]?.answers.unreachable).toBeGreaterThan(100), WAIT);
    const server = await functionThat(undefined, before.port);
    await vi.waitFor(() => expect(relay.stats()[0]).toMatchObject({ acknowledged: 50, held: 0 }), WAIT);
    expect(new Set(server.seen.map(({ text }) => text)).size).toBe(50);
    expect(problems).toEqual([`relay: ${source.subscription}: its function does not answer: ECONNREFUSED`]);
  });
});

describe('flow', () => {
  it('reaches the concurrency that was chosen and never passes it', async () => {
    const source = await subscribed();
    const server = await functionThat(async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return 204;
    });
    const relay = await relayTo(server, source, { concurrency: 37 });
    await publish(source.topic, numbered(400));
    await vi.waitFor(() => expect(relay.stats()[0]?.acknowledged).toBe(400), WAIT);
    expect(server.mostOpen()).toBe(37);
  });

  it('leaves in the emulator what it has no room for', async () => {
    const source = await subscribed();
    let release: (status: number) => void = () => {};
    const gate = new Promise<number>((resolve) => {
      release = resolve;
    });
    const server = await functionThat(() => gate);
    const relay = await relayTo(server, source, { concurrency: 10 });
    await publish(source.topic, numbered(500));
    await vi.waitFor(() => expect(relay.stats()[0]?.inFlight).toBe(10), WAIT);
    expect(relay.stats()[0]).toMatchObject({ caughtUp: false });
    expect(relay.stats()[0]?.held).toBeLessThanOrEqual(220);
    expect(relay.stats()[0]?.oldestHeld).toBe(Date.parse(server.seen[0]?.body.message.publishTime));
    release(204);
    await vi.waitFor(() => expect(relay.stats()[0]).toMatchObject({ acknowledged: 500, caughtUp: true }), WAIT);
    expect(relay.stats()[0]?.oldestHeld).toBeUndefined();
  });

  it('pauses and resumes a subscription', async () => {
    const source = await subscribed();
    const server = await functionThat();
    const relay = await relayTo(server, source);
    relay.pause(source.subscription);
    await publish(source.topic, numbered(20));
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(server.seen).toHaveLength(0);
    relay.resume(source.subscription);
    await vi.waitFor(() => expect(server.seen).toHaveLength(20), WAIT);
    expect(() => relay.pause('other')).toThrow("no route has the subscription 'other'");
  });

  it('gives back on stop what was not delivered', async () => {
    const source = await subscribed();
    const server = await functionThat(() => 500);
    const relay = await relayTo(server, source, { retryBackoff: { minimum: 60_000, maximum: 60_000 } });
    await publish(source.topic, numbered(30));
    await vi.waitFor(() => expect(relay.stats()[0]?.refused).toBe(30), WAIT);
    await relay.stop();
    const again = await functionThat();
    const second = await relayTo(again, source);
    await vi.waitFor(() => expect(second.stats()[0]?.acknowledged).toBe(30), WAIT);
  });
});

describe('troubles', () => {
  it('deliver each attempt twice: together, right after, and later', async () => {
    const source = await subscribed();
    const server = await functionThat(async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      return 204;
    });
    const relay = await relayTo(server, source, {}, { troubles: { seed: 3, duplicate: { share: 1 } } });
    await publish(source.topic, numbered(60));
    await vi.waitFor(() => expect(relay.stats()[0]).toMatchObject({ pushed: 120, held: 0 }), WAIT);
    expect(relay.stats()[0]).toMatchObject({ acknowledged: 60, duplicated: 60, pulled: 60 });
    const gaps = numbered(60).map((text) => {
      const times = server.seen.filter((push) => push.text === text).map(({ at }) => at);
      expect(times).toHaveLength(2);
      return times[1]! - times[0]!;
    });
    expect(gaps.filter((gap) => gap < 25).length).toBeGreaterThan(5);
    expect(gaps.filter((gap) => gap >= 25 && gap < 200).length).toBeGreaterThan(5);
    expect(gaps.filter((gap) => gap >= 200).length).toBeGreaterThan(5);
  });

  it('drop a share of the messages of the chosen subscription, and only there', async () => {
    const [internal, outside] = [await subscribed(), await subscribed()];
    const [internalServer, outsideServer] = [await functionThat(), await functionThat()];
    const relay = await startRelay({
      projectId: PROJECT,
      pubsubHost: emulators.pubsubHost,
      routes: [
        { subscription: internal.subscription, url: internalServer.url },
        { subscription: outside.subscription, url: outsideServer.url },
      ],
      troubles: { seed: 11, drop: { share: 0.1, subscriptions: [internal.subscription] } },
    });
    open.push(relay);
    await publish(internal.topic, numbered(1_000));
    await publish(outside.topic, numbered(200));
    await vi.waitFor(() => {
      const [inside, out] = relay.stats();
      expect(inside!.acknowledged + inside!.dropped).toBe(1_000);
      expect(out).toMatchObject({ acknowledged: 200, dropped: 0 });
    }, WAIT);
    const { dropped } = relay.stats()[0]!;
    expect(dropped).toBeGreaterThan(60);
    expect(dropped).toBeLessThan(140);
    expect(internalServer.seen).toHaveLength(1_000 - dropped);
    await relay.stop();
    expect(await leftOver(internal)).toBe(0);
  });

  it('reorder messages', async () => {
    const source = await subscribed();
    const server = await functionThat();
    const troubles = { seed: 5, reorder: { share: 1, within: 25 } };
    await relayTo(server, source, { concurrency: 1 }, { troubles });
    await publish(source.topic, numbered(90));
    await vi.waitFor(() => expect(server.seen).toHaveLength(90), WAIT);
    const order = server.seen.map(({ text }) => text);
    expect(order).not.toEqual(numbered(90));
    expect([...order].sort()).toEqual([...numbered(90)].sort());
  });

  it('delay messages, up to the time that is named', async () => {
    const source = await subscribed();
    const server = await functionThat();
    const troubles = { seed: 6, delay: { share: 1, maxMillis: 1_000 } };
    const relay = await relayTo(server, source, {}, { troubles });
    await publish(source.topic, numbered(50));
    await vi.waitFor(() => expect(relay.stats()[0]?.acknowledged).toBe(50), WAIT);
    const spread = server.seen.at(-1)!.at - server.seen[0]!.at;
    expect(spread).toBeGreaterThan(600);
    expect(spread).toBeLessThan(1_500);
  });
});

describe('a relay that cannot work', () => {
  it('says that the subscription is missing', async () => {
    const nowhere = { topic: '', subscription: 'nowhere' };
    await expect(relayTo({ url: 'http://127.0.0.1:1/' }, nowhere)).rejects.toThrow(
      /cannot read projects\/demo-relay\/subscriptions\/nowhere: 5 NOT_FOUND/,
    );
  });

  it('says that the subscription pushes by itself', async () => {
    const source = await subscribed({ pushConfig: { pushEndpoint: 'http://127.0.0.1:1/own' } });
    await expect(relayTo({ url: 'http://127.0.0.1:1/' }, source)).rejects.toThrow(
      /pushes to http:\/\/127\.0\.0\.1:1\/own by itself; create it without a push endpoint/,
    );
  });
});
