import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openInput } from '../../../functions/local/input/open-input.ts';
import type { RawRecord } from '../../../functions/engine/ingest/source-decoder.ts';
import { epochMillis } from '../../../functions/model/time.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-input-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function records(name: string, content?: string | Uint8Array): Promise<RawRecord[]> {
  const file = join(folder, name);
  if (content !== undefined) await writeFile(file, content);
  const found: RawRecord[] = [];
  for await (const batch of openInput(file, () => epochMillis(0))) found.push(...batch);
  return found;
}

async function read(name: string, content?: string | Uint8Array): Promise<unknown[]> {
  return (await records(name, content)).map(({ value }) => value);
}

/** Writes what a query gives as Parquet. */
async function writeParquet(name: string, query: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run(
    `COPY (${query}) TO '${join(folder, name)}' (FORMAT parquet, ROW_GROUP_SIZE 4096, COMPRESSION uncompressed)`,
  );
  connection.closeSync();
  instance.closeSync();
}

const lines = (rows: readonly string[]): string => rows.map((row) => `${row}\n`).join('');

it('a CSV file keeps its times as they are written, its quotes and its line breaks', async () => {
  const text =
    'id,zip,note,at,cents\n1,01234,"a, ""b""\nc",2026-01-01T10:00:00.250Z,12\n2,9,,2026-01-01T10:00:00+01:00,\n';
  expect(await read('orders.csv', text)).toEqual([
    { id: 1, zip: '01234', note: 'a, "b"\nc', at: '2026-01-01T10:00:00.250Z', cents: 12 },
    { id: 2, zip: '9', note: null, at: '2026-01-01T10:00:00+01:00', cents: null },
  ]);
});

it.each([
  ['an array', (each: readonly string[]) => `[${each.join(',\n')}]`],
  ['one object behind the other', (each: readonly string[]) => each.join('\n')],
])('a JSON file, %s, gives what is written: no field that a record lacks, text as text', async (_, written) => {
  const records = [
    { id: '7', at: '2026-01-01T10:00:00Z', tags: ['1'] },
    { id: 'x', n: 12 },
  ];
  expect(await read('orders.json', written(records.map((record) => JSON.stringify(record))))).toEqual(records);
});

it('a JSON file may begin with a byte order mark', async () => {
  expect(await read('marked.json', '\uFEFF[{"id":1},\r\n{"id":2}]')).toEqual([{ id: 1 }, { id: 2 }]);
  expect(await read('marked-objects.json', '\uFEFF{"id":1}\n{"id":2}')).toEqual([{ id: 1 }, { id: 2 }]);
});

it('JSON Lines may begin with a byte order mark and end lines as Windows does', async () => {
  expect(await read('orders.jsonl', '\uFEFF{"id":1}\r\n\r\n{"id":2}\r\n')).toEqual([{ id: 1 }, { id: 2 }]);
});

it('in a CSV file a cell of another kind than its column stays text, and the rows around it are read', async () => {
  const text = Array.from({ length: 22_000 }, (_, i) => `${i},${i === 21_000 ? 'n/a' : `${i}.5`}`);
  const values = (await read('dirty.csv', lines(['id,amount', ...text]))) as { id: number; amount: unknown }[];
  expect(values).toHaveLength(22_000);
  expect(values.slice(20_999, 21_002).map(({ id, amount }) => [id, amount])).toEqual([
    [20_999, 20_999.5],
    [21_000, 'n/a'],
    [21_001, 21_001.5],
  ]);
});

it('lines of a CSV file that are no rows of it come with their text and problem, and cost no other line', async () => {
  const found = await records(
    'ragged.csv',
    'id,zip\r\n1,01234\r\n2\r\n3,4,5\r\n6,"open\r\n7,"a,b"\r\n8,"c"d\r\n\r\n9,"e\r\nf"\r\n10,"open',
  );
  const file = join(folder, 'ragged.csv');
  expect(found.map(({ id, value, problem }) => [id, value, problem])).toEqual([
    ['2', { id: 1, zip: '01234' }, undefined],
    ['3', '2', `${file} line 3 is no row: it has 1 of 2 cells`],
    ['4', '3,4,5', `${file} line 4 is no row: it has 3 of 2 cells`],
    ['5', '6,"open', `${file} line 5 is no row: the quote before cell 2 is never closed`],
    ['6', { id: 7, zip: 'a,b' }, undefined],
    ['7', '8,"c"d', `${file} line 7 is no row: cell 2 goes on behind its closing quote`],
    ['9', { id: 9, zip: 'e\r\nf' }, undefined],
    ['11', '10,"open', `${file} line 11 is no row: the quote before cell 2 is never closed`],
  ]);
});

