/**
 * The only place where names and values become text of DuckDB's SQL. Names are always quoted, values always escaped;
 * nothing that a client sent reaches SQL another way.
 */
import { formatDate } from '../values/civil-date.ts';
import { formatDatetime, formatTime } from '../values/clock-time.ts';
import { formatDecimal, type DecimalType, scaleOf } from '../values/decimal.ts';

/** `"name"`. NUL cannot be in SQL text and is in no legal name. */
export function identifier(name: string): string {
  return `"${name.replaceAll('\0', '').replaceAll('"', '""')}"`;
}

/** A string as a DuckDB literal; a NUL, which would end the SQL text, is put in by `chr(0)`. */
export function stringLiteral(text: string): string {
  const quoted = `'${text.toWellFormed().replaceAll("'", "''")}'`;
  return text.includes('\0') ? `(${quoted.replaceAll('\0', "' || chr(0) || '")})` : quoted;
}

export function bytesLiteral(bytes: Uint8Array): string {
  return `from_hex('${Buffer.from(bytes).toString('hex')}')`;
}

export function int64Literal(value: bigint | number): string {
  return `CAST(${value} AS BIGINT)`;
}

export function float64Literal(value: number): string {
  if (!Number.isFinite(value)) return `CAST('${value}' AS DOUBLE)`;
  const text = String(value);
  return text.includes('e') ? text : `${text}e0`;
}

export function decimalLiteral(unscaled: bigint, type: DecimalType): string {
  return `CAST('${formatDecimal(unscaled, scaleOf(type))}' AS DECIMAL(38, ${scaleOf(type)}))`;
}

export function dateLiteral(days: number): string {
  return `DATE '${formatDate(days)}'`;
}

/** A DATETIME, or a TIMESTAMP in UTC. */
export function datetimeLiteral(micros: bigint): string {
  return `TIMESTAMP '${formatDatetime(micros)}'`;
}

export function timeLiteral(micros: bigint): string {
  return `TIME '${formatTime(micros)}'`;
}
