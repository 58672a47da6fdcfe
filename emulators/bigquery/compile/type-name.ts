/** From a type as written to the type it means, and its bounds: STRING(n), NUMERIC(p, s). */
import type { TypeName } from '../googlesql/ast/type-name.ts';
import { SqlError, unsupported } from '../googlesql/sql-error.ts';
import { scalarType, type Type } from '../types/type.ts';

/** What a parameterised type demands beyond its type. */
export interface TypeBounds {
  /** STRING: characters; BYTES: bytes. */
  readonly maxLength?: number;
  readonly precision?: number;
  readonly scale?: number;
}

const REFUSED: ReadonlySet<string> = new Set([
  'GEOGRAPHY',
  'RANGE',
  'FLOAT32',
  'FLOAT',
  'UINT64',
  'UINT32',
  'INT32',
  'PROTO',
  'ENUM',
  'UUID',
]);

export interface ResolvedType {
  readonly type: Type;
  readonly bounds?: TypeBounds;
}

function boundsOf(name: string, parameters: readonly number[], at: number): TypeBounds | undefined {
  const [first, second = 0] = parameters;
  if (first === undefined) return undefined;
  if ((name === 'STRING' || name === 'BYTES') && parameters.length === 1 && first > 0) return { maxLength: first };
  if (name === 'NUMERIC' || name === 'BIGNUMERIC') {
    const [maxScale, maxWhole] = name === 'NUMERIC' ? [9, 29] : [38, 38];
    if (parameters.length <= 2 && second <= maxScale && first >= Math.max(1, second) && first - second <= maxWhole)
      return { precision: first, scale: second };
    throw new SqlError(
      `In ${name}(P, S), S must be between 0 and ${maxScale}, and P between ${Math.max(1, second)} and ${maxWhole} + S`,
      at,
    );
  }
  throw new SqlError(`${name} does not support type parameters (${parameters.join(', ')})`, at);
}

/** @throws {SqlError} when there is no such type, or this server does not have it. */
export function resolveType(name: TypeName): ResolvedType {
  if (name.kind === 'array') {
    if (name.element.kind === 'array') throw new SqlError('Arrays of arrays are not supported', name.at);
    return { type: { kind: 'ARRAY', element: resolveType(name.element).type } };
  }
  if (name.kind === 'struct') {
    return {
      type: {
        kind: 'STRUCT',
        fields: name.fields.map((field) => ({ name: field.name ?? '', type: resolveType(field.type).type })),
      },
    };
  }
  const type = scalarType(name.name);
  if (!type) {
    if (REFUSED.has(name.name)) throw unsupported(`The type ${name.name}`, name.at);
    throw new SqlError(`Type not found: ${name.name}`, name.at);
  }
  const bounds = boundsOf(name.name, name.parameters, name.at);
  return bounds ? { type, bounds } : { type };
}
