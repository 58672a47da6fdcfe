/**
 * `npm run bench`: the engine, from JSON Lines to table, beside a hand-written loop over a Map that does the same sums and
 * nothing else (no watermark, no early panes, no late data, no exactly-once). Both read and parse the same file.
 *
 *     npm run bench                          200,000 flights that come with vega-datasets
 *     npm run bench -- FLIGHTS               another number of them, up to 3,000,000
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeFlights } from '../../functions/cli/demo-data.ts';
import { readJsonLines } from '../../functions/local/input/json-lines.ts';
import { LocalRun } from '../../functions/local/local-run.ts';
import { MIN_TIMESTAMP } from '../../functions/model/time.ts';
import flights from '../../functions/pipelines/flights.ts';

const RUNS = 5;
const HOUR = 3_600_000;

interface Flight {
  readonly date: string;
  readonly delay: number;
  readonly origin: string;
}

async function bench(count: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
  try {
    const file = join(folder, 'flights.jsonl');
    await writeFlights(file, count);
    const loops: number[] = [];
    const engines: number[] = [];
    for (let i = 0; i < RUNS; i++) {
      loops.push(await secondsOf(() => loop(file)));
      engines.push(await secondsOf(() => new LocalRun(flights, { inputs: new Map([['flights', file]]) }).run()));
    }
    const [loopSeconds, engineSeconds] = [median(loops), median(engines)];
    console.log(`${count} flights, median of ${RUNS} runs in one process`);
    console.log(`hand-written loop  ${rate(count, loopSeconds)}`);
    console.log(`engine             ${rate(count, engineSeconds)}`);
    console.log(`the loop is ${(engineSeconds / loopSeconds).toFixed(1)} times as fast`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** What a program without any of the guarantees would do. */
async function loop(file: string): Promise<number> {
  const totals = new Map<string, { flights: number; delay: number; longest: number }>();
  for await (const records of readJsonLines(file, () => MIN_TIMESTAMP))
    for (const { value } of records) {
      const { date, delay, origin } = value as Flight;
      const key = `${origin} ${Math.floor(Date.parse(date) / HOUR)}`;
      const total = totals.get(key);
      if (total === undefined) totals.set(key, { flights: 1, delay, longest: delay });
      else {
        total.flights += 1;
        total.delay += delay;
        total.longest = Math.max(total.longest, delay);
      }
    }
  return totals.size;
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}

function rate(count: number, seconds: number): string {
  return `${seconds.toFixed(2)} s  ${Math.round(count / seconds).toLocaleString('en')} events a second`;
}

const asked = process.argv[2] ?? '200000';
if (!/^[1-9]\d{0,6}$/.test(asked)) {
  console.error(`bench: expected a number of flights, got '${asked}'`);
  process.exitCode = 2;
} else await bench(Number(asked));
