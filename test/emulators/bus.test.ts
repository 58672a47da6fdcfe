import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Emulators, startEmulators } from '../../emulators/launch.ts';
import { type Clients, openClients } from '../../emulators/relay/clients.ts';
import { dataOf } from '../../emulators/relay/wire.ts';
import { PubSubBus } from '../../functions/cloud/pubsub/bus.ts';
import { decodeMessage } from '../../functions/cloud/pubsub/message.ts';
import { count, fixedWindows, pipeline } from '../../functions/index.ts';
import { ConfigurationError, RetryableError } from '../../functions/model/errors.ts';
import { epochMillis, MIN_TIMESTAMP } from '../../functions/model/time.ts';
import { plan } from '../../functions/plan/plan.ts';
import type { BusMessage, Envelope } from '../../functions/ports/bus.ts';

// Of its own, since the emulator may be somebody's that runs already.
const projectId = `demo-bus-${process.pid}`;
/** Four shards in two slots: the even ones in slot 0. */
const counting = plan(
  pipeline('counting', (p) => {
    p.readPubSub('words', { schema: { parse: String } })
      .keyBy('by-word', (word) => word)
      .window('hourly', fixedWindows('1h'))
      .combinePerKey('count', count());
  }),
  { shards: 4, slots: 2 },
);
let emulators: Emulators<{ firestore: false }>;
let clients: Clients;
let bus: PubSubBus;

beforeAll(async () => {
  emulators = await startEmulators({ firestore: false, projectId });
  clients = await openClients(projectId, emulators.pubsubHost);
  for (const topic of ['millrace-counting--count--0', 'millrace-counting--count--1', 'alerts']) {
    await clients.publisher.createTopic({ name: `projects/${projectId}/topics/${topic}` });
    await clients.subscriber.createSubscription({
      name: `projects/${projectId}/subscriptions/${topic}`,
      topic: `projects/${projectId}/topics/${topic}`,
      ackDeadlineSeconds: 60,
    });
  }
});
beforeEach(() => {
  bus = new PubSubBus(counting, { projectId, emulatorHost: emulators.pubsubHost });
  return () => bus.close();
});
afterAll(async () => {
  await clients?.close();
  await emulators?.stop();
});

function envelope(shard: number, number: number, body = `[["word",${number}]]`): Envelope {
  const target = `count~${shard}`;
  const earliest = epochMillis(number);
  return {
    kind: 'envelope',
    target,
    sender: 'ingest~words~1',
    number,
    earliest,
    count: 1,
    inputWatermark: MIN_TIMESTAMP,
    body,
  };
}

/** Takes messages until there are so many. */
async function received(topic: string, expected: number) {
  const messages: { data: Buffer; attributes: Record<string, string> }[] = [];
  while (messages.length < expected) {
    const subscription = `projects/${projectId}/subscriptions/${topic}`;
    const [{ receivedMessages }] = await clients.subscriber.pull({ subscription, maxMessages: 1_000 });
    for (const { message } of receivedMessages ?? [])
      messages.push({ data: dataOf(message ?? {}), attributes: { ...message?.attributes } });
    const ackIds = (receivedMessages ?? []).map(({ ackId }) => ackId ?? '');
    if (ackIds.length > 0) await clients.subscriber.acknowledge({ subscription, ackIds });
  }
  return messages;
}

function numbersOf(messages: readonly BusMessage[]): number[] {
  return messages.flatMap((message) => (message.kind === 'envelope' ? [message.number] : [])).sort((a, b) => a - b);
}

describe('the bus on Pub/Sub', () => {
  it('carries each message to the topic of the slot in which its shard runs', async () => {
    await bus.send([0, 1, 2, 3].map((shard) => envelope(shard, shard + 1)));
    const even = (await received('millrace-counting--count--0', 2)).map((m) => decodeMessage(m, 'counting'));
    const odd = (await received('millrace-counting--count--1', 2)).map((m) => decodeMessage(m, 'counting'));
    expect(even.map(({ target }) => target).sort()).toEqual(['count~0', 'count~2']);
    expect(odd.map(({ target }) => target).sort()).toEqual(['count~1', 'count~3']);
    expect(even.find(({ target }) => target === 'count~2')).toEqual(envelope(2, 3));
  });

  it('carries thousands at once, and some that only fit a request together with few others', async () => {
    const large = JSON.stringify([Array.from({ length: 3_000 }, () => crypto.randomUUID())]);
    const messages = Array.from({ length: 2_500 }, (_, i) => envelope(0, i + 1, i % 50 === 0 ? large : undefined));
    await Promise.all([bus.send(messages.slice(0, 1_800)), bus.send(messages.slice(1_800))]);
    const got = (await received('millrace-counting--count--0', 2_500)).map((m) => decodeMessage(m, 'counting'));
    expect(numbersOf(got)).toEqual(messages.map(({ number }) => number));
    expect(got.find((message) => message.kind === 'envelope' && message.number === 51)).toEqual(messages[50]);
  });

  it('publishes to topics outside what they are to read: data as it is, attributes as they are', async () => {
    await bus.publish([{ topic: 'alerts', data: '{"level":"high"}', attributes: { id: 'a~1', pipeline: 'counting' } }]);
    const [message] = await received('alerts', 1);
    expect(message?.data.toString()).toBe('{"level":"high"}');
    expect(message?.attributes).toEqual({ id: 'a~1', pipeline: 'counting' });
  });

  it('names the topic that is missing', async () => {
    const publish = bus.publish([{ topic: 'nowhere', data: '1', attributes: {} }]);
    await expect(publish).rejects.toThrow(ConfigurationError);
    await expect(publish).rejects.toThrow(`Pub/Sub: there is no topic 'nowhere' in project '${projectId}'; deploy it`);
  });

  it('says that trying again may help when nobody answers', async () => {
    const down = new PubSubBus(counting, { projectId, emulatorHost: '127.0.0.1:9', timeoutMillis: 500 });
    await expect(down.send([envelope(0, 1)])).rejects.toThrow(RetryableError);
    await down.close();
  });
});
