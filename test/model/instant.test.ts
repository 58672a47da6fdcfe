import { expect, it } from 'vitest';
import { utc } from '../../functions/model/instant.ts';

it.each([
  ['2026-01-01 00:30:00+01', '2025-12-31T23:30:00.000Z'],
  ['2026-01-01 00:30+01', '2025-12-31T23:30:00.000Z'],
  ['2026-01-01 00:30:00.250-05:30', '2026-01-01T06:00:00.250Z'],
  ['2026-01-01 00:30:00.123456 UTC', '2026-01-01T00:30:00.123Z'],
  ['2026-01-01 00:30:00', '2026-01-01T00:30:00.000Z'],
  ['2026-01-01', '2026-01-01T00:00:00.000Z'],
])('%s is %s, as databases and BigQuery write it', (text, instant) => {
  expect(new Date(utc(text)).toISOString()).toBe(instant);
});

it.each(['2026-02-29', '2026-01-01 24:00', '2026-01-01T00:00:00 CET', '2026-01-01 00:00:00 +01', '1.1.2026', ''])(
  '%j is no instant',
  (text) => expect(utc(text)).toBeNaN(),
);
