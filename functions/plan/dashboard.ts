/** One page: is data flowing, how late is it, what failed, and what does it cost. In the form of Cloud Monitoring's API. */
import { meanByStage, pushedSubscriptions } from './alerts.ts';
import type { DeployedFunction } from './deployed-functions.ts';
import type { ManifestSubscription } from './delivery.ts';
import { OF_SERVICES, promqlSeries } from './telemetry.ts';

interface Chart {
  readonly title: string;
  /** PromQL by legend; `${label}` in a legend stands for a label's value. */
  readonly lines: Readonly<Record<string, string>>;
}

interface Parts {
  readonly pipeline: string;
  readonly functions: readonly DeployedFunction[];
  readonly subscriptions: readonly ManifestSubscription[];
  readonly database: string;
}

const COLUMNS = 48;
const WIDTH = COLUMNS / 2;
const HEIGHT = 16;

export function dashboard(parts: Parts) {
  return {
    displayName: `Millrace ${parts.pipeline}`,
    mosaicLayout: {
      columns: COLUMNS,
      tiles: charts(parts).map(({ title, lines }, place) => ({
        xPos: (place % 2) * WIDTH,
        yPos: Math.floor(place / 2) * HEIGHT,
        width: WIDTH,
        height: HEIGHT,
        widget: {
          title,
          xyChart: {
            dataSets: Object.entries(lines).map(([legendTemplate, prometheusQuery]) => ({
              plotType: 'LINE',
              legendTemplate,
              timeSeriesQuery: { prometheusQuery },
            })),
          },
        },
      })),
    },
  };
}

function charts({ pipeline, functions, subscriptions, database }: Parts): Chart[] {
  const sumOf = (name: string): string => promqlSeries(pipeline, name, 'sum');
  const pushed = pushedSubscriptions(subscriptions);
  const announced = subscriptions.find(({ kind }) => kind === 'deadLetters')!.name;
  const services = `${OF_SERVICES},service_name=~"${functions.map(({ name }) => name).join('|')}"`;
  const perMinute = (name: string): string => `60 * sum(rate(${sumOf(name)}[5m]))`;
  const byStage = (name: string): string => `sum by (stage) (increase(${sumOf(name)}[5m]))`;
  const bySubscription = (name: string): string =>
    `max by (subscription_id) (pubsub_googleapis_com:subscription_${name}{${pushed}})`;
  const byFunction = (name: string): string =>
    `sum by (service_name) (rate(run_googleapis_com:${name}{${services}}[5m]))`;
  const documents = (what: string): string =>
    `sum(rate(firestore_googleapis_com:document_${what}_ops_count{database_id="${database}"}[5m]))`;
  const labelled = (label: string): string => `\${${label}}`;
  const stage = labelled('stage');
  const service = labelled('service_name');
  const subscription = labelled('subscription_id');
  return [
    {
      title: 'Elements a second, by stage',
      lines: { [stage]: `sum by (stage) (rate(${sumOf('elements')}[5m]))` },
    },
    { title: 'Watermark lag (seconds), by stage', lines: { [stage]: meanByStage(pipeline, 'watermark_lag') } },
    {
      title: 'Panes a minute',
      lines: {
        early: perMinute('panes_early'),
        'on time': perMinute('panes_on_time'),
        late: perMinute('panes_late'),
      },
    },
    {
      title: 'Dead letters and late records in 5 minutes',
      lines: {
        [`dead letters: ${stage}`]: byStage('dead_letters'),
        [`late records: ${stage}`]: byStage('late'),
        'announced, not looked at': `max(pubsub_googleapis_com:subscription_num_undelivered_messages{subscription_id="${announced}"})`,
      },
    },
    { title: 'Unacknowledged messages', lines: { [subscription]: bySubscription('num_undelivered_messages') } },
    {
      title: 'Oldest unacknowledged message (seconds)',
      lines: { [subscription]: bySubscription('oldest_unacked_message_age') },
    },
    { title: 'Oldest open envelope (seconds), by stage', lines: { [stage]: meanByStage(pipeline, 'oldest_open') } },
    {
      title: 'Calls of models a minute',
      lines: { calls: perMinute('model_calls'), throttled: perMinute('model_throttled') },
    },
    {
      title: 'Cost: Firestore operations a second',
      lines: { reads: documents('read'), writes: documents('write'), deletes: documents('delete') },
    },
    { title: 'Cost: requests a second, by function', lines: { [service]: byFunction('request_count') } },
    {
      title: 'Cost: vCPU seconds a second, by function',
      lines: { [service]: byFunction('container_cpu_allocation_time') },
    },
    {
      title: 'Cost: GiB seconds a second, by function',
      lines: { [service]: byFunction('container_memory_allocation_time') },
    },
    {
      title: 'Cost: Pub/Sub bytes a second',
      lines: {
        [subscription]: `sum by (subscription_id) (rate(pubsub_googleapis_com:subscription_byte_cost{${pushed}}[5m]))`,
      },
    },
    {
      title: 'Cost: BigQuery bytes billed an hour (whole project)',
      lines: { billed: '3600 * sum(rate(bigquery_googleapis_com:query_statement_scanned_bytes_billed[1h]))' },
    },
  ];
}
