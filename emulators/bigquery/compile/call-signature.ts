/** Which overload a call means: the arguments must coerce to its parameters, and the fewest coercions win. */
import type { Call, Expression } from '../googlesql/ast/expression.ts';
import { SqlError } from '../googlesql/sql-error.ts';
import { acceptsCount, parameterAt, type Signature, type TypePattern } from '../functions/signature.ts';
import { INT64, STRING, sameType, type Type, typeName } from '../types/type.ts';
import { coerce, commonType } from './coerce.ts';
import { stringLiteral } from './sql-text.ts';
import { isNull, type Typed, typed } from './typed.ts';

/** An argument before it has a type: date parts are names, not columns. */
export type Argument = { readonly node: Expression; readonly value: () => Typed };

export interface Match {
  readonly args: readonly Typed[];
  readonly result: Type;
  /** How many arguments had to be converted. */
  readonly cost: number;
}

/** The date part that an argument spells: `MONTH`, `WEEK(MONDAY)`. */
export function datePartOf(node: Expression): string | undefined {
  if (node.kind === 'path' && node.names.length === 1) return node.names[0]?.toUpperCase();
  const [inner] = node.kind === 'call' ? node.args : [];
  if (node.kind === 'call' && node.name === 'WEEK' && node.args.length === 1 && inner?.kind === 'path')
    return `WEEK(${inner.names[0]?.toUpperCase()})`;
  return undefined;
}

type Bindings = Map<string, Typed[]>;

/** Collects the arguments that each type variable must fit. False when the shape does not fit at all. */
function bind(pattern: TypePattern, value: Typed, bindings: Bindings): boolean {
  if (pattern.kind === 'variable') {
    bindings.set(pattern.name, [...(bindings.get(pattern.name) ?? []), value]);
    return true;
  }
  if (pattern.kind === 'array' && pattern.element.kind === 'variable') {
    if (isNull(value)) return true;
    if (value.type.kind !== 'ARRAY') return false;
    const parts = value.constant?.kind === 'constructor' ? value.constant.parts : [typed('NULL', value.type.element)];
    bindings.set(pattern.element.name, [...(bindings.get(pattern.element.name) ?? []), ...parts]);
    return true;
  }
  return true;
}

function concrete(pattern: TypePattern, types: ReadonlyMap<string, Type>, fallback: Type): Type {
  switch (pattern.kind) {
    case 'type':
      return pattern.type;
    case 'variable':
      return types.get(pattern.name) ?? INT64;
    case 'array':
      return { kind: 'ARRAY', element: concrete(pattern.element, types, INT64) };
    case 'part':
      return STRING;
    case 'any':
      return fallback;
  }
}

function partArgument(argument: Argument, allowed: readonly string[]): Typed | undefined {
  const part = datePartOf(argument.node);
  return part !== undefined && allowed.includes(part) ? typed(stringLiteral(part), STRING) : undefined;
}

/** Coerces; a literal that does not read as the type asked for is no match, and its complaint is kept. */
function tryCoerce(value: Typed, target: Type, problems: SqlError[]): Typed | undefined {
  try {
    return coerce(value, target);
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    problems.push(error);
    return undefined;
  }
}

/**
 * The arguments as the signature wants them, or `undefined` when they do not fit. What is wrong with a literal is added to
 * `problems`, to be said when no signature fits.
 */
export function matchSignature(
  signature: Signature,
  args: readonly Argument[],
  problems: SqlError[] = [],
): Match | undefined {
  if (!acceptsCount(signature, args.length)) return undefined;
  const bindings: Bindings = new Map();
  const values: Typed[] = [];
  for (const [index, argument] of args.entries()) {
    const pattern = parameterAt(signature, index)?.pattern;
    if (!pattern) return undefined;
    const value = pattern.kind === 'part' ? partArgument(argument, pattern.allowed) : argument.value();
    if (!value || !bind(pattern, value, bindings)) return undefined;
    values.push(value);
  }
  const types = new Map<string, Type>();
  for (const [name, bound] of bindings) {
    const type = commonType(bound);
    if (type) types.set(name, type);
    else if (bound.length > 0) return undefined;
  }
  let cost = 0;
  const coerced: Typed[] = [];
  for (const [index, value] of values.entries()) {
    const target = concrete(parameterAt(signature, index)?.pattern ?? { kind: 'any' }, types, value.type);
    const result = tryCoerce(value, target, problems);
    if (!result) return undefined;
    if (!sameType(value.type, target)) cost += isNull(value) ? 0.1 : 1;
    coerced.push(result);
  }
  return { args: coerced, result: concrete(signature.result, types, coerced[0]?.type ?? INT64), cost };
}

/** The complaint when no signature fits. A date part out of place is named as such. */
export function noMatch(node: Call, signatures: readonly Signature[], args: readonly Argument[]): SqlError {
  const wantsPart = signatures.some((signature) =>
    signature.parameters.some((parameter) => parameter.pattern.kind === 'part'),
  );
  const types = args.map((argument) =>
    wantsPart && datePartOf(argument.node) !== undefined ? 'DATE_TIME_PART' : typeName(argument.value().type),
  );
  const supported = signatures.map(
    (signature) => `${node.name}(${signature.text.split(' -> ')[0]?.replaceAll(/part<\w+>/g, 'DATE_TIME_PART')})`,
  );
  return new SqlError(
    `No matching signature for function ${node.name} for argument types: ${types.join(', ')}. Supported signature${supported.length > 1 ? 's' : ''}: ${supported.join('; ')}`,
    node.at,
  );
}
