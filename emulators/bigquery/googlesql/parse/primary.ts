/** The operands of expressions: literals, parameters, names, calls, constructors, CASE, CAST, parentheses. */
import type { Case, Expression, Literal, StructLiteral } from '../ast/expression.ts';
import { SqlError, unsupported } from '../sql-error.ts';
import { call, functionName } from './call.ts';
import { cast, extract, interval } from './keyword-forms.ts';
import type { TokenStream } from './token-stream.ts';
import { canonicalTypeName, typeName } from './type-name.ts';

/** Types whose values can be written as the type's name before a string. */
const TYPED_LITERALS: ReadonlySet<string> = new Set([
  'DATE',
  'DATETIME',
  'TIME',
  'TIMESTAMP',
  'NUMERIC',
  'BIGNUMERIC',
  'JSON',
]);

export function primary(stream: TokenStream): Expression {
  const token = stream.peek();
  const at = token.at;
  switch (token.kind) {
    case 'integer':
    case 'float':
      stream.next();
      return { kind: 'literal', type: token.kind === 'integer' ? 'INT64' : 'FLOAT64', text: token.text, at };
    case 'string':
      stream.next();
      return { kind: 'literal', type: 'STRING', text: adjacent(stream, token.text), at };
    case 'bytes':
      stream.next();
      return { kind: 'bytes', bytes: token.bytes ?? new Uint8Array(), at };
    case 'parameter':
      stream.next();
      return { kind: 'parameter', name: token.text === '' ? stream.positional++ : token.text.toLowerCase(), at };
    case 'keyword':
      return keyword(stream, token.text, at);
    case 'identifier':
      return named(stream, at);
    case 'symbol':
      return bracketed(stream, token.text, at);
    case 'end':
      throw stream.unexpected();
  }
}

/** Two string literals side by side are one only in newer dialects; here they are a mistake. */
function adjacent(stream: TokenStream, text: string): string {
  if (stream.peek().kind === 'string')
    throw new SqlError('Syntax error: Unexpected concatenated string literal', stream.at);
  return text;
}

function keyword(stream: TokenStream, word: string, at: number): Expression {
  switch (word) {
    case 'NULL':
    case 'TRUE':
    case 'FALSE':
      stream.next();
      return word === 'NULL'
        ? { kind: 'literal', type: 'NULL', text: '', at }
        : { kind: 'literal', type: 'BOOL', text: word.toLowerCase(), at };
    case 'CASE':
      return caseExpression(stream);
    case 'CAST':
      return cast(stream, false);
    case 'EXTRACT':
      return extract(stream);
    case 'INTERVAL':
      return interval(stream);
    case 'ARRAY':
      return arrayForm(stream, at);
    case 'STRUCT':
      return structForm(stream, at);
    case 'EXISTS': {
      stream.next();
      return subquery(stream, 'EXISTS', at);
    }
    case 'DEFAULT':
      stream.next();
      return { kind: 'default', at };
    case 'IF':
    case 'LEFT':
    case 'RIGHT':
    case 'GROUPING':
    case 'COLLATE':
      if (stream.isSymbol('(', 1)) {
        stream.next();
        return call(stream, word, false, at);
      }
      throw stream.unexpected();
    case 'WITH':
      throw unsupported('The WITH expression', at);
    case 'NEW':
      throw unsupported('A protocol buffer constructor', at);
    default:
      throw stream.unexpected();
  }
}

function subquery(stream: TokenStream, form: 'SCALAR' | 'EXISTS' | 'ARRAY', at: number): Expression {
  stream.expectSymbol('(');
  const query = stream.query();
  stream.expectSymbol(')');
  return { kind: 'subquery', form, query, at };
}

function caseExpression(stream: TokenStream): Case {
  const at = stream.at;
  stream.expectWords('CASE');
  const operand = stream.isWords('WHEN') ? undefined : stream.expression();
  const branches: { when: Expression; result: Expression }[] = [];
  while (stream.acceptWords('WHEN')) {
    const when = stream.expression();
    stream.expectWords('THEN');
    branches.push({ when, result: stream.expression() });
  }
  if (branches.length === 0) throw stream.unexpected('keyword WHEN');
  const otherwise = stream.acceptWords('ELSE') ? stream.expression() : undefined;
  stream.expectWords('END');
  return { kind: 'case', branches, at, ...(operand && { operand }), ...(otherwise && { otherwise }) };
}

