/** Calls of functions: special forms, scalar functions, aggregates, window functions. */
import type { Call } from '../googlesql/ast/expression.ts';
import { SqlError, unsupported } from '../googlesql/sql-error.ts';
import { AGGREGATE_FUNCTIONS } from '../functions/aggregate.ts';
import type { Overload } from '../functions/definition.ts';
import { SCALAR_FUNCTIONS } from '../functions/index.ts';
import type { TypePattern } from '../functions/signature.ts';
import type { ScalarKind } from '../types/type.ts';
import { compileAggregate } from './aggregate.ts';
import { callOverload } from './call-overload.ts';
import { type Argument, type Match, matchSignature, noMatch } from './call-signature.ts';
import type { CompileContext } from './context.ts';
import { literalAs } from './literal.ts';
import type { Scope } from './scope.ts';
import { SPECIAL_FUNCTIONS } from './special.ts';
import type { Typed } from './typed.ts';
import { compileWindow, WINDOW_FUNCTIONS } from './window.ts';

/** Functions that GoogleSQL has and this server does not, so that the message says which of the two it is. */
const KNOWN_BUT_REFUSED =
  /^(ST_|NET\.|KEYS\.|AEAD\.|HLL_COUNT\.|KLL_|ML\.|AI\.|DETERMINISTIC_|EXTERNAL_|APPROX_TOP_SUM$|SEARCH$|VECTOR_SEARCH$|COLLATE$|RANGE|ERROR_)/;

/** Arguments by position, those given by name put where the signature has them. */
function argumentsFor(
  overload: Overload,
  node: Call,
  args: readonly Argument[],
  named: ReadonlyMap<string, Argument>,
): readonly Argument[] | undefined {
  if (named.size === 0) return args;
  const placed = [...args];
  let used = 0;
  for (const parameter of overload.signature.parameters.slice(args.length)) {
    if (used === named.size) break;
    const argument = parameter.name === undefined ? undefined : named.get(parameter.name);
    if (argument) used++;
    else if (parameter.otherwise === undefined || parameter.pattern.kind !== 'type') return undefined;
    placed.push(argument ?? omitted(parameter.otherwise ?? '', parameter.pattern, node));
  }
  return used === named.size ? placed : undefined;
}

function omitted(text: string, pattern: TypePattern, node: Call): Argument {
  const kind = pattern.kind === 'type' ? (pattern.type.kind as ScalarKind) : 'INT64';
  return { node, value: () => literalAs(text, kind, node.at) };
}

function compileScalar(node: Call, scope: Scope, context: CompileContext): Typed {
  const definition = SCALAR_FUNCTIONS.get(node.name);
  if (!definition) throw notFound(node);
  refuseModifiers(node);
  const lazily = (argument: Call['args'][number]): Argument => {
    let value: Typed | undefined;
    return {
      node: argument,
      value: () => {
        value ??= context.expression(argument, scope);
        return value;
      },
    };
  };
  const args = node.args.map(lazily);
  const named = new Map(node.named.map(({ name, value }) => [name, lazily(value)]));
  const problems: SqlError[] = [];
  let best: { readonly overload: Overload; readonly match: Match } | undefined;
  for (const overload of definition.overloads) {
    const placed = argumentsFor(overload, node, args, named);
    const match = placed && matchSignature(overload.signature, placed, problems);
    if (match && (!best || match.cost < best.match.cost)) best = { overload, match };
  }
  const [problem] = problems;
  if (!best)
    throw (
      problem ??
      noMatch(
        node,
        definition.overloads.map((overload) => overload.signature),
        args,
      )
    );
  return callOverload(best.overload, best.match.args, best.match.result, node.safe);
}

function notFound(node: Call): SqlError {
  if (KNOWN_BUT_REFUSED.test(node.name)) return unsupported(`The function ${node.name}`, node.at);
  return new SqlError(`Function not found: ${node.name}`, node.at);
}

function refuseModifiers(node: Call): void {
  if (node.star) throw new SqlError(`Argument * can only be used in COUNT(*)`, node.at);
  if (node.distinct || node.nulls || node.having || node.orderBy.length > 0 || node.limit) {
    throw new SqlError(
      `DISTINCT, IGNORE NULLS, HAVING, ORDER BY and LIMIT are not allowed in a call of ${node.name}: it is no aggregate function`,
      node.at,
    );
  }
  if (node.over) throw new SqlError(`${node.name} cannot have an OVER clause: it is no window function`, node.at);
}

export function compileCall(node: Call, scope: Scope, context: CompileContext): Typed {
  if (node.over && (WINDOW_FUNCTIONS.has(node.name) || AGGREGATE_FUNCTIONS.has(node.name)))
    return compileWindow(node, scope, context);
  if (WINDOW_FUNCTIONS.has(node.name))
    throw new SqlError(`Window function ${node.name} cannot be called without an OVER clause`, node.at);
  if (AGGREGATE_FUNCTIONS.has(node.name) || node.name === 'GROUPING') return compileAggregate(node, scope, context);
  const special = SPECIAL_FUNCTIONS.get(node.name);
  if (special) {
    refuseModifiers(node);
    return special(node, scope, context);
  }
  return compileScalar(node, scope, context);
}
