/** Compiles an expression: one case a kind of node. */
import type { Call, Expression, Path } from '../googlesql/ast/expression.ts';
import { SqlError, unsupported } from '../googlesql/sql-error.ts';
import { compileCall } from './call.ts';
import { compileCast } from './cast.ts';
import type { CompileContext } from './context.ts';
import {
  compileArray,
  compileCase,
  compileExtract,
  compileInterval,
  compileParameter,
  compileStruct,
  compileSubquery,
} from './forms.ts';
import { compileBytes, compileLiteral } from './literal.ts';
import {
  compileBetween,
  compileBinary,
  compileIn,
  compileIs,
  compileIsDistinct,
  compileLike,
  compileLogical,
  compileQuantifiedLike,
  compileUnary,
} from './operators.ts';
import { compileField, compileIndex, compilePath } from './path.ts';
import type { Scope } from './scope.ts';
import { SPECIAL_FUNCTIONS } from './special.ts';
import type { Typed } from './typed.ts';

/** Functions that may be called without parentheses. */
const BARE_CALLS: ReadonlySet<string> = new Set([
  'CURRENT_DATE',
  'CURRENT_DATETIME',
  'CURRENT_TIME',
  'CURRENT_TIMESTAMP',
]);

function pathOrBareCall(node: Path, scope: Scope, context: CompileContext): Typed {
  const name = node.names[0]?.toUpperCase() ?? '';
  if (node.names.length > 1 || !BARE_CALLS.has(name)) return compilePath(node, scope);
  try {
    return compilePath(node, scope);
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    const call: Call = {
      kind: 'call',
      name,
      safe: false,
      args: [],
      named: [],
      star: false,
      distinct: false,
      orderBy: [],
      at: node.at,
    };
    return SPECIAL_FUNCTIONS.get(name)?.(call, scope, context) as Typed;
  }
}

export function compileExpression(node: Expression, scope: Scope, context: CompileContext): Typed {
  const key = scope.grouping?.keyOf(node);
  if (key) return key;
  switch (node.kind) {
    case 'literal':
      return compileLiteral(node);
    case 'bytes':
      return compileBytes(node);
    case 'interval':
      return compileInterval(node, scope, context);
    case 'parameter':
      return compileParameter(node, context);
    case 'path':
      return pathOrBareCall(node, scope, context);
    case 'field':
      return compileField(node, scope, context);
    case 'index':
      return compileIndex(node, scope, context);
    case 'unary':
      return compileUnary(node, scope, context);
    case 'binary':
      return compileBinary(node, scope, context);
    case 'logical':
      return compileLogical(node, scope, context);
    case 'between':
      return compileBetween(node, scope, context);
    case 'in':
      return compileIn(node, scope, context);
    case 'like':
      return compileLike(node, scope, context);
    case 'quantifiedLike':
      return compileQuantifiedLike(node, scope, context);
    case 'is':
      return compileIs(node, scope, context);
    case 'isDistinct':
      return compileIsDistinct(node, scope, context);
    case 'case':
      return compileCase(node, scope, context);
    case 'cast':
      return compileCast(node, scope, context);
    case 'extract':
      return compileExtract(node, scope, context);
    case 'array':
      return compileArray(node, scope, context);
    case 'struct':
      return compileStruct(node, scope, context);
    case 'subquery':
      return compileSubquery(node, scope, context);
    case 'call':
      return compileCall(node, scope, context);
    case 'lambda':
      throw unsupported('A lambda', node.at);
    case 'default':
      throw new SqlError('DEFAULT is only allowed as a value of INSERT, UPDATE or MERGE', node.at);
  }
}
