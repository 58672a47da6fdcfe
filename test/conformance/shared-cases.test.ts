/** The cases that come with the specification, where they lie beside the checkout. `catalogue.test.ts` stands on its own. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { conform } from '../../functions/cli/conform.ts';

interface Pane {
  values: unknown[];
  [field: string]: unknown;
}
interface Result {
  steps: { panes: Pane[]; dropped: object; hold: number | null }[];
}
type Step = { expect?: Pane[]; expectDropped?: object; expectHold?: number | null };
interface Case {
  id: string;
  title: string;
  steps: Step[];
}

const file = new URL('../../../shared/conformance/cases.json', import.meta.url);
const cases: Case[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).cases : [];

describe.skipIf(cases.length === 0)('the shared cases', () => {
  it.each(cases)('$id: $title', async (one) => {
    const { steps } = await run(one);
    let action = -1;
    let since = 0;
    for (const step of one.steps) {
      if (step.expect !== undefined) {
        const panes = steps.slice(since, action + 1).flatMap((result) => result.panes);
        expectPanes(panes, step.expect);
        since = action + 1;
      } else if (step.expectDropped !== undefined) {
        expect(steps[action]?.dropped).toEqual(step.expectDropped);
      } else if (step.expectHold !== undefined) {
        expect(steps[action]?.hold).toBe(step.expectHold);
      } else {
        action++;
      }
    }
  });
});

async function run(one: Case): Promise<Result> {
  let result = '';
  await conform(lines(JSON.stringify(one)), (line) => {
    result = line;
  });
  return JSON.parse(result);
}

async function* lines(line: string): AsyncGenerator<string> {
  yield line;
}

/** In any order; only the fields that the case names; values as a bag, numbers and their text alike. */
function expectPanes(panes: Pane[], expected: Pane[]): void {
  const named = panes.map((pane, i) => {
    const fields = Object.keys(expected[i] ?? expected[0] ?? pane);
    return canonical(Object.fromEntries(fields.map((field) => [field, pane[field]])) as Pane);
  });
  expect(named.sort()).toEqual(expected.map(canonical).sort());
}

function canonical(pane: Pane): string {
  const fields = Object.entries({ ...pane, values: pane.values.map(String).sort() });
  return JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}
