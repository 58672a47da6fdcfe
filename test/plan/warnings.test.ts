import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { count, fixedWindows, type PCollection, pipeline, vertexEndpoint } from '../../functions/index.ts';
import { plan } from '../../functions/plan/plan.ts';
import { warningsOf } from '../../functions/plan/warnings.ts';

type Scored = { id: string; at: number; score: number };

function warnings(build: (scored: PCollection<Scored>) => void): string[] {
  const graph = pipeline('p', (p) => {
    const scored = p
      .readPubSub('events', { schema: z.object({ id: z.string(), at: z.number() }), eventTime: ({ at }) => at })
      .enrichWithModel('score', {
        model: vertexEndpoint('e'),
        instance: ({ id }) => ({ id }),
        prediction: z.number(),
        output: (event, score) => ({ ...event, score }),
        requestsPerMinute: 60,
      });
    build(scored);
  });
  return warningsOf(plan(graph));
}

const daily = (scored: PCollection<Scored>): void =>
  scored
    .map('rounded', (event) => event)
    .writeBigQuery('scores', {
      columns: { id: 'STRING', at: 'TIMESTAMP', score: 'FLOAT64' },
      key: ['id', 'at'],
      partitionBy: 'at',
      row: ({ id, at, score }) => ({ id, at, score }),
    });

describe('warnings', () => {
  it('say so when a model in the stream has a daily table as its only reader', () => {
    expect(warnings(daily)).toEqual([
      "'score' shows every element to a model, and only the daily table 'scores' reads it; scoring new partitions after they have landed (scheduleScoring) costs less and can be done again with a newer model",
    ]);
  });

  it('are silent when somebody acts on the answer at once', () => {
    const alerted = warnings((scored) => {
      daily(scored);
      scored.filter('high', ({ score }) => score > 0.9).writePubSub('alerts', {});
    });
    expect(alerted).toEqual([]);
  });

  it('name what goes nowhere in a pipeline that writes nothing', () => {
    const graph = pipeline('forgetful', (p) => {
      const events = p.readPubSub('events', { schema: z.object({ id: z.string() }) });
      events.map('ids', ({ id }) => id).filter('long', (id) => id.length > 3);
      events.parDo('told', { process: () => {} });
    });
    expect(warningsOf(plan(graph))).toEqual([
      "pipeline 'forgetful' writes nothing: what 'long', 'told' gives goes nowhere, unless its code acts on the outside itself; end with writeBigQuery(…) or writePubSub(…)",
    ]);
  });

  it('are silent when it is grouped first', () => {
    const grouped = warnings((scored) =>
      scored
        .keyBy('by-id', ({ id }) => id)
        .window('hourly', fixedWindows('1h'))
        .combinePerKey('count', count())
        .writeBigQuery('counts', {
          columns: { id: 'STRING', hour: 'TIMESTAMP', n: 'INT64' },
          key: ['id', 'hour'],
          partitionBy: 'hour',
          row: ({ key, value }, { window }) => ({ id: key, hour: window.start, n: value }),
        }),
    );
    expect(grouped).toEqual([]);
  });
});
