/**
 * Random cases of all windows and triggers with what Beam gives for them: computed by a model that was written from Beam's
 * Java sources and shares nothing with this engine. Only cases on which the differences in ARCHITECTURE.md do not bear.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { conform } from '../../functions/cli/conform.ts';

interface Pane {
  readonly window: readonly [number, number] | 'global';
  readonly values: readonly number[];
  readonly timestamp?: number;
  readonly timing: string;
  readonly index: number;
  readonly nonSpeculativeIndex: number;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}
interface StepResult {
  readonly panes: readonly Pane[];
  readonly dropped: { readonly late: number; readonly closed: number };
  readonly hold: number | null;
}

const file = new URL('golden/random-cases.jsonl', import.meta.url);
const lines = readFileSync(file, 'utf8').trimEnd().split('\n');

it.each(lines.map((line) => [JSON.parse(line).id as number, line] as const))('case %i', async (_id, line) => {
  const written: string[] = [];
  await conform(one(line), (result) => written.push(result));
  const { steps } = JSON.parse(written[0]!) as { steps: readonly StepResult[] };
  expect(steps.map(text)).toEqual(JSON.parse(line).results);
});

async function* one(line: string): AsyncGenerator<string> {
  yield line;
}

/** For example `[0,10) {1,2}@9 ON_TIME#1/0*; dropped 1/0; hold 19`: panes, what was late and closed so far, the hold. */
function text({ panes, dropped, hold }: StepResult): string {
  const { late, closed } = dropped;
  return [
    ...panes.map(paneText).sort(),
    ...(late + closed === 0 ? [] : [`dropped ${late}/${closed}`]),
    ...(hold === null ? [] : [`hold ${hold}`]),
  ].join('; ');
}

/** As the catalogue writes panes; the first of a window is the one whose index is 0. */
function paneText({ window, values, timestamp, timing, index, nonSpeculativeIndex, isFirst, isLast }: Pane): string {
  expect(isFirst).toBe(index === 0);
  const where = window === 'global' ? 'global' : `[${window[0]},${window[1]})`;
  const at = timestamp === undefined ? '' : `@${timestamp}`;
  const sorted = [...values].sort((a, b) => a - b).join();
  return `${where} {${sorted}}${at} ${timing}#${index}/${nonSpeculativeIndex}${isLast ? '*' : ''}`;
}
