/** The statements that our sink sends are GoogleSQL, by Google's own analyser, and unpack rows exactly. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tableSpec } from '../../functions/engine/sink/rows.ts';
import { COLUMN_TYPES, GUARD_COLUMNS } from '../../functions/model/table.ts';
import cardActivity from '../../functions/pipelines/card-activity.ts';
import flights from '../../functions/pipelines/flights.ts';
import type { Row, TableSpec } from '../../functions/ports/warehouse.ts';
import { GoogleSql } from './googlesql.ts';
import { type SentStatement, sentStatement } from './sent-statements.ts';

let googlesql: GoogleSql;
beforeAll(async () => {
  googlesql = await GoogleSql.start();
});
afterAll(() => googlesql.stop());

/** A column of every type; names that are words of the language. */
const EVERYTHING = COLUMN_TYPES.map((type) => ({ name: `${type.toLowerCase()}_value`, type, nullable: true }));
const KEYED: TableSpec = {
  table: 'everything',
  columns: [
    { name: 'select', type: 'STRING', nullable: false },
    { name: 'order', type: 'TIMESTAMP', nullable: false },
    ...EVERYTHING,
    ...GUARD_COLUMNS,
  ],
  key: ['select', 'order'],
  partitionBy: 'order',
  clusterBy: ['select'],
};
const BY_DATE: TableSpec = {
  table: 'by_date',
  columns: [{ name: 'day', type: 'DATE', nullable: false }, ...GUARD_COLUMNS],
  key: ['day'],
  partitionBy: 'day',
  clusterBy: [],
};
const UNPARTITIONED: TableSpec = {
  table: 'unpartitioned',
  columns: [{ name: 'id', type: 'INT64', nullable: false }, ...GUARD_COLUMNS],
  key: ['id'],
  clusterBy: [],
};
const PLAIN: TableSpec = { table: 'other.plain', columns: EVERYTHING, key: [], clusterBy: [] };

const GUARD = { pane_epoch: 1, pane_sequence: 7 };
const VALUES: Row = {
  string_value: 'It\'s "quoted", `with` \\ and \n, 🙂',
  int64_value: '-9223372036854775808',
  float64_value: -1.5e-300,
  numeric_value: '99999999999999999999999999999.999999999',
  bignumeric_value: '0.00000000000000000000000000000000000001',
  bool_value: false,
  timestamp_value: '2001-01-01T00:00:00.000001Z',
  date_value: '2024-02-29',
  datetime_value: '2024-02-29T23:59:59.999999',
  time_value: '23:59:59.999999',
  json_value: { a: [1, null, 'x'] },
  bytes_value: 'AP8=',
};

async function analyse(table: TableSpec, { sql, parameters }: SentStatement): Promise<void> {
  const name = `project.${table.table.includes('.') ? '' : 'dataset.'}${table.table}`;
  await googlesql.analyse(sql, [{ name, columns: table.columns }], parameters);
}

describe('what the sink sends analyses as GoogleSQL', () => {
  it.each<[string, TableSpec, Row]>([
    ['a MERGE of columns of every type', KEYED, { select: 'a', order: '2001-01-01T00:00:00Z', ...VALUES, ...GUARD }],
    ['a MERGE into a table partitioned by a DATE', BY_DATE, { day: '2001-01-01', ...GUARD }],
    ['a MERGE into a table without partitions', UNPARTITIONED, { id: 1, ...GUARD }],
    ['an INSERT of plain rows', PLAIN, VALUES],
  ])('%s', async (_, table, row) => {
    await analyse(table, await sentStatement(table, [row]));
  });

  it.each([flights, cardActivity])('every table of pipeline $name', async (pipeline) => {
    const tables = pipeline.nodes.flatMap((node) => (node.kind === 'writeBigQuery' ? [tableSpec(node)] : []));
    expect(tables).not.toEqual([]);
    for (const table of tables) {
      const row = {
        ...GUARD,
        ...(table.partitionBy === undefined ? {} : { [table.partitionBy]: '2001-01-01T00:00:00Z' }),
      };
      await analyse(table, await sentStatement(table, [row]));
    }
  });

  it('and the analyser would say so if a column were missing, or had another type', async () => {
    const sent = await sentStatement(UNPARTITIONED, [{ id: 1, ...GUARD }]);
    await expect(analyse({ ...UNPARTITIONED, columns: GUARD_COLUMNS }, sent)).rejects.toThrow('Name id not found');
    const text = [{ name: 'id', type: 'STRING', nullable: false } as const, ...GUARD_COLUMNS];
    await expect(analyse({ ...UNPARTITIONED, columns: text }, sent)).rejects.toThrow('No matching signature');
  });
});

describe('rows come out of their parameter as they went in', () => {
  /** The part of the statement that unpacks `@rows`, run by the reference evaluator. */
  async function unpacked(row: Row): Promise<unknown> {
    const { sql, parameters } = await sentStatement(PLAIN, [row]);
    const rows = parameters.find(({ name }) => name === 'rows')!.value;
    return (await googlesql.evaluate(sql.slice(sql.indexOf('SELECT')), { rows })).rows;
  }

  it('with every digit of decimals, every microsecond, every character', async () => {
    expect(await unpacked(VALUES)).toEqual([
      [
        'It\'s "quoted", `with` \\ and \n, 🙂',
        '-9223372036854775808',
        '-1.5e-300',
        '99999999999999999999999999999.999999999',
        '0.00000000000000000000000000000000000001',
        'false',
        '978307200000001',
        '2024-02-29',
        '2024-02-29T23:59:59.999999',
        '23:59:59.999999',
        '{"a":[1,null,"x"]}',
        'AP8=',
      ],
    ]);
  });

  it('and NULL as NULL, in every type', async () => {
    expect(await unpacked({})).toEqual([EVERYTHING.map(() => null)]);
  });

  it('and an empty string, JSON false and JSON "null" are not NULL', async () => {
    expect(await unpacked({ string_value: '', json_value: 'null', bytes_value: '' })).toEqual([
      ['', null, null, null, null, null, null, null, null, null, '"null"', ''],
    ]);
  });
});
