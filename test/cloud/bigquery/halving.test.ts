import { describe, expect, it } from 'vitest';
import { Halving, type Ran } from '../../../functions/cloud/bigquery/halving.ts';
import type { BigQueryFailure } from '../../../functions/cloud/bigquery/job-failure.ts';
import type { EpochMillis } from '../../../functions/model/time.ts';
import type { MergeOutcome, Row, TableSpec } from '../../../functions/ports/warehouse.ts';

const APPENDED: TableSpec = { table: 't', columns: [], key: [], clusterBy: [] };
const KEYED: TableSpec = { ...APPENDED, key: ['n'] };
const CLOCK = { now: () => 0 as EpochMillis, sleep: async () => {} };

const failure = (reason: string, message = reason): BigQueryFailure => ({ code: undefined, reason, message });
const BAD_ROW = failure('invalidQuery', 'Bad double value: x');
const BUSY = failure('quotaExceeded');

const numbered = (count: number): Row[] => Array.from({ length: count }, (_, n) => ({ n }));
const numbers = (rows: readonly Row[]): number[] => rows.map(({ n }) => n as number);

/** Statements as BigQuery keeps them: each id is run once; a statement with a bad row writes nothing. */
class Statements {
  readonly written: number[] = [];
  readonly #jobs = new Map<string, BigQueryFailure | undefined>();
  readonly #isBad: (n: number) => boolean;
  readonly #trouble: (id: string) => BigQueryFailure | 'no job' | undefined;

  constructor(isBad: (n: number) => boolean, trouble: (id: string) => BigQueryFailure | 'no job' | undefined) {
    this.#isBad = isBad;
    this.#trouble = trouble;
  }

  write(table: TableSpec, rows: readonly Row[]): Promise<MergeOutcome> {
    return new Halving(table, CLOCK, async (some, id) => this.#run(some, id)).write(rows, 0, 'job');
  }

  get ids(): string[] {
    return [...this.#jobs.keys()];
  }

  #run(rows: readonly Row[], id: string): Ran {
    if (this.#jobs.has(id)) return this.#ran(id, 'found');
    const trouble = this.#trouble(id);
    if (trouble === 'no job') return { failure: BUSY, job: 'none' };
    const bad = numbers(rows).some(this.#isBad) ? BAD_ROW : undefined;
    this.#jobs.set(id, trouble ?? bad);
    if ((trouble ?? bad) === undefined) this.written.push(...numbers(rows));
    return this.#ran(id, 'made');
  }

  #ran(id: string, job: 'made' | 'found'): Ran {
    const failed = this.#jobs.get(id);
    return failed === undefined ? { job } : { failure: failed, job };
  }
}

/** Something that goes wrong the first times that it is asked for an id that begins so. */
function failing(prefix: string, times: number, how: BigQueryFailure | 'no job') {
  let left = times;
  return (id: string) => (id.startsWith(prefix) && left-- > 0 ? how : undefined);
}

describe('rows of a table without a key, of which one is refused', () => {
  const REFUSED = { state: 'done', refused: [{ index: 5, reason: 'Bad double value: x' }] };

  it.each([
    ['BigQuery is busy', BUSY],
    ['the table has gone for a while', failure('notFound')],
    ['a statement is not even accepted', 'no job' as const],
  ])('are appended once where %s after a part of them was', async (_, how) => {
    const statements = new Statements((n) => n === 5, failing('job-r', 2, how));
    expect(await statements.write(APPENDED, numbered(8))).toEqual(REFUSED);
    expect(statements.written.sort()).toEqual([0, 1, 2, 3, 4, 6, 7]);
  });

  it('are appended once where that lasts: the outcome is not known until it is over', async () => {
    const statements = new Statements((n) => n === 5, failing('job-r', 7, BUSY));
    expect(await statements.write(APPENDED, numbered(8))).toEqual({ state: 'unknown', reason: 'quotaExceeded' });
    expect(await statements.write(APPENDED, numbered(8))).toMatchObject({ state: 'unknown' });
    expect(await statements.write(APPENDED, numbered(8))).toEqual(REFUSED);
    expect(await statements.write(APPENDED, numbered(8))).toEqual(REFUSED);
    expect(statements.written.sort()).toEqual([0, 1, 2, 3, 4, 6, 7]);
  });

  it('may be sent as another job where none was appended yet', async () => {
    const statements = new Statements((n) => n === 5, failing('job-l', 1, BUSY));
    const outcome = await statements.write(APPENDED, numbered(8));
    expect(outcome).toEqual({ state: 'failed', again: true, reason: 'quotaExceeded' });
    expect(statements.written).toEqual([]);
    expect(statements.ids).toEqual(['job', 'job-l']);
  });
});

describe('rows of which more than a hundred are refused', () => {
  it('are no dead letters where nothing was appended: somebody has to look', async () => {
    const statements = new Statements(
      () => true,
      () => undefined,
    );
    const outcome = await statements.write(APPENDED, numbered(400));
    expect(outcome).toMatchObject({ state: 'failed', again: false });
    expect(statements.written).toEqual([]);
  });

  it('are refused with all behind them where some were: another job would append those again', async () => {
    const statements = new Statements(
      (n) => n > 0,
      () => undefined,
    );
    const outcome = await statements.write(APPENDED, numbered(400));
    if (outcome.state !== 'done') throw new Error(outcome.reason);
    expect(outcome.refused.map(({ index }) => index)).toEqual(numbers(numbered(400)).slice(1));
    expect(outcome.refused.at(-1)!.reason).toBe('not tried, since more than 100 rows are refused: Bad double value: x');
    expect(statements.written).toEqual([0]);
  });

  it('are no dead letters in a table with a key, which another job changes no further', async () => {
    const statements = new Statements(
      (n) => n > 0,
      () => undefined,
    );
    expect(await statements.write(KEYED, numbered(400))).toMatchObject({ state: 'failed', again: false });
  });
});

it('a table with a key takes another job at once', async () => {
  const statements = new Statements((n) => n === 5, failing('job-r', 1, BUSY));
  const outcome = await statements.write(KEYED, numbered(8));
  expect(outcome).toEqual({ state: 'failed', again: true, reason: 'quotaExceeded' });
});
