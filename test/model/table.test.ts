import { expect, it } from 'vitest';
import { columnJson, type ColumnType } from '../../functions/model/table.ts';

const json = (type: ColumnType, value: unknown): unknown => columnJson({ name: 'at', type, nullable: false }, value);

it.each([
  ['DATE', '2024-02-29'],
  ['DATETIME', '2026-01-01T10:00:00'],
  ['DATETIME', '2026-01-01 10:00:00.123456'],
  ['TIME', '23:59:59.5'],
] as const)('a column of type %s takes %s', (type, text) => {
  expect(json(type, text)).toBe(text);
});

it.each([
  ['DATE', '2026-02-29'],
  ['DATE', '01.02.2026'],
  ['DATE', ''],
  ['DATE', new Date(0)],
  ['DATETIME', '2026-01-01T10:00:00Z'],
  ['DATETIME', '2026-01-01T25:00:00'],
  ['DATETIME', '2026-01-01T10:00:00.1234567'],
  ['TIME', '10:00'],
  ['TIME', '24:00:00'],
] as const)('a column of type %s refuses %s, as BigQuery does', (type, value) => {
  expect(json(type, value)).toBeUndefined();
});

it.each([
  ['2026-01-01T10:00:00.1234Z'],
  ['2026-01-01 11:00:00.123400+01'],
  ['2026/01/01 10:00:00.123400999'],
  ['2026-01-01 10:00:00.123400 UTC'],
])('a timestamp has one text, down to microseconds: %s', (text) => {
  expect(json('TIMESTAMP', text)).toBe('2026-01-01T10:00:00.123400Z');
});
