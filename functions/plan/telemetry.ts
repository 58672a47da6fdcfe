/**
 * What a deployed pipeline says of itself in its log, and the metrics that are drawn from that. Functions write lines of
 * these events (JSON, with `event`, `pipeline` and, but for `sweep`, `stage` beside the fields below); `infra/` makes a
 * log-based metric of each field, and alerts and dashboard of those. So no function needs the right to write metrics.
 */

export interface Metric {
  /** Unique; part of the metric's name in Cloud Monitoring. */
  readonly name: string;
  /** The `event` of the lines that carry it. */
  readonly event: keyof typeof EVENTS;
  /** The line's field; null = the lines are counted. */
  readonly field: string | null;
  readonly unit: '1' | 's';
  readonly description: string;
}

/** When a line of each event is written. */
export const EVENTS = {
  /** By each sweep that Cloud Scheduler started. */
  sweep: 'a sweep is done',
  /** By the same sweeps, one for each stage. */
  stage: 'how a stage stands',
  /** By an instance, for each of its stages and sources, once a minute and at once with a dead letter; only when something was done. */
  counts: 'what was done since the line before',
  /** By the same sweeps, for each stage that asked a model since the sweep before. */
  model: 'calls of a model since the sweep before',
} as const;

export const METRICS: readonly Metric[] = [
  { name: 'sweeps', event: 'sweep', field: null, unit: '1', description: 'Sweeps that Cloud Scheduler started' },
  {
    name: 'watermark_lag',
    event: 'stage',
    field: 'watermarkLagSeconds',
    unit: 's',
    description: "How far a stage's output watermark is behind the clock",
  },
  {
    name: 'oldest_open',
    event: 'stage',
    field: 'oldestOpenSeconds',
    unit: 's',
    description: 'Age of the oldest envelope to a stage that is not settled',
  },
  { name: 'elements', event: 'counts', field: 'elements', unit: '1', description: 'Elements taken' },
  { name: 'panes_early', event: 'counts', field: 'panesEarly', unit: '1', description: 'Early panes emitted' },
  { name: 'panes_on_time', event: 'counts', field: 'panesOnTime', unit: '1', description: 'On-time panes emitted' },
  { name: 'panes_late', event: 'counts', field: 'panesLate', unit: '1', description: 'Late panes emitted' },
  { name: 'late', event: 'counts', field: 'late', unit: '1', description: 'Late records' },
  { name: 'dead_letters', event: 'counts', field: 'deadLetters', unit: '1', description: 'Dead letters written' },
  { name: 'model_calls', event: 'model', field: 'calls', unit: '1', description: 'Calls of a model' },
  {
    name: 'model_throttled',
    event: 'model',
    field: 'throttled',
    unit: '1',
    description: 'Calls of a model that it answered with 429',
  },
];

/** In PromQL, what picks the metrics of Cloud Run's services out of those of its jobs, too. */
export const OF_SERVICES = 'monitored_resource="cloud_run_revision"';

/** A metric's name in Cloud Monitoring, after `logging.googleapis.com/user/`. */
export function metricName(pipeline: string, metric: string): string {
  return `millrace_${pipeline.replaceAll('-', '_')}_${metric}`;
}

/**
 * Its series in PromQL. A log-based metric may be of any kind of resource, so Cloud Monitoring refuses a query of one that does
 * not say which.
 * @param part of a metric that is drawn from a field: the sum of its values, or how many there were
 */
export function promqlSeries(pipeline: string, metric: string, part?: 'sum' | 'count'): string {
  const name = `logging_googleapis_com:user_${metricName(pipeline, metric)}`;
  return `${name}${part === undefined ? '' : `_${part}`}{${OF_SERVICES}}`;
}

/** The log lines that a metric is drawn from, in the language of Cloud Logging. */
export function metricFilter(pipeline: string, { event, field }: Metric): string {
  const line = `resource.type="cloud_run_revision" AND jsonPayload.pipeline="${pipeline}" AND jsonPayload.event="${event}"`;
  return field === null ? line : `${line} AND jsonPayload.${field}:*`;
}
