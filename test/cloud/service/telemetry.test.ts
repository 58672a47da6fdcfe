import { describe, expect, test } from 'vitest';
import { Log } from '../../../functions/cloud/service/log.ts';
import { Telemetry } from '../../../functions/cloud/service/telemetry.ts';
import type { DeadLetter } from '../../../functions/engine/dead-letter.ts';
import { newRoot, type Root } from '../../../functions/engine/protocol/root.ts';
import { noCounts } from '../../../functions/engine/shard/work.ts';
import { VirtualClock } from '../../../functions/local/virtual-clock.ts';
import { type EpochMillis, MAX_TIMESTAMP, plus } from '../../../functions/model/time.ts';
import flights from '../../../functions/pipelines/flights.ts';
import { plan } from '../../../functions/plan/plan.ts';
import { METRICS } from '../../../functions/plan/telemetry.ts';
import { everything } from '../../plan/everything.ts';

const NOON = Date.UTC(2026, 0, 1, 12) as EpochMillis;

function world(graph = flights) {
  const clock = new VirtualClock(NOON);
  const lines: Record<string, unknown>[] = [];
  const log = new Log(graph.name, 'my-project', (line) => lines.push(JSON.parse(line)));
  const take = (): Record<string, unknown>[] => lines.splice(0);
  return { clock, take, telemetry: new Telemetry(plan(graph), log, clock) };
}

function bundle(changes: Partial<ReturnType<typeof noCounts>>) {
  return { ...noCounts(), ...changes };
}

function letter(stage: string, kind: DeadLetter['kind'], count: number): DeadLetter {
  return { stage, kind, count } as DeadLetter;
}

function root(id: string, changes: Partial<Root>): [string, Root] {
  return [id, { ...newRoot(id, 1), ...changes }];
}

const range = (from: number, to: number, secondsAgo: number) => ({
  from,
  to,
  earliest: NOON,
  born: plus(NOON, -secondsAgo * 1_000),
  firstDocument: 1,
  lastDocument: 1,
});

describe('counts', () => {
  test('are said with the first bundle, then gathered for a minute, and said once', () => {
    const { clock, take, telemetry } = world();
    telemetry.counted('delays', bundle({ elements: 3 }));
    expect(take()).toMatchObject([
      { event: 'counts', pipeline: 'flights', stage: 'delays', elements: 3, deadLetters: 0 },
    ]);
    telemetry.counted('delays', bundle({ elements: 4, panes: { EARLY: 2, ON_TIME: 1, LATE: 5 } }));
    clock.advanceTo(plus(NOON, 59_999));
    telemetry.counted('delays', bundle({ elements: 5, late: 1 }));
    expect(take()).toEqual([]);
    clock.advanceTo(plus(NOON, 60_000));
    telemetry.counted('delays', bundle({ elements: 6 }));
    expect(take()).toMatchObject([{ elements: 15, panesEarly: 2, panesOnTime: 1, panesLate: 5, late: 1 }]);
    telemetry.flush();
    expect(take()).toEqual([]);
  });

  test('with a dead letter are said at once, once, whoever wrote it: a bundle, a refused row, what Pub/Sub gave up', () => {
    const { take, telemetry } = world();
    telemetry.flush();
    telemetry.counted('delays', bundle({ elements: 1, deadLetters: 1 }));
    expect(take()).toEqual([]);
    telemetry.deadLettered([letter('delays', 'element', 3), letter('flights', 'source', 1)]);
    expect(take()).toMatchObject([
      { stage: 'delays', elements: 1, deadLetters: 3 },
      { stage: 'flights', elements: 0, deadLetters: 1 },
    ]);
    telemetry.deadLettered([letter('departures', 'row', 1)]);
    expect(take()).toMatchObject([{ stage: 'departures', deadLetters: 1 }]);
  });

  test('hold no late records among the dead letters', () => {
    const { take, telemetry } = world();
    telemetry.flush();
    telemetry.deadLettered([letter('delays', 'late', 1)]);
    expect(take()).toEqual([]);
  });

  test('that are left are said when the instance goes', () => {
    const { take, telemetry } = world();
    telemetry.flush();
    telemetry.counted('delays', bundle({ elements: 7 }));
    expect(take()).toEqual([]);
    telemetry.flush();
    expect(take()).toMatchObject([{ elements: 7 }]);
  });
});

describe('a sweep', () => {
  test('says how far behind each stage is, and how long its oldest envelope has waited', () => {
    const { take, telemetry } = world();
    const roots = new Map([
      root('ingest~flights~a', { open: { 'delays~0': [range(1, 3, 90), range(4, 4, 30)] } }),
      root('delays~0', { done: { 'ingest~flights~a': [[1, 3]] } }),
    ]);
    const watermarks = { input: {}, output: { delays: plus(NOON, -125_000), departures: MAX_TIMESTAMP } };
    telemetry.swept({ roots, watermarks, republished: 2 });
    expect(take()).toMatchObject([
      { event: 'sweep', roots: 2, republished: 2 },
      // 1 to 3 were taken; 4 was not.
      { event: 'stage', stage: 'delays', watermarkLagSeconds: 125, oldestOpenSeconds: 30 },
      { event: 'stage', stage: 'departures', oldestOpenSeconds: 0 },
    ]);
  });

  test('leaves the lag out where the watermark is at an end of time', () => {
    const { take, telemetry } = world();
    telemetry.swept({
      roots: new Map(),
      watermarks: { input: {}, output: { departures: MAX_TIMESTAMP } },
      republished: 0,
    });
    for (const line of take()) expect(line).not.toHaveProperty('watermarkLagSeconds');
  });

  test('says how often a model was called since the sweep before, and nothing at the first', () => {
    const { take, telemetry } = world(everything);
    const asked = (calls: number, throttled: number) => ({
      roots: new Map([root('kind~0', { extra: { counters: { calls, throttled } } })]),
      watermarks: { input: {}, output: {} },
      republished: 0,
    });
    const models = (): unknown[] => take().filter(({ event }) => event === 'model');
    telemetry.swept(asked(100, 10));
    expect(models()).toEqual([]);
    telemetry.swept(asked(120, 15));
    expect(models()).toMatchObject([{ stage: 'kind', calls: 20, throttled: 5 }]);
    telemetry.swept(asked(120, 15));
    expect(models()).toEqual([]);
  });
});

test('every metric that infra makes is drawn from a line that is written', () => {
  const { take, telemetry } = world(everything);
  const root0 = (calls: number) => new Map([root('kind~0', { extra: { counters: { calls, throttled: 0 } } })]);
  const output = Object.fromEntries(plan(everything).stages.map(({ id }) => [id, NOON]));
  telemetry.counted('kind', bundle({ elements: 1 }));
  for (const calls of [1, 2])
    telemetry.swept({ roots: root0(calls), watermarks: { input: {}, output }, republished: 0 });
  const lines = take();
  const undrawn = METRICS.filter(
    ({ event, field }) =>
      !lines.some((line) => line['event'] === event && (field === null || typeof line[field] === 'number')),
  );
  expect(undrawn).toEqual([]);
});
