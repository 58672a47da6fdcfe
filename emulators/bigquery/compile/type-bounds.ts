/** SQL that holds values to a parameterised type: too long a STRING or too many digits is an error, extra decimals are rounded. */
import type { Type } from '../types/type.ts';
import { stringLiteral } from './sql-text.ts';
import type { TypeBounds } from './type-name.ts';

/** `what` is the place in messages: a column's name, or CAST. `undefined` when the bounds demand nothing. */
export function boundedSql(sql: string, type: Type, bounds: TypeBounds, what: string): string | undefined {
  if (bounds.maxLength !== undefined && (type.kind === 'STRING' || type.kind === 'BYTES')) {
    return `js_bounded_${type.kind.toLowerCase()}_3(${sql}, CAST(${bounds.maxLength} AS BIGINT), ${stringLiteral(what)})`;
  }
  if (bounds.precision !== undefined && (type.kind === 'NUMERIC' || type.kind === 'BIGNUMERIC')) {
    return `js_bounded_${type.kind.toLowerCase()}_4(${sql}, CAST(${bounds.precision} AS BIGINT), CAST(${bounds.scale ?? 0} AS BIGINT), ${stringLiteral(what)})`;
  }
  return undefined;
}
