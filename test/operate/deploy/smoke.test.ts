import { describe, expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { VirtualClock } from '../../../functions/local/virtual-clock.ts';
import type { EpochMillis, Millis } from '../../../functions/model/time.ts';
import { readSmokeTest, type SmokeTest, smoke } from '../../../functions/operate/deploy/smoke.ts';
import { INFRA } from '../../infra/hcl/files.ts';

const NOON = Date.UTC(2026, 0, 1, 12) as EpochMillis;
const flights: SmokeTest = {
  topic: 'flights',
  event: { date: '{{now}}', origin: 'SMOKE' },
  table: 'departures_by_airport',
  row: { airport: 'SMOKE' },
  withinSeconds: 60,
};

/** A clock on which every sleep is over at once. */
class HastyClock extends VirtualClock {
  override async sleep(delay: Millis): Promise<void> {
    this.advanceTo((this.now() + delay) as EpochMillis);
  }
}

/** @param counts what the table answers, in turn; the last stays */
function ports(counts: number[]) {
  const published: string[] = [];
  return {
    published,
    clock: new HastyClock(NOON),
    publish: async (topic: string, data: string) => void published.push(`${topic}: ${data}`),
    countRows: async () => (counts.length > 1 ? counts.shift()! : counts[0]!),
  };
}

describe('the check after a deployment', () => {
  test('sends the event with the time in it, and tells how long the row took', async () => {
    const world = ports([3, 3, 3, 4]);
    expect(await smoke(flights, world)).toEqual({ passed: true, millis: 30_000 });
    expect(world.published).toEqual(['flights: {"date":"2026-01-01T12:00:00.000Z","origin":"SMOKE"}']);
  });

  test('a row that was there before is not taken for the event’s', async () => {
    expect(await smoke(flights, ports([1]))).toEqual({ passed: false, millis: 60_000 });
  });
});

describe('a file of a check', () => {
  test('the example’s own is one', () => {
    const path = join(INFRA, 'smoke', 'flights.json');
    expect(readSmokeTest(path, readFileSync(path, 'utf8'))).toMatchObject({ topic: 'flights', withinSeconds: 1_200 });
  });

  test.each([
    ['{', 'f.json is no JSON'],
    ['{"event":1}', 'f.json: topic: expected the name of a topic, got undefined'],
    ['{"topic":"t","event":1,"table":"d","row":{}}', 'f.json: row: expected columns with their values, got {}'],
    [
      '{"topic":"t","event":1,"table":"d","row":{"a":1},"withinSeconds":0}',
      'f.json: withinSeconds: expected a number above 0, got 0',
    ],
  ])('%s is refused', (text, message) => {
    expect(() => readSmokeTest('f.json', text)).toThrow(message);
  });
});
