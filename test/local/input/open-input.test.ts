import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openInput } from '../../../functions/local/input/open-input.ts';
import { epochMillis } from '../../../functions/model/time.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-input-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(name: string, text: string): Promise<unknown[]> {
  const file = join(folder, name);
  await writeFile(file, text);
  const values: unknown[] = [];
  for await (const batch of openInput(file, () => epochMillis(0))) values.push(...batch.map(({ value }) => value));
  return values;
}

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

it('JSON Lines may begin with a byte order mark and end lines as Windows does', async () => {
  expect(await read('orders.jsonl', '\uFEFF{"id":1}\r\n\r\n{"id":2}\r\n')).toEqual([{ id: 1 }, { id: 2 }]);
});
