/**
 * What somebody must look at, as PromQL over the metrics of `telemetry.ts` and Pub/Sub's own, with what to do first.
 * PromQL, since a policy of it may name a metric that has no data yet.
 */
import type { ManifestSubscription } from './delivery.ts';
import type { Plan } from './plan.ts';
import { promqlSeries } from './telemetry.ts';

export interface Alert {
  readonly id: string;
  readonly title: string;
  readonly query: string;
  /** How long it must be true. */
  readonly forSeconds: number;
  /** What an operator does first. */
  readonly advice: string;
}

/** The oldest unacknowledged message, and the oldest envelope that is not settled although it was sent again. */
const OLDEST_MESSAGE_SECONDS = 600;
const OLDEST_ENVELOPE_SECONDS = 1_800;
/** What a watermark may be behind beyond what its source and windows need anyway. */
const LAG_MARGIN_SECONDS = 1_800;

export function manifestAlerts(plan: Plan, subscriptions: readonly ManifestSubscription[]): readonly Alert[] {
  const { pipeline } = plan;
  const sumOf = (name: string): string => promqlSeries(pipeline, name, 'sum');
  const pushed = pushedSubscriptions(subscriptions);
  const pushes = (more: string): string =>
    `sum by (subscription_id) (rate(pubsub_googleapis_com:subscription_push_request_count{${pushed}${more}}[10m]))`;
  return [
    {
      id: 'dead-letters',
      title: 'dead letters',
      query: `sum(increase(${sumOf('dead_letters')}[5m])) > 0`,
      forSeconds: 0,
      advice:
        'Elements failed for good. `millrace dead-letters list` groups them by cause; mend the cause, then `millrace dead-letters replay`.',
    },
    {
      id: 'undelivered',
      title: 'messages that Pub/Sub gave up',
      query: `sum(increase(pubsub_googleapis_com:subscription_dead_letter_message_count{${pushed}}[5m])) > 0`,
      forSeconds: 0,
      advice:
        "A message failed 100 times. A source's is a dead letter now; an envelope between stages is sent again by itself. Look for errors in the functions' logs.",
    },
    {
      id: 'unacknowledged',
      title: 'old unacknowledged messages',
      query: `max by (subscription_id) (max_over_time(pubsub_googleapis_com:subscription_oldest_unacked_message_age{${pushed}}[5m])) > ${OLDEST_MESSAGE_SECONDS}`,
      forSeconds: 300,
      advice:
        'A function does not keep up, or fails; or its stage is paused, or the pipeline drains. `millrace status` shows which; add slots, look for errors in its log, or let it go on.',
    },
    {
      id: 'watermark-lag',
      title: 'a watermark that falls behind',
      query: `${meanByStage(pipeline, 'watermark_lag')} > ${expectedLagSeconds(plan) + LAG_MARGIN_SECONDS}`,
      forSeconds: 300,
      advice: '`millrace why STAGE` names what holds it: an envelope, key, timer, view, batch or source.',
    },
    {
      id: 'open-envelopes',
      title: 'envelopes that do not settle',
      query: `${meanByStage(pipeline, 'oldest_open')} > ${OLDEST_ENVELOPE_SECONDS}`,
      forSeconds: 300,
      advice:
        'A stage has not taken an envelope for half an hour, although it was sent again. `millrace doctor` says whether it is paused, of another topology, or failing.',
    },
    {
      id: 'sweep-absent',
      title: 'no sweep',
      // Together ten minutes. What is asked alone would be true at once where none has run yet: just after a deployment.
      query: `absent_over_time(${promqlSeries(pipeline, 'sweeps')}[5m])`,
      forSeconds: 300,
      advice:
        "Watermarks stand still, and nothing that was lost is sent again. Look at the Cloud Scheduler job and the sweep's log.",
    },
    {
      id: 'push-errors',
      title: 'pushes that fail',
      query: `${pushes(',response_class!="ack"')} / ${pushes('')} > 0.05`,
      forSeconds: 600,
      advice:
        "One push in twenty is refused; above that Pub/Sub slows the whole subscription down. Look for errors in the function's log.",
    },
    {
      id: 'model-throttled',
      title: 'a model that throttles',
      query: `sum by (stage) (increase(${sumOf('model_throttled')}[10m])) / sum by (stage) (increase(${sumOf('model_calls')}[10m])) > 0.2`,
      forSeconds: 600,
      advice: "One call in five is answered with 429. Nothing is lost; ask for more quota, or lower the stage's rate.",
    },
  ];
}

/** A label matcher for the subscriptions that push. */
export function pushedSubscriptions(subscriptions: readonly ManifestSubscription[]): string {
  const names = subscriptions.filter(({ kind }) => kind === 'source' || kind === 'stage').map(({ name }) => name);
  return `subscription_id=~"${names.join('|')}"`;
}

/** The mean of a figure that is logged once a minute. */
export function meanByStage(pipeline: string, metric: string): string {
  const sum = promqlSeries(pipeline, metric, 'sum');
  const count = promqlSeries(pipeline, metric, 'count');
  return `sum by (stage) (increase(${sum}[5m])) / sum by (stage) (increase(${count}[5m]))`;
}

/** How far behind the last stage's watermark is when all is well: its sources' out-of-orderness and its windows. */
function expectedLagSeconds(plan: Plan): number {
  const delays = plan.sources.map(({ node }) => {
    const { watermark } = node.source;
    return watermark.kind === 'atEnd' ? 0 : watermark.kind === 'processingTime' ? watermark.lag : watermark.delay;
  });
  const windows = plan.graph.nodes.map((node): number => {
    if (node.kind !== 'reduce') return 0;
    const { windowFn } = node.strategy;
    return windowFn.kind === 'global' ? 0 : windowFn.kind === 'sessions' ? windowFn.gap : windowFn.size;
  });
  return Math.ceil((Math.max(0, ...delays) + windows.reduce((sum, each) => sum + each, 0)) / 1_000);
}
