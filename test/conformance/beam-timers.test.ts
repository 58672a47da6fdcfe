/**
 * Random cases of state and timers with what Apache Beam 2.73 gives for them, on its direct runner under a TestStream
 * (`beam/README.md`): what each step emits in each window, in order, and with which timestamps.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runTimersCase } from './beam/run-timers-case.ts';

const file = new URL('golden/beam-timers.jsonl', import.meta.url);
const lines = readFileSync(file, 'utf8').trimEnd().split('\n');

it.each(lines.map((line) => [JSON.parse(line).id as number, line] as const))('case %i', async (_id, line) => {
  const { results, ...one } = JSON.parse(line);
  expect(await runTimersCase(one)).toEqual(results);
});
