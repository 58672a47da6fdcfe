/**
 * Cloud Monitoring's time series of Pub/Sub subscriptions, for local runs: looks at the relay once a minute and shows each
 * look two minutes later, as the real one may; both can be made shorter. Serves `GET /v3/projects/{p}/timeSeries`.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RouteStats } from '../relay/stats.ts';

export interface MonitoringOptions {
  /** What there is to sample. */
  readonly stats: () => readonly RouteStats[];
  /** Between two samples. Default 60,000, as the real one. */
  readonly sampleEveryMillis?: number;
  /** After which a sample is visible. Default 120,000, the most that the real one takes. */
  readonly visibleAfterMillis?: number;
}

export interface MonitoringServer {
  /** Such as `http://127.0.0.1:8099`. */
  readonly url: string;
  /** Takes a sample now, beside the others. */
  sample(): void;
  stop(): Promise<void>;
}

interface Sample {
  readonly at: number;
  /** By subscription. */
  readonly values: ReadonlyMap<string, { readonly ageSeconds: number; readonly undelivered: number }>;
}

const KEPT = 60;
const AGE = 'oldest_unacked_message_age';

export async function startMonitoring(options: MonitoringOptions): Promise<MonitoringServer> {
  const { sampleEveryMillis = 60_000, visibleAfterMillis = 120_000 } = options;
  const samples: Sample[] = [];
  const sample = (): void => {
    samples.push(sampleOf(options.stats(), Date.now()));
    samples.splice(0, samples.length - KEPT);
  };
  const timer = setInterval(sample, sampleEveryMillis);
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const visible = samples.filter(({ at }) => at <= Date.now() - visibleAfterMillis);
    const body = url.pathname.endsWith('/timeSeries')
      ? answer(url.searchParams.get('filter') ?? '', visible)
      : undefined;
    if (body === undefined) response.writeHead(404).end();
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sample,
    stop: () =>
      new Promise((resolve) => {
        clearInterval(timer);
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What a route has not pulled yet is younger than what it holds; when it holds nothing, nothing is known of it. */
function sampleOf(stats: readonly RouteStats[], at: number): Sample {
  const values = stats.map(({ subscription, held, oldestHeld, caughtUp }) => {
    const oldest = oldestHeld ?? (caughtUp ? undefined : 0);
    const ageSeconds = oldest === undefined ? 0 : Math.floor((at - oldest) / 1_000);
    return [subscription, { ageSeconds, undelivered: caughtUp ? held : Math.max(held, 1) }] as const;
  });
  return { at, values: new Map(values) };
}

function answer(filter: string, samples: readonly Sample[]): unknown {
  const subscription = /subscription_id = "([^"]+)"/.exec(filter)?.[1] ?? '';
  const points = samples.flatMap(({ at, values }) => {
    const value = values.get(subscription);
    if (value === undefined) return [];
    const time = new Date(at).toISOString();
    const number = filter.includes(AGE) ? value.ageSeconds : value.undelivered;
    return [{ interval: { startTime: time, endTime: time }, value: { int64Value: String(number) } }];
  });
  return points.length === 0 ? {} : { timeSeries: [{ points: points.reverse() }] };
}
