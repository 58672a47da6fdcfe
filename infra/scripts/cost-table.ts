/**
 * What the example costs a month at 1, 100 and 1,000 events a second in each deployment shape: operations counted by
 * running the engine (`counted-run.ts`), times list prices (`functions/plan/prices.ts`). How long instances are busy cannot
 * be counted under a virtual clock and is taken from the estimate that `millrace plan` uses.
 *
 *   node infra/scripts/cost-table.ts           counts again (a minute or two), writes infra/counted.json and the table
 *   node infra/scripts/cost-table.ts --check   only says whether infra/README.md holds the table of infra/counted.json
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import flights from '../../functions/pipelines/flights.ts';
import { type MonthlyCost, monthlyCost } from '../../functions/plan/cost.ts';
import { SHAPES, type Shape } from '../../functions/plan/deployed-functions.ts';
import type { Operations } from '../../functions/plan/operation-tally.ts';
import { DEFAULT_LOAD, operationsOf } from '../../functions/plan/operations.ts';
import { plan } from '../../functions/plan/plan.ts';
import { PRICES } from '../../functions/plan/prices.ts';
import { type Counted, countedRun } from './counted-run.ts';
import { AIRPORTS, flightEvent } from './flight-events.ts';

const COUNTED = fileURLToPath(new URL('../counted.json', import.meta.url));
const README = fileURLToPath(new URL('../README.md', import.meta.url));
const BEGIN = '<!-- cost table: written by infra/scripts/cost-table.ts -->';
const END = '<!-- end of cost table -->';

const RATES = [1, 100, 1_000];
const RUN = { seconds: 900, warmUpSeconds: 900 };

async function count(): Promise<Counted[]> {
  const counted: Counted[] = [];
  for (const eventsPerSecond of RATES)
    counted.push(await countedRun({ graph: flights, event: flightEvent, eventsPerSecond, ...RUN }));
  return counted;
}

/** Counted operations, with what only the estimate knows. */
export function operations(counted: Counted, shape: Shape): Operations {
  const load = { ...DEFAULT_LOAD, keys: AIRPORTS, eventsPerSecond: counted.events };
  const estimate = operationsOf(plan(flights), load, shape);
  const { leastBytesARequest } = PRICES.pubSub;
  return {
    requests: counted.events + counted.stagePushes + 1 / 60,
    busyInstances: estimate.busyInstances,
    pubSubBytes: counted.stageBytes + counted.events * Math.max(leastBytesARequest, load.bytesPerEvent),
    reads: counted.reads,
    writes: counted.writes,
    deletes: counted.deletes,
    // At worst a merge each minute, of one day's partition.
    bytesScanned: estimate.bytesScanned,
  };
}

export function costTable(counted: readonly Counted[]): string {
  const idle = SHAPES.map((shape) => {
    const nothing = operationsOf(plan(flights), { ...DEFAULT_LOAD, eventsPerSecond: 0 }, shape);
    return row(0, shape, monthlyCost(nothing, shape));
  });
  const rows = counted.flatMap((each) =>
    SHAPES.map((shape) => row(Math.round(each.events), shape, monthlyCost(operations(each, shape), shape))),
  );
  return aligned([HEAD, ...idle, ...rows]);
}

const HEAD = [
  'events a second',
  'shape',
  'requests',
  'vCPU and memory',
  'Pub/Sub',
  'Firestore',
  'BigQuery',
  'Scheduler',
  '**a month**',
];

function row(events: number, shape: Shape, cost: MonthlyCost): string[] {
  const { requests, instances, pubSub, firestore, bigQuery, scheduler, total } = cost;
  const parts = [requests, instances, pubSub, firestore, bigQuery, scheduler].map((part) => part.toFixed(2));
  return [events.toLocaleString('en'), shape, ...parts, `**$${total.toFixed(2)}**`];
}

/** As the formatter wants it: the second column is text, all others are numbers. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((cells) => cells[column]!.length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, i) => (i === 1 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join(' | ')} |`;
  const rule = widths.map((width, i) => (i === 1 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(rows[0]!), line(rule), ...rows.slice(1).map(line)].join('\n');
}

/** The README with the table between its marks. */
export function withTable(readme: string, table: string): string {
  const from = readme.indexOf(BEGIN);
  const to = readme.indexOf(END);
  if (from < 0 || to < from) throw new Error(`infra/README.md has no place for the table: '${BEGIN}' … '${END}'`);
  return `${readme.slice(0, from + BEGIN.length)}\n${table}\n${readme.slice(to)}`;
}

export function readCounted(): Counted[] {
  return JSON.parse(readFileSync(COUNTED, 'utf8')) as Counted[];
}

export function isUpToDate(): boolean {
  const readme = readFileSync(README, 'utf8');
  return withTable(readme, costTable(readCounted())) === readme;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--check')) {
    process.exitCode = isUpToDate() ? 0 : 1;
    process.stdout.write(
      isUpToDate() ? 'the table is up to date\n' : 'the table is old; run infra/scripts/cost-table.ts\n',
    );
  } else {
    const counted = await count();
    writeFileSync(COUNTED, `${JSON.stringify(counted, undefined, 2)}\n`);
    const table = costTable(counted);
    writeFileSync(README, withTable(readFileSync(README, 'utf8'), table));
    process.stdout.write(`${table}\n`);
  }
}
