import { describe, expect, it, vi } from 'vitest';
import { startEmulators } from '../../emulators/launch.ts';
import { openClients } from '../../emulators/relay/clients.ts';
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

  it('starts with five pushes at once when slow start is on', async () => {
    const source = await subscribed();
    const server = await functionThat(async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      return 204;
    });
    const relay = await relayTo(server, source, { slowStart: true });
    await publish(source.topic, numbered(15));
    await vi.waitFor(() => expect(relay.stats()[0]?.acknowledged).toBe(15), WAIT);
    expect(server.mostOpen()).toBe(5);
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
    await vi.waitFor(() => expect(server.seen).toHaveLength(10), WAIT);
    expect(relay.stats()[0]?.inFlight).toBe(10);
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
  it('stops at once when the emulator has gone, and says what is wrong once', async () => {
    const env = { ...process.env, PUBSUB_EMULATOR_HOST: undefined };
    const own = await startEmulators({ firestore: false, projectId: PROJECT, env });
    const ownClients = await openClients(PROJECT, own.pubsubHost);
    const topic = `projects/${PROJECT}/topics/gone`;
    await ownClients.publisher.createTopic({ name: topic });
    await ownClients.subscriber.createSubscription({ name: `projects/${PROJECT}/subscriptions/gone`, topic });
    await ownClients.publisher.publish({ topic, messages: numbered(10).map((text) => ({ data: Buffer.from(text) })) });
    const server = await functionThat(() => 500);
    const problems: string[] = [];
    const source = { topic, subscription: 'gone' };
    const more = { pubsubHost: own.pubsubHost, onProblem: (text: string) => problems.push(text) };
    const relay = await relayTo(server, source, { retryBackoff: { minimum: 60_000, maximum: 60_000 } }, more);
    await vi.waitFor(() => expect(relay.stats()[0]?.refused).toBe(10), WAIT);
    await ownClients.close();
    await own.stop();
    await vi.waitFor(() => expect(problems.join()).toMatch(/^relay: gone: 14 UNAVAILABLE/), WAIT);
    const before = performance.now();
    await relay.stop();
    expect(performance.now() - before).toBeLessThan(2_000);
    expect(new Set(problems).size).toBe(problems.length);
  });

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
