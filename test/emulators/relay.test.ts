import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { startRelay } from '../../emulators/relay/relay.ts';
import {
  emulators,
  functionThat,
  leftOver,
  numbered,
  open,
  PROJECT,
  publish,
  relayTo,
  subscribed,
  WAIT,
} from './relay-harness.ts';
import { startFunction } from './function-server.ts';

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

  it('follows 102 Processing without waiting for the end', async () => {
    const source = await subscribed();
    const server = createServer((request, response) => {
      request.resume();
      response.writeProcessing();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const relay = await relayTo({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }, source);
    await publish(source.topic, ['x']);
    await vi.waitFor(() => expect(relay.stats()[0]).toMatchObject({ acknowledged: 1, answers: { 102: 1 } }), WAIT);
    server.close();
    server.closeAllConnections();
  });

  it('does not follow a connection that was cut: the message comes again', async () => {
    const source = await subscribed();
    let pushes = 0;
    const server = createServer((request, response) => {
      if (pushes++ === 0) request.socket.destroy();
      else request.resume().on('end', () => response.writeHead(204).end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const relay = await relayTo({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }, source);
    await publish(source.topic, ['x']);
    await vi.waitFor(() => expect(relay.stats()[0]?.acknowledged).toBe(1), WAIT);
    expect(relay.stats()[0]).toMatchObject({ pushed: 2, answers: { unreachable: 1, 204: 1 } });
    server.close();
    server.closeAllConnections();
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

  it('is left to the relay that comes next, whatever the last pull of this one brings', async () => {
    const source = await subscribed({ ackDeadlineSeconds: 600 });
    const relay = await relayTo(await functionThat(), source);
    await vi.waitFor(() => expect(relay.stats()[0]?.caughtUp).toBe(true), WAIT);
    await relay.stop();
    await publish(source.topic, numbered(3));
    const next = await functionThat();
    await relayTo(next, source);
    await vi.waitFor(() => expect(next.seen).toHaveLength(3), WAIT);
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
