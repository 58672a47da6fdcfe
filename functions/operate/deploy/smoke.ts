/** The check after a deployment: one event in, one row out, and how long that took. */
import { ConfigurationError } from '../../model/errors.ts';
import { type EpochMillis, type Millis, plus } from '../../model/time.ts';
import type { Clock } from '../../ports/clock.ts';

/** What is sent and what must come of it; `infra/smoke/{pipeline}.json`. In texts `{{now}}` stands for the time, as ISO text. */
export interface SmokeTest {
  /** The topic that the event is published to. */
  readonly topic: string;
  readonly event: unknown;
  /** `dataset.table`, or a table of the pipeline's dataset. */
  readonly table: string;
  /** Columns of the row that the event must make, with their values. */
  readonly row: Readonly<Record<string, string | number>>;
  /** How long the pipeline may take, in seconds: its trigger's delay, the flush interval and cold starts. */
  readonly withinSeconds: number;
}

export interface SmokePorts {
  readonly clock: Clock;
  readonly publish: (topic: string, data: string) => Promise<void>;
  /** Rows of a table with these values. */
  readonly countRows: (table: string, row: SmokeTest['row']) => Promise<number>;
}

export interface SmokeResult {
  readonly passed: boolean;
  /** From publishing to the row, or until nobody waited any more. */
  readonly millis: number;
}

const POLL = 10_000 as Millis;

export async function smoke(test: SmokeTest, { clock, publish, countRows }: SmokePorts): Promise<SmokeResult> {
  const filled = fill(test, clock.now()) as SmokeTest;
  const before = await countRows(filled.table, filled.row);
  const began = clock.now();
  await publish(filled.topic, JSON.stringify(filled.event));
  const deadline = plus(began, test.withinSeconds * 1_000);
  for (;;) {
    await clock.sleep(POLL);
    const passed = (await countRows(filled.table, filled.row)) > before;
    const now = clock.now();
    if (passed || now >= deadline) return { passed, millis: now - began };
  }
}

/** Puts the time in wherever a text says `{{now}}`. */
function fill(value: unknown, now: EpochMillis): unknown {
  if (typeof value === 'string') return value.replaceAll('{{now}}', new Date(now).toISOString());
  if (Array.isArray(value)) return value.map((item) => fill(item, now));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fill(item, now)]));
}

/** @throws {ConfigurationError} naming the field that is missing or wrong */
export function readSmokeTest(path: string, text: string): SmokeTest {
  let value: Partial<SmokeTest>;
  try {
    value = JSON.parse(text) as Partial<SmokeTest>;
  } catch (cause) {
    throw new ConfigurationError(`${path} is no JSON`, { cause });
  }
  const wrong = (field: string, expected: string): never => {
    throw new ConfigurationError(
      `${path}: ${field}: expected ${expected}, got ${JSON.stringify(value[field as keyof SmokeTest])}`,
    );
  };
  if (typeof value.topic !== 'string') wrong('topic', 'the name of a topic');
  if (value.event === undefined) wrong('event', 'what is published');
  if (typeof value.table !== 'string') wrong('table', 'the name of a table');
  if (typeof value.row !== 'object' || Object.keys(value.row ?? {}).length === 0)
    wrong('row', 'columns with their values');
  if (typeof value.withinSeconds !== 'number' || !(value.withinSeconds > 0)) wrong('withinSeconds', 'a number above 0');
  return value as SmokeTest;
}
