import { describe, expect, test } from 'vitest';
import { deploymentManifest } from '../../functions/operate/deployment.ts';
import flights from '../../functions/pipelines/flights.ts';
import { plan } from '../../functions/plan/plan.ts';
import { METRICS, metricFilter, metricName } from '../../functions/plan/telemetry.ts';

const { alerts, dashboard } = deploymentManifest(plan(flights));
const query = (id: string): string => alerts.find((alert) => alert.id === id)!.query;

/** Log-based metrics that a query names. */
function named(text: string): string[] {
  return [...text.matchAll(/logging_googleapis_com:user_(\w+?)(?:_sum|_count)?(?=[[{])/g)].map(([, name]) => name!);
}

describe('alerts', () => {
  test('cover dead letters, age, lag, open envelopes, sweeps, push errors and throttling', () => {
    expect(alerts.map(({ id }) => id)).toEqual([
      'dead-letters',
      'undelivered',
      'unacknowledged',
      'watermark-lag',
      'open-envelopes',
      'sweep-absent',
      'push-errors',
      'model-throttled',
    ]);
  });

  test('expect of flights a lag of one hour out of order and one hour of window, and half an hour more', () => {
    expect(query('watermark-lag')).toMatch(/ > 9000$/);
  });

  test('fire when sweeps are absent for ten minutes', () => {
    const { query: asked, forSeconds } = alerts.find(({ id }) => id === 'sweep-absent')!;
    expect(asked).toBe(
      'absent_over_time(logging_googleapis_com:user_millrace_flights_sweeps{monitored_resource="cloud_run_revision"}[5m])',
    );
    expect(forSeconds).toBe(300);
  });

  test('look at the subscriptions of this pipeline alone', () => {
    expect(query('unacknowledged')).toContain(
      'subscription_id=~"millrace-flights--ingest--flights|millrace-flights--delays--0|millrace-flights--departures--0"',
    );
  });

  test('say what to do first', () => {
    for (const { advice } of alerts) expect(advice).toMatch(/`millrace [a-z-]+|log|quota/);
  });
});

describe('alerts and dashboard', () => {
  test('name only metrics that are made', () => {
    const made = METRICS.map(({ name }) => metricName('flights', name));
    const used = new Set([...alerts.map((alert) => alert.query), JSON.stringify(dashboard)].flatMap(named));
    expect(used.size).toBeGreaterThan(8);
    expect([...used].filter((name) => !made.includes(name))).toEqual([]);
  });

  test('say of each metric that jobs have too that they mean services', () => {
    const queries = dashboard.mosaicLayout.tiles.flatMap(({ widget }) =>
      widget.xyChart.dataSets.map(({ timeSeriesQuery }) => timeSeriesQuery.prometheusQuery),
    );
    const series = [...alerts.map((alert) => alert.query), ...queries].flatMap((text) => [
      ...text.matchAll(/(?:logging|run)_googleapis_com:\w+(\{[^}]*\})?/g),
    ]);
    expect(series.length).toBeGreaterThan(20);
    for (const [whole, labels] of series) expect(labels, whole).toContain('monitored_resource="cloud_run_revision"');
  });

  test('name lines by labels as Cloud Monitoring fills them in', () => {
    const legends = dashboard.mosaicLayout.tiles.flatMap(({ widget }) =>
      widget.xyChart.dataSets.map(({ legendTemplate }) => legendTemplate),
    );
    expect(legends).toContain(`\${stage}`);
    expect(legends).toContain(`late records: \${stage}`);
    expect(legends.join()).not.toContain('{{');
  });

  test('show throughput, lag, panes, dead letters and what costs', () => {
    const titles = dashboard.mosaicLayout.tiles.map(({ widget }) => widget.title);
    expect(titles).toHaveLength(14);
    expect(titles.filter((title) => title.startsWith('Cost: '))).toEqual([
      'Cost: Firestore operations a second',
      'Cost: requests a second, by function',
      'Cost: vCPU seconds a second, by function',
      'Cost: GiB seconds a second, by function',
      'Cost: Pub/Sub bytes a second',
      'Cost: BigQuery bytes billed an hour (whole project)',
    ]);
  });

  test('no two charts lie over each other', () => {
    const places = dashboard.mosaicLayout.tiles.map(({ xPos, yPos }) => `${xPos},${yPos}`);
    expect(new Set(places).size).toBe(places.length);
  });
});

test('a metric is drawn from the lines of its pipeline and event that have its field', () => {
  const lag = METRICS.find(({ name }) => name === 'watermark_lag')!;
  expect(metricFilter('flights', lag)).toBe(
    'resource.type="cloud_run_revision" AND jsonPayload.pipeline="flights" AND jsonPayload.event="stage" AND jsonPayload.watermarkLagSeconds:*',
  );
});
