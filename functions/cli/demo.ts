#!/usr/bin/env node
/**
 * `npm run demo`: real, badly out-of-order events become corrected panes in a table. Takes the first tens of thousands of
 * flights that come with vega-datasets, puts them in order of arrival, and runs `functions/pipelines/flights.ts` over them.
 * `--save FILE` only writes the flights, as JSON Lines.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Table from 'cli-table3';
import { Command } from 'commander';
import { LocalRun, type RunSummary } from '../local/local-run.ts';
import { messageOf } from '../model/errors.ts';
import flights from '../pipelines/flights.ts';
import type { Row } from '../ports/warehouse.ts';
import { writeFlights } from './demo-data.ts';
import { Growth, growth } from './growth-chart.ts';

const FLIGHTS = 60_000;

async function demo(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-demo-'));
  try {
    const file = join(folder, 'flights.jsonl');
    await writeFlights(file, FLIGHTS);
    const run = new LocalRun(flights, { inputs: new Map([['flights', file]]), flushByAge: true });
    const watch = new Growth();
    run.warehouse.onRow = (_, row) => watch.note(row);
    const summary = await run.run();
    print(summary, [...run.warehouse.rows('departures_by_airport')], watch);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function print(summary: RunSummary, rows: readonly Row[], watch: Growth): void {
  const { events, panes, late, seconds } = summary;
  const say = (line = ''): void => console.log(line);
  say(`${events.toLocaleString('en')} departures of January 2001, in order of arrival, in ${seconds.toFixed(1)} s\n`);
  say('Panes of (airport, hour), by timing:');
  say(`  ${panes.EARLY.toLocaleString('en')} early       while the hour fills, every ten minutes of processing time`);
  say(`  ${panes.ON_TIME.toLocaleString('en')} on time     when the watermark says that the hour is complete`);
  say(
    `  ${panes.LATE.toLocaleString('en')} late        corrections: a flight came after that, and the row was replaced`,
  );
  say(`Late records: ${late}, beyond the six hours that the pipeline allows; nothing is dropped silently.`);
  const counted = rows.reduce((sum, row) => sum + (row['flights'] as number), 0);
  say(
    `Check: ${counted.toLocaleString('en')} flights in the table + ${late} late = ${(counted + late).toLocaleString('en')} events.\n`,
  );
  say(busiest(rows));
  say(`\n${growth(watch)}`);
}

function busiest(rows: readonly Row[]): string {
  const airports = new Map<string, { flights: number; minutes: number; worst: number }>();
  for (const row of rows) {
    const airport = airports.get(row['airport'] as string) ?? {
      flights: 0,
      minutes: 0,
      worst: Number.NEGATIVE_INFINITY,
    };
    airport.flights += row['flights'] as number;
    airport.minutes += (row['flights'] as number) * (row['mean_delay'] as number);
    airport.worst = Math.max(airport.worst, row['max_delay'] as number);
    airports.set(row['airport'] as string, airport);
  }
  const table = new Table({
    head: ['airport', 'flights', 'mean delay (min)', 'longest (min)'],
    style: { head: [], border: [] },
  });
  const top = [...airports].sort(([, a], [, b]) => b.flights - a.flights).slice(0, 8);
  for (const [name, { flights, minutes, worst }] of top)
    table.push([name, flights.toLocaleString('en'), (minutes / flights).toFixed(1), String(worst)]);
  return `The busiest airports:\n${table.toString()}`;
}

async function save(file: string): Promise<void> {
  try {
    await writeFlights(file, FLIGHTS);
    console.log(`${FLIGHTS.toLocaleString('en')} flights are in ${file}`);
  } catch (error) {
    console.error(`--save: ${file} cannot be written: ${messageOf(error)}`);
    process.exitCode = 1;
  }
}

await new Command('npm run demo --')
  .description('run the flights pipeline on 60,000 real flights, in order of arrival, and show what becomes of them')
  .option('--save <file>', 'only write the flights, as JSON Lines')
  .showHelpAfterError('(try npm run demo -- --help)')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .action((options: { readonly save?: string }) => (options.save === undefined ? demo() : save(options.save)))
  .parseAsync();
