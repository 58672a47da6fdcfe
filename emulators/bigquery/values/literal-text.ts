/** Any value as text: `%t` as people read it, `%T` as a literal of the language. */
import { BIGNUMERIC_SCALE, NUMERIC_SCALE } from '../types/storage.ts';
import type { Type } from '../types/type.ts';
import { formatDate } from './civil-date.ts';
import { formatDatetime, formatTime } from './clock-time.ts';
import { formatDecimal } from './decimal.ts';
import { formatFloat } from './float.ts';
import { formatInterval, type Interval } from './interval.ts';
import { formatTimestamp } from './parse-time.ts';

/** A quoted literal, with double quotes unless only those occur inside. */
export function quoteLiteral(text: string): string {
  const quote = text.includes('"') && !text.includes("'") ? "'" : '"';
  let result = quote;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (character === quote || character === '\\') result += `\\${character}`;
    else if (character === '\n') result += '\\n';
    else if (character === '\r') result += '\\r';
    else if (character === '\t') result += '\\t';
    else if (code < 32 || code === 127) result += `\\x${code.toString(16).padStart(2, '0')}`;
    else result += character;
  }
  return result + quote;
}

function quoteBytes(bytes: Uint8Array): string {
  const quote = bytes.includes(34) && !bytes.includes(39) ? "'" : '"';
  let result = `b${quote}`;
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    if (character === quote || character === '\\') result += `\\${character}`;
    else if (character === '\n') result += '\\n';
    else if (character === '\r') result += '\\r';
    else if (character === '\t') result += '\\t';
    else if (byte < 32 || byte > 126) result += `\\x${byte.toString(16).padStart(2, '0')}`;
    else result += character;
  }
  return result + quote;
}

/** A FLOAT64 that does not look like an integer. */
function floatText(value: number): string {
  const text = formatFloat(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

/** Bytes as readable text: printable characters as they are, the others as `\x..`. */
function bytesText(bytes: Uint8Array): string {
  return quoteBytes(bytes)
    .slice(2, -1)
    .replaceAll(/\\(["'])/g, '$1');
}

/** The value as people read it (FORMAT's `%t`, CAST to STRING where there is one). */
export function displayText(value: unknown, type: Type): string {
  if (value === null) return 'NULL';
  switch (type.kind) {
    case 'FLOAT64':
      return floatText(value as number);
    case 'NUMERIC':
      return formatDecimal(value as bigint, NUMERIC_SCALE);
    case 'BIGNUMERIC':
      return formatDecimal(value as bigint, BIGNUMERIC_SCALE);
    case 'BYTES':
      return bytesText(value as Uint8Array);
    case 'DATE':
      return formatDate(value as number);
    case 'DATETIME':
      return formatDatetime(value as bigint);
    case 'TIME':
      return formatTime(value as bigint);
    case 'TIMESTAMP':
      return formatTimestamp(value as bigint);
    case 'INTERVAL':
      return formatInterval(value as Interval);
    case 'ARRAY':
      return `[${(value as readonly unknown[]).map((item) => displayText(item, type.element)).join(', ')}]`;
    case 'STRUCT':
      return `(${type.fields.map((field, index) => displayText((value as readonly unknown[])[index] ?? null, field.type)).join(', ')})`;
    default:
      return String(value);
  }
}

/** The value as a literal of GoogleSQL (FORMAT's `%T`). */
export function literalText(value: unknown, type: Type): string {
  if (value === null) return 'NULL';
  switch (type.kind) {
    case 'FLOAT64':
      return Number.isFinite(value) ? floatText(value as number) : `CAST("${formatFloat(value as number)}" AS FLOAT64)`;
    case 'STRING':
      return quoteLiteral(value as string);
    case 'BYTES':
      return quoteBytes(value as Uint8Array);
    case 'INTERVAL':
      return `INTERVAL "${displayText(value, type)}" YEAR TO SECOND`;
    case 'JSON':
      return `JSON ${quoteLiteral(value as string)}`;
    case 'NUMERIC':
    case 'BIGNUMERIC':
    case 'DATE':
    case 'DATETIME':
    case 'TIME':
    case 'TIMESTAMP':
      return `${type.kind} "${displayText(value, type)}"`;
    case 'ARRAY':
      return `[${(value as readonly unknown[]).map((item) => literalText(item, type.element)).join(', ')}]`;
    case 'STRUCT': {
      const fields = type.fields.map((field, index) =>
        literalText((value as readonly unknown[])[index] ?? null, field.type),
      );
      return fields.length === 1 ? `STRUCT(${fields[0]})` : `(${fields.join(', ')})`;
    }
    default:
      return String(value);
  }
}