it('a quote that is never closed costs its own line, however much follows', async () => {
  const rows = Array.from({ length: 5_000 }, (_, i) => (i === 1_000 ? '1000,"open' : `${i},${'x'.repeat(400)}`));
  const found = await records('open.csv', lines(['id,note', ...rows]));
  expect(found).toHaveLength(5_000);
  expect(found.filter(({ problem }) => problem !== undefined).map(({ id }) => id)).toEqual(['1002']);
});

it.each([
  [';', 'id;amount\n1;2,5\n', { id: 1, amount: '2,5' }],
  ['tab', 'id\tamount\n1\t2.5\n', { id: 1, amount: 2.5 }],
  ['|', '\uFEFF"i,d"|amount\n1|2.5', { 'i,d': 1, amount: 2.5 }],
])('the header of a CSV file says that cells stand between %s', async (_, text, value) => {
  expect(await read('delimiter.csv', text)).toEqual([value]);
});

it("columns of a CSV file without a name, or with another one's, get one of their own", async () => {
  expect(await read('names.csv', 'id,,id\n1,2,3\n')).toEqual([{ id: 1, column_2: 2, id_1: 3 }]);
});

it.each(['', '\n', 'id,zip', 'id,zip\r\n'])('a CSV file without rows (%j) has no records', async (text) => {
  expect(await records('empty.csv', text)).toEqual([]);
});

it.each([
  ['orders.jsonl.gz', '{"id":1}\n{"id":2}'],
  ['orders.csv.gz', 'id\n1\n2'],
])('%s is unpacked', async (name, text) => {
  expect(await read(name, gzipSync(text))).toEqual([{ id: 1 }, { id: 2 }]);
});

it('a packed file that breaks off is refused', async () => {
  const text = lines(Array.from({ length: 5_000 }, (_, i) => JSON.stringify({ id: i })));
  await expect(read('broken.jsonl.gz', gzipSync(text).subarray(0, 5_000))).rejects.toThrow(
    /broken\.jsonl\.gz cannot be read: unexpected end of file/,
  );
});

it('a CSV column stays text where numbers or truth values would say something else', async () => {
  const text =
    'long,decimal,country,flag,micros\n12345678901234567890,1.5,NO,TRUE,1767225600000000\n1,9007199254740993,YES,false,007\n';
  expect(await read('exact.csv', text)).toEqual([
    { long: '12345678901234567890', decimal: '1.5', country: 'NO', flag: true, micros: '1767225600000000' },
    { long: '1', decimal: '9007199254740993', country: 'YES', flag: false, micros: '007' },
  ]);
});

it('a Parquet file gives whole numbers as numbers where they are exact, also inside lists and structures', async () => {
  await writeParquet(
    'long.parquet',
    "SELECT 1767225600000000::BIGINT AS micros, 9007199254740993::BIGINT AS id, [1::BIGINT] AS list, {'a': 2::BIGINT} AS inner",
  );
  expect(await read('long.parquet')).toEqual([
    { micros: 1_767_225_600_000_000, id: '9007199254740993', list: [1], inner: { a: 2 } },
  ]);
});

it('a Parquet file that is broken in its middle is refused, not read up to there', async () => {
  await writeParquet('broken.parquet', 'SELECT i, md5(i::VARCHAR) AS text FROM range(60_000) t(i)');
  const bytes = await readFile(join(folder, 'broken.parquet'));
  bytes.fill(0xff, 2_380_000, 2_480_000);
  await expect(read('broken.parquet', bytes)).rejects.toThrow(/broken\.parquet cannot be read: \S/);
});
