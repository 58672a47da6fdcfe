/**
 * Operators, from the loosest to the tightest: OR, AND, NOT, comparison, |, ^, &, shifts, + and -, * / and ||, unary.
 * Comparison does not chain: `a = b = c` is an error, as in GoogleSQL.
 */
import type { BinaryOperator, Candidates, Expression } from '../ast/expression.ts';
import { SqlError } from '../sql-error.ts';
import { postfix } from './postfix.ts';
import { MAX_NESTING, type TokenStream } from './token-stream.ts';

export function expression(stream: TokenStream): Expression {
  return logical(stream, 'OR', () => logical(stream, 'AND', () => negation(stream)));
}

function logical(stream: TokenStream, operator: 'AND' | 'OR', operand: () => Expression): Expression {
  const first = operand();
  if (!stream.isWords(operator)) return first;
  const operands = [first];
  while (stream.acceptWords(operator)) operands.push(operand());
  return { kind: 'logical', operator, operands, at: first.at };
}

function negation(stream: TokenStream): Expression {
  const at = stream.at;
  if (!stream.acceptWords('NOT')) return comparison(stream);
  return stream.nested(() => ({ kind: 'unary', operator: 'NOT', operand: negation(stream), at }));
}

const COMPARISONS: ReadonlyMap<string, BinaryOperator> = new Map([
  ['=', '='],
  ['!=', '!='],
  ['<>', '!='],
  ['<', '<'],
  ['<=', '<='],
  ['>', '>'],
  ['>=', '>='],
]);

function comparison(stream: TokenStream): Expression {
  const left = bitwise(stream);
  const compared = comparisonTail(stream, left);
  if (compared === left) return left;
  if (startsComparison(stream)) throw stream.unexpected();
  return compared;
}

function startsComparison(stream: TokenStream): boolean {
  const token = stream.peek();
  return (
    (token.kind === 'symbol' && COMPARISONS.has(token.text)) || stream.isWords('LIKE') || stream.isWords('BETWEEN')
  );
}

function comparisonTail(stream: TokenStream, left: Expression): Expression {
  const at = left.at;
  const token = stream.peek();
  const operator = token.kind === 'symbol' ? COMPARISONS.get(token.text) : undefined;
  if (operator) {
    stream.next();
    return { kind: 'binary', operator, left, right: bitwise(stream), at };
  }
  if (stream.acceptWords('IS')) return isTail(stream, left);
  const negated =
    stream.isWords('NOT') &&
    (stream.isWords('NOT', 'IN') || stream.isWords('NOT', 'LIKE') || stream.isWords('NOT', 'BETWEEN'));
  if (negated) stream.next();
  if (stream.acceptWords('BETWEEN')) {
    const low = bitwise(stream);
    stream.expectWords('AND');
    return { kind: 'between', operand: left, low, high: bitwise(stream), negated, at };
  }
  if (stream.acceptWords('IN')) return { kind: 'in', operand: left, candidates: candidates(stream), negated, at };
  if (stream.acceptWords('LIKE')) return likeTail(stream, left, negated);
  return left;
}

function isTail(stream: TokenStream, left: Expression): Expression {
  const at = left.at;
  const negated = stream.acceptWords('NOT');
  if (stream.acceptWords('DISTINCT', 'FROM')) return { kind: 'isDistinct', left, right: bitwise(stream), negated, at };
  for (const what of ['NULL', 'TRUE', 'FALSE', 'UNKNOWN'] as const) {
    if (stream.acceptWords(what)) return { kind: 'is', operand: left, what, negated, at };
  }
  throw stream.unexpected();
}

function likeTail(stream: TokenStream, operand: Expression, negated: boolean): Expression {
  const at = operand.at;
  if (stream.acceptWords('ALL'))
    return { kind: 'quantifiedLike', operand, quantifier: 'ALL', candidates: candidates(stream), negated, at };
  if (stream.acceptWords('ANY') || stream.acceptWords('SOME')) {
    return { kind: 'quantifiedLike', operand, quantifier: 'ANY', candidates: candidates(stream), negated, at };
  }
  return { kind: 'like', operand, pattern: bitwise(stream), negated, at };
}

function candidates(stream: TokenStream): Candidates {
  if (stream.acceptWords('UNNEST')) {
    stream.expectSymbol('(');
    const array = stream.expression();
    stream.expectSymbol(')');
    return { kind: 'unnest', array };
  }
  stream.expectSymbol('(');
  const result: Candidates = startsQuery(stream)
    ? { kind: 'query', query: stream.query() }
    : { kind: 'list', items: stream.list(() => stream.expression()) };
  stream.expectSymbol(')');
  return result;
}

/** True when the tokens begin a query, through any number of parentheses. */
export function startsQuery(stream: TokenStream): boolean {
  let ahead = 0;
  while (stream.isSymbol('(', ahead)) ahead++;
  const token = stream.peek(ahead);
  return (
    token.kind === 'keyword' &&
    (token.text === 'SELECT' || token.text === 'WITH' || (token.text === 'FROM' && ahead === 0))
  );
}

type Level = { readonly operators: readonly BinaryOperator[] };
const LEVELS: readonly Level[] = [
  { operators: ['|'] },
  { operators: ['^'] },
  { operators: ['&'] },
  { operators: ['<<', '>>'] },
  { operators: ['+', '-'] },
  { operators: ['*', '/', '||'] },
];

function bitwise(stream: TokenStream): Expression {
  return binaryLevel(stream, 0);
}

function binaryLevel(stream: TokenStream, level: number): Expression {
  const operators = LEVELS[level]?.operators;
  if (!operators) return unary(stream);
  let left = binaryLevel(stream, level + 1);
  for (let links = 1; ; links++) {
    const token = stream.peek();
    const operator = token.kind === 'symbol' ? operators.find((candidate) => candidate === token.text) : undefined;
    if (!operator) return left;
    if (links > 2 * MAX_NESTING) {
      throw new SqlError(
        `The query is too complex: more than ${2 * MAX_NESTING} operators in a row`,
        token.at,
        'resourcesExceeded',
      );
    }
    stream.next();
    left = { kind: 'binary', operator, left, right: binaryLevel(stream, level + 1), at: left.at };
  }
}

function unary(stream: TokenStream): Expression {
  const at = stream.at;
  for (const operator of ['-', '+', '~'] as const) {
    if (stream.acceptSymbol(operator)) {
      return stream.nested(() => signed(operator, unary(stream), at));
    }
  }
  return postfix(stream);
}

/** Folds a minus into a number, so that the smallest INT64 can be written. */
function signed(operator: '-' | '+' | '~', operand: Expression, at: number): Expression {
  if (
    operator === '-' &&
    operand.kind === 'literal' &&
    (operand.type === 'INT64' || operand.type === 'FLOAT64') &&
    !operand.text.startsWith('-')
  ) {
    return { ...operand, text: `-${operand.text}`, at };
  }
  return { kind: 'unary', operator, operand, at };
}
