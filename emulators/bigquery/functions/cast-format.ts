/** CAST with FORMAT, by the names `compile/cast.ts` calls: dates, times and BYTES as text and back, numbers as text. */
import { checkedMicros, dayOfMicros, microsOf } from '../values/clock-time.ts';
import { doubleParts } from '../values/exact-statistics.ts';
import { formatByModel, parseByModel } from '../values/format-model.ts';
import { type Fraction, formatNumber } from '../values/number-model.ts';
import { BIGNUMERIC_SCALE, NUMERIC_SCALE } from '../types/storage.ts';
import { zoneOffset } from '../values/time-zone.ts';
import { ValueError } from '../values/value-error.ts';
import { decodeUtf8 } from './cast.ts';
import { define, js } from './definition.ts';

type Encoding = 'hex' | 'base64';

function encodingOf(format: string): Encoding | 'utf8' | 'ascii' {
  const upper = format.toUpperCase();
  if (upper === 'HEX') return 'hex';
  if (upper === 'BASE64' || upper === 'BASE64M') return 'base64';
  if (upper === 'UTF-8' || upper === 'UTF8') return 'utf8';
  if (upper === 'ASCII') return 'ascii';
  throw new ValueError(
    `Invalid format '${format.slice(0, 100)}': HEX, BASE64, BASE64M, ASCII and UTF8 are known for BYTES`,
  );
}

function bytesToText(bytes: Uint8Array, format: string): string {
  const encoding = encodingOf(format);
  if (encoding === 'hex' || encoding === 'base64') return Buffer.from(bytes).toString(encoding);
  if (encoding === 'ascii' && bytes.some((byte) => byte > 127))
    throw new ValueError('Invalid ASCII in BYTES that are to become a STRING');
  return decodeUtf8(bytes);
}

function textToBytes(text: string, format: string): Uint8Array {
  const encoding = encodingOf(format);
  if (encoding === 'hex' && !/^([0-9a-fA-F]{2})*$/.test(text))
    throw new ValueError('Failed to decode invalid hexadecimal string');
  if (encoding === 'ascii' && Buffer.byteLength(text) > text.length) throw new ValueError('Invalid ASCII value');
  return new Uint8Array(Buffer.from(text, encoding === 'ascii' ? 'utf8' : encoding));
}

function floatFraction(value: number): Fraction {
  const negative = value < 0;
  if (!Number.isFinite(value))
    return { negative, numerator: 0n, denominator: 1n, tiesToEven: true, name: Number.isNaN(value) ? 'NAN' : 'INF' };
  const { integer, exponent } = doubleParts(Math.abs(value));
  return {
    negative,
    numerator: integer << BigInt(Math.max(0, exponent)),
    denominator: 1n << BigInt(Math.max(0, -exponent)),
    tiesToEven: true,
  };
}

function decimalFraction(value: bigint, scale: number): Fraction {
  const negative = value < 0n;
  return { negative, numerator: negative ? -value : value, denominator: 10n ** BigInt(scale), tiesToEven: false };
}

/** Year and month as a number, `202408`: what a text does not say is that of the present. */
const present = (month: bigint) => ({ year: Number(month / 100n), month: Number(month % 100n) });

export const CAST_FORMAT_FUNCTIONS = [
  define(
    'FORMAT_CAST_DATE',
    js('DATE, STRING -> STRING', (days: number, model: string) =>
      formatByModel(model, { localMicros: microsOf(days) }, 'DATE'),
    ),
  ),
  define(
    'FORMAT_CAST_DATETIME',
    js('DATETIME, STRING -> STRING', (micros: bigint, model: string) =>
      formatByModel(model, { localMicros: micros }, 'DATETIME'),
    ),
  ),
  define(
    'FORMAT_CAST_TIME',
    js('TIME, STRING -> STRING', (micros: bigint, model: string) =>
      formatByModel(model, { localMicros: micros }, 'TIME'),
    ),
  ),
  define(
    'FORMAT_CAST_TIMESTAMP',
    js('TIMESTAMP, STRING, STRING? -> STRING', (micros: bigint, model: string, zone = 'UTC') => {
      const offsetMicros = zoneOffset(zone, micros);
      return formatByModel(
        model,
        { localMicros: micros + offsetMicros, zone: { name: zone, offsetMicros } },
        'TIMESTAMP',
      );
    }),
  ),
  define('FORMAT_CAST_BYTES', js('BYTES, STRING -> STRING', bytesToText)),
  define(
    'FORMAT_CAST_FLOAT64',
    js('FLOAT64, STRING -> STRING', (value: number, model: string) => formatNumber(floatFraction(value), model)),
  ),
  ...(
    [
      ['INT64', 0],
      ['NUMERIC', NUMERIC_SCALE],
      ['BIGNUMERIC', BIGNUMERIC_SCALE],
    ] as const
  ).map(([type, scale]) =>
    define(
      `FORMAT_CAST_${type}`,
      js(`${type}, STRING -> STRING`, (value: bigint, model: string) =>
        formatNumber(decimalFraction(value, scale), model),
      ),
    ),
  ),
  define(
    'PARSE_CAST_DATE',
    js('STRING, STRING, INT64 -> DATE', (text: string, model: string, month: bigint) =>
      dayOfMicros(parseByModel(model, text, 'DATE', present(month))),
    ),
  ),
  define(
    'PARSE_CAST_DATETIME',
    js('STRING, STRING, INT64 -> DATETIME', (text: string, model: string, month: bigint) =>
      checkedMicros(parseByModel(model, text, 'DATETIME', present(month)), 'DATETIME'),
    ),
  ),
  define(
    'PARSE_CAST_TIME',
    js('STRING, STRING, INT64 -> TIME', (text: string, model: string, month: bigint) =>
      parseByModel(model, text, 'TIME', present(month)),
    ),
  ),
  define(
    'PARSE_CAST_TIMESTAMP',
    js('STRING, STRING, INT64, STRING? -> TIMESTAMP', (text: string, model: string, month: bigint, zone = 'UTC') =>
      checkedMicros(parseByModel(model, text, 'TIMESTAMP', present(month), zone), 'TIMESTAMP'),
    ),
  ),
  define('PARSE_CAST_BYTES', js('STRING, STRING -> BYTES', textToBytes)),
];