function arrayForm(stream: TokenStream, at: number): Expression {
  if (stream.isSymbol('(', 1)) {
    stream.next();
    return subquery(stream, 'ARRAY', at);
  }
  if (stream.isSymbol('[', 1)) {
    stream.next();
    return { kind: 'array', elements: elements(stream), at };
  }
  const type = typeName(stream);
  if (type.kind !== 'array') throw stream.unexpected();
  return { kind: 'array', elementType: type.element, elements: elements(stream), at };
}

function elements(stream: TokenStream): Expression[] {
  stream.expectSymbol('[');
  const items = stream.isSymbol(']') ? [] : stream.list(() => stream.expression());
  stream.expectSymbol(']');
  return items;
}

function structForm(stream: TokenStream, at: number): StructLiteral {
  const type = stream.isSymbol('<', 1) ? typeName(stream) : undefined;
  if (!type) stream.next();
  stream.expectSymbol('(');
  const fields: { name?: string; value: Expression }[] = [];
  while (!stream.isSymbol(')')) {
    const value = stream.expression();
    if (stream.acceptWords('AS')) fields.push({ name: stream.identifier(), value });
    else fields.push({ value });
    if (!stream.acceptSymbol(',')) break;
  }
  stream.expectSymbol(')');
  return { kind: 'struct', fields, tuple: false, at, ...(type?.kind === 'struct' && { types: type.fields }) };
}

function bracketed(stream: TokenStream, symbol: string, at: number): Expression {
  if (symbol === '[') return { kind: 'array', elements: elements(stream), at };
  if (symbol === '@@') throw unsupported('A system variable', at);
  if (symbol !== '(') throw stream.unexpected();
  const next = stream.peek(1);
  if (next.kind === 'keyword' && (next.text === 'SELECT' || next.text === 'WITH'))
    return subquery(stream, 'SCALAR', at);
  if (next.kind === 'symbol' && next.text === '(') {
    const mark = stream.mark();
    const found = parenthesizedQuery(stream, at);
    if (found) return found;
    stream.rewind(mark);
  }
  stream.next();
  const first = stream.expression();
  if (!stream.isSymbol(',')) {
    stream.expectSymbol(')');
    return first;
  }
  const fields = [{ value: first }];
  while (stream.acceptSymbol(',')) fields.push({ value: stream.expression() });
  stream.expectSymbol(')');
  return { kind: 'struct', fields, tuple: true, at };
}

/** `((SELECT …) UNION ALL …)`: a query that itself begins with a parenthesis. Only tried where a SELECT is in sight. */
function parenthesizedQuery(stream: TokenStream, at: number): Expression | undefined {
  let ahead = 1;
  while (stream.isSymbol('(', ahead)) ahead++;
  const token = stream.peek(ahead);
  if (token.kind !== 'keyword' || (token.text !== 'SELECT' && token.text !== 'WITH')) return undefined;
  const positional = stream.positional;
  try {
    return subquery(stream, 'SCALAR', at);
  } catch (error) {
    if (!(error instanceof SqlError) || error.reason === 'resourcesExceeded') throw error;
    stream.positional = positional;
    return undefined;
  }
}

function named(stream: TokenStream, at: number): Expression {
  const token = stream.peek();
  const type = canonicalTypeName(token.text);
  if (!token.quoted && TYPED_LITERALS.has(type) && stream.peek(1).kind === 'string') {
    stream.next();
    return { kind: 'literal', type: type as Literal['type'], text: stream.string(), at };
  }
  if (!token.quoted && type === 'RANGE' && stream.isSymbol('<', 1)) throw unsupported('The type RANGE', at);
  if (stream.isWords('SAFE_CAST') && stream.isSymbol('(', 1)) return cast(stream, true);
  if (stream.isSymbol('->', 1)) {
    stream.next();
    stream.next();
    return { kind: 'lambda', parameters: [token.text], body: stream.expression(), at };
  }
  const name = functionName(stream);
  if (name) return call(stream, name.name, name.safe, at);
  stream.next();
  return { kind: 'path', names: [token.text], at };
}
