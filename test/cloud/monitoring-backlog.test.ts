import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startMonitoring } from '../../emulators/monitoring/server.ts';
import type { RouteStats } from '../../emulators/relay/stats.ts';
import { MonitoringBacklog } from '../../functions/cloud/monitoring-backlog.ts';
import { SYSTEM_CLOCK } from '../../functions/local/system.ts';
import { ConfigurationError, RetryableError } from '../../functions/model/errors.ts';
import { epochMillis } from '../../functions/model/time.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

const AT = '2026-08-01T10:00:00Z';
const EARLIER = '2026-08-01T09:59:00Z';

/** A server that answers for each metric what it is given, by the end of the metric's name. */
async function answering(series: Record<string, readonly [time: string, value: number][]>, status = 200) {
  const asked: URL[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url!, 'http://localhost');
    asked.push(url);
    const metric = /subscription\/(\w+)"/.exec(url.searchParams.get('filter')!)![1]!;
    const points = (series[metric] ?? []).map(([time, value]) => ({
      interval: { startTime: time, endTime: time },
      value: { int64Value: String(value) },
    }));
    response.writeHead(status).end(JSON.stringify(points.length === 0 ? {} : { timeSeries: [{ points }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => new Promise((resolve) => server.close(() => resolve())));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = { now: () => epochMillis(Date.parse(AT) + 90_000) };
  return { backlog: new MonitoringBacklog({ projectId: 'my-project', pipeline: 'flights', clock, endpoint }), asked };
}

describe('the backlog on Cloud Monitoring', () => {
  it('is the newest sample that both metrics have, as of when it was taken', async () => {
    const { backlog, asked } = await answering({
      oldest_unacked_message_age: [
        [AT, 7],
        [EARLIER, 3],
      ],
      num_undelivered_messages: [[EARLIER, 40]],
    });
    expect(await backlog.sample('flights')).toEqual({
      sampledAt: Date.parse(EARLIER),
      // Whole seconds, cut off: up to four.
      oldestUnackedAge: 4_000,
      undelivered: 40,
    });
    expect(asked[0]!.pathname).toBe('/v3/projects/my-project/timeSeries');
    expect(asked[0]!.searchParams.get('filter')).toContain('subscription_id = "millrace-flights--ingest--flights"');
  });

  it('is empty only when both metrics say so', async () => {
    const none = await answering({ oldest_unacked_message_age: [[AT, 0]], num_undelivered_messages: [[AT, 0]] });
    expect(await none.backlog.sample('flights')).toMatchObject({ oldestUnackedAge: 0, undelivered: 0 });
    const fresh = await answering({ oldest_unacked_message_age: [[AT, 0]], num_undelivered_messages: [[AT, 2]] });
    expect(await fresh.backlog.sample('flights')).toMatchObject({ oldestUnackedAge: 1_000, undelivered: 2 });
  });

  it('holds for the earlier of two instants, where the metrics are sampled at different ones', async () => {
    const ageFirst = await answering({
      oldest_unacked_message_age: [[EARLIER, 7]],
      num_undelivered_messages: [['2026-08-01T09:59:30Z', 4]],
    });
    expect(await ageFirst.backlog.sample('flights')).toEqual({
      sampledAt: Date.parse(EARLIER),
      oldestUnackedAge: 8_000,
      undelivered: 4,
    });
    const countFirst = await answering({
      oldest_unacked_message_age: [[AT, 0]],
      num_undelivered_messages: [['2026-08-01T09:59:30Z', 0]],
    });
    expect(await countFirst.backlog.sample('flights')).toEqual({
      sampledAt: Date.parse('2026-08-01T09:59:30Z'),
      oldestUnackedAge: 0,
      undelivered: 0,
    });
    const apart = await answering({
      oldest_unacked_message_age: [[AT, 0]],
      num_undelivered_messages: [[EARLIER, 0]],
    });
    expect(await apart.backlog.sample('flights')).toBeUndefined();
  });

  it('is not known when a metric is missing', async () => {
    const { backlog } = await answering({ oldest_unacked_message_age: [[AT, 0]] });
    expect(await backlog.sample('flights')).toBeUndefined();
  });

  it('says who must act when it cannot be had', async () => {
    await expect((await answering({}, 403)).backlog.sample('flights')).rejects.toThrow(ConfigurationError);
    await expect((await answering({}, 403)).backlog.sample('flights')).rejects.toThrow('roles/monitoring.viewer');
    await expect((await answering({}, 500)).backlog.sample('flights')).rejects.toThrow(RetryableError);
  });
});

describe('what stands in its place on this machine', () => {
  const stats = (more: Partial<RouteStats>): RouteStats => ({
    subscription: 'millrace-flights--ingest--flights',
    pulled: 0,
    pushed: 0,
    acknowledged: 0,
    refused: 0,
    answers: {},
    deadLettered: 0,
    duplicated: 0,
    dropped: 0,
    pushMillis: 0,
    inFlight: 0,
    held: 0,
    oldestHeld: undefined,
    caughtUp: true,
    ...more,
  });

  it('shows a sample as late as it is told, with the time at which it was taken', async () => {
    let now = stats({ held: 3, oldestHeld: Date.now() - 5_500, caughtUp: false });
    const server = await startMonitoring({ stats: () => [now], sampleEveryMillis: 3_600_000, visibleAfterMillis: 300 });
    ends.push(() => server.stop());
    const backlog = new MonitoringBacklog({
      projectId: 'p',
      pipeline: 'flights',
      clock: SYSTEM_CLOCK,
      endpoint: server.url,
    });
    const taken = Date.now();
    server.sample();
    now = stats({});
    expect(await backlog.sample('flights')).toBeUndefined();
    await new Promise((resolve) => setTimeout(resolve, 350));
    const sample = await backlog.sample('flights');
    expect(sample).toMatchObject({ oldestUnackedAge: 6_000, undelivered: 3 });
    expect(Math.abs(sample!.sampledAt - taken)).toBeLessThan(100);
  });

  it('claims nothing of a route that has messages it has not seen yet', async () => {
    const server = await startMonitoring({
      stats: () => [stats({ caughtUp: false })],
      sampleEveryMillis: 3_600_000,
      visibleAfterMillis: 0,
    });
    ends.push(() => server.stop());
    server.sample();
    const backlog = new MonitoringBacklog({
      projectId: 'p',
      pipeline: 'flights',
      clock: SYSTEM_CLOCK,
      endpoint: server.url,
    });
    const sample = await backlog.sample('flights');
    expect(sample!.undelivered).toBe(1);
    expect(sample!.sampledAt - sample!.oldestUnackedAge).toBeLessThanOrEqual(0);
  });
});
