/** Literals: from their spelling to a typed value. */
import type { BytesLiteral, Literal } from '../googlesql/ast/expression.ts';
import { SqlError } from '../googlesql/sql-error.ts';
import { BOOL, BYTES, FLOAT64, INT64, type ScalarKind, STRING, scalarType, type Type } from '../types/type.ts';
import { type DecimalType, parseDecimal } from '../values/decimal.ts';
import { parseFloat64 } from '../values/float.ts';
import { parseInt64 } from '../values/integer.ts';
import { normalizeJson } from '../values/json-text.ts';
import { parseDate, parseDatetime, parseTime, parseTimestamp } from '../values/parse-time.ts';
import { ValueError } from '../values/value-error.ts';
import {
  bytesLiteral,
  dateLiteral,
  datetimeLiteral,
  decimalLiteral,
  float64Literal,
  int64Literal,
  stringLiteral,
  timeLiteral,
} from './sql-text.ts';
import { storedType } from '../types/storage.ts';
import type { Typed } from './typed.ts';

/** SQL of a value of `kind` given as text. @throws {ValueError} when the text is no such value. */
function literalSql(kind: ScalarKind, text: string): string {
  switch (kind) {
    case 'BOOL':
      return text;
    case 'INT64':
      return int64Literal(parseInt64(text));
    case 'FLOAT64':
      return float64Literal(parseFloat64(text));
    case 'NUMERIC':
    case 'BIGNUMERIC':
      return decimalLiteral(parseDecimal(text, kind as DecimalType), kind as DecimalType);
    case 'STRING':
      return stringLiteral(text);
    case 'DATE':
      return dateLiteral(parseDate(text));
    case 'DATETIME':
      return datetimeLiteral(parseDatetime(text));
    case 'TIME':
      return timeLiteral(parseTime(text));
    case 'TIMESTAMP':
      return datetimeLiteral(parseTimestamp(text));
    case 'JSON':
      return stringLiteral(normalizeJson(text));
    default:
      throw new ValueError(`A literal of type ${kind}`);
  }
}

export function nullOf(type: Type): Typed {
  return { sql: `CAST(NULL AS ${storedType(type)})`, type, constant: { kind: 'null' }, atomic: true };
}

/**
 * A literal's text read as another type: `'2020-01-01'` as a DATE, `1.5` as a NUMERIC.
 * @throws {SqlError} when it does not read as one.
 */
export function literalAs(text: string, kind: ScalarKind, at?: number): Typed {
  try {
    return {
      sql: literalSql(kind, text),
      type: scalarType(kind) as Type,
      constant: { kind: 'literal', text },
      atomic: true,
    };
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new SqlError(`Could not cast literal ${JSON.stringify(text.slice(0, 100))} to type ${kind}`, at);
  }
}

export function compileLiteral(node: Literal): Typed {
  if (node.type === 'NULL') return nullOf(INT64);
  const type = node.type === 'BOOL' ? BOOL : node.type === 'STRING' ? STRING : (scalarType(node.type) ?? INT64);
  try {
    const value: Typed = { sql: literalSql(type.kind as ScalarKind, node.text), type, atomic: true };
    // `DATE '…'` is a literal of its own type; only bare strings and numbers coerce onwards.
    return type === STRING || type === INT64 || type === FLOAT64
      ? { ...value, constant: { kind: 'literal', text: node.text } }
      : value;
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    if (type === INT64) throw new SqlError(`Syntax error: Invalid integer literal: ${node.text}`, node.at);
    if (type === FLOAT64) throw new SqlError(`Syntax error: Invalid floating point literal: ${node.text}`, node.at);
    throw new SqlError(
      `Syntax error: Invalid ${type.kind} literal ${JSON.stringify(node.text.slice(0, 100))}: ${error.message}`,
      node.at,
    );
  }
}

export function compileBytes(node: BytesLiteral): Typed {
  return { sql: bytesLiteral(node.bytes), type: BYTES, atomic: true };
}
