/** From text to one statement. */
import type { Expression } from '../ast/expression.ts';
import type { Statement } from '../ast/statement.ts';
import { tokenize } from '../lexer.ts';
import { SqlError, unsupported } from '../sql-error.ts';
import { alter, create, drop } from './ddl.ts';
import { deleteFrom, insert, merge, truncate, update } from './dml.ts';
import { expression } from './expression.ts';
import { query } from './query.ts';
import { isWord, TokenStream } from './token-stream.ts';

/** BigQuery's own bound on a query's text, in characters. */
export const MAX_QUERY_LENGTH = 1024 * 1024;

/** Statements of GoogleSQL's procedural language and administration. */
const REFUSED: readonly string[] =
  'DECLARE SET BEGIN IF CALL EXECUTE EXPORT LOAD GRANT REVOKE COMMIT ROLLBACK LOOP WHILE REPEAT FOR RETURN RAISE ASSERT EXPLAIN DESCRIBE SHOW'.split(
    ' ',
  );

const STATEMENTS: Readonly<Record<string, (stream: TokenStream) => Statement>> = {
  INSERT: insert,
  UPDATE: update,
  DELETE: deleteFrom,
  TRUNCATE: truncate,
  MERGE: merge,
  CREATE: create,
  DROP: drop,
  ALTER: alter,
};

export interface ParsedStatement {
  readonly statement: Statement;
  /** How many `?` the text has. */
  readonly positionalParameters: number;
}

/**
 * Parses one statement, with or without a semicolon after it.
 * @throws {SqlError} when the text is no statement, is longer than BigQuery takes, or uses what this server refuses.
 */
export function parseStatement(text: string): ParsedStatement {
  if (text.length > MAX_QUERY_LENGTH) {
    throw new SqlError(
      'The query is too large. The maximum standard SQL query length is 1024.00K characters, including comments and white space characters.',
    );
  }
  const stream = new TokenStream(text, tokenize(text), { expression, query });
  const statement = readStatement(stream);
  while (stream.acceptSymbol(';'));
  if (stream.peek().kind !== 'end') {
    if (text.slice(0, stream.at).trimEnd().endsWith(';'))
      throw unsupported('A script of several statements', stream.at);
    throw stream.unexpected('end of input');
  }
  return { statement, positionalParameters: stream.positional };
}

/** Parses an expression that stands alone: a column's default. */
export function parseExpression(text: string): Expression {
  const stream = new TokenStream(text, tokenize(text), { expression, query });
  const result = stream.expression();
  if (stream.peek().kind !== 'end') throw stream.unexpected('end of input');
  return result;
}

/** Parses the definition of a view. */
export function parseQuery(text: string): Statement & { kind: 'query' } {
  const { statement } = parseStatement(text);
  if (statement.kind !== 'query') throw new SqlError('A view must be defined by a query');
  return statement;
}

function readStatement(stream: TokenStream): Statement {
  const first = stream.peek();
  if (first.kind === 'end') throw new SqlError('Syntax error: Unexpected end of script', first.at);
  for (const [word, rule] of Object.entries(STATEMENTS)) {
    if (isWord(first, word)) return rule(stream);
  }
  const refused = REFUSED.find((word) => isWord(first, word));
  if (refused) throw unsupported(`The statement ${refused}`, first.at);
  if (first.kind === 'symbol' ? first.text !== '(' : !['SELECT', 'WITH', 'FROM'].includes(first.text))
    throw stream.unexpected();
  return query(stream);
}
