import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { SPECIAL_FUNCTIONS } from '../../emulators/bigquery/compile/special.ts';
import { WINDOW_FUNCTIONS } from '../../emulators/bigquery/compile/window.ts';
import { AGGREGATE_FUNCTIONS } from '../../emulators/bigquery/functions/aggregate.ts';
import { SCALAR_FUNCTIONS } from '../../emulators/bigquery/functions/index.ts';
import { useLocalServer } from './local-server.ts';

const README = readFileSync(new URL('../../emulators/bigquery/README.md', import.meta.url), 'utf8');

/** The cells of a line of a table, without the spaces that align them. */
function cells(line: string): string[] {
  return line
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
}

function code(cell: string | undefined): string {
  return /^`(.*)`$/.exec(cell ?? '')?.[1] ?? '';
}

const LINES = README.split('\n').map(cells);

/** The rows of the table with that head: what it is about, and what stands in code marks in the other two columns. */
function tableRows(...head: readonly string[]): (readonly [what: string, statement: string, result: string])[] {
  const start = LINES.findIndex((line) => JSON.stringify(line) === JSON.stringify(head));
  const rows = LINES.slice(start + 2);
  const end = rows.findIndex((row) => row.length === 0);
  return rows.slice(0, end).map(([what = '', statement, result]) => [what, code(statement), code(result)] as const);
}

function functionNames(kind: string): string[] {
  const [, names = ''] = LINES.find(([first]) => first === kind) ?? [];
  return [...names.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '').sort();
}

const server = useLocalServer();
const supported = tableRows('What', 'Statement', 'Result');
const refused = tableRows('What', 'Statement', 'The message contains');

beforeAll(() => server.query('CREATE TABLE d.readme (id INT64, v INT64)'));

test('the tables of the README are found', () => {
  expect(supported.length).toBeGreaterThan(30);
  expect(refused.length).toBeGreaterThan(12);
  expect([...supported, ...refused].every((row) => row.every((cell) => cell !== ''))).toBe(true);
});

describe('what the README calls supported gives the result it shows', () => {
  test.each(supported)('%s', async (_, statement, expected) => {
    if (expected.startsWith('[')) {
      expect((await server.query(statement)).rows).toEqual([JSON.parse(expected)]);
      return;
    }
    const { status, body } = await server.post(statement);
    expect(status).toBe(200);
    if (/^\d+$/.test(expected)) {
      expect(body.numDmlAffectedRows).toBe(expected);
      return;
    }
    const job = await server.send('GET', `/projects/p/jobs/${body.jobReference.jobId}`);
    expect(job.body.statistics.query.ddlOperationPerformed).toBe(expected);
  });
});

describe('what the README calls refused is refused with that sentence', () => {
  test.each(refused)('%s', async (_, statement, message) => {
    expect(await server.refusal(statement)).toContain(message);
  });
});

describe('the README names the functions that there are, all of them and no others', () => {
  test('scalar', () => {
    expect(functionNames('Scalar')).toEqual(
      [...new Set([...SCALAR_FUNCTIONS.keys(), ...SPECIAL_FUNCTIONS.keys()])].sort(),
    );
  });
  test('aggregate', () => {
    expect(functionNames('Aggregate')).toEqual([...AGGREGATE_FUNCTIONS.keys()].sort());
  });
  test('window', () => {
    expect(functionNames('Window')).toEqual([...WINDOW_FUNCTIONS.keys()].sort());
  });
});
