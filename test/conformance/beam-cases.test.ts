/**
 * Random cases of all windows and triggers with what Apache Beam 2.73 gives for them: its own ReduceFnRunner ran each
 * (`beam/README.md`). Only cases on which the differences in ARCHITECTURE.md do not bear.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { resultTexts, runCase } from './beam/result.ts';

const file = new URL('golden/beam-cases.jsonl', import.meta.url);
const lines = readFileSync(file, 'utf8').trimEnd().split('\n');

it.each(lines.map((line) => [JSON.parse(line).id as number, line] as const))('case %i', async (_id, line) => {
  const { results, ...one } = JSON.parse(line);
  expect(resultTexts(await runCase(one))).toEqual(results);
});
