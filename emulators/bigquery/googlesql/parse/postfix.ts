/** What follows a primary expression: `.field` and `[index]`, any number of times. */
import type { Expression, IndexMode } from '../ast/expression.ts';
import { primary } from './primary.ts';
import type { TokenStream } from './token-stream.ts';

const INDEX_MODES: readonly IndexMode[] = ['OFFSET', 'ORDINAL', 'SAFE_OFFSET', 'SAFE_ORDINAL'];

export function postfix(stream: TokenStream): Expression {
  let result = primary(stream);
  for (let links = 0; ; links++) {
    const base = result;
    if (stream.isSymbol('.') && !stream.isSymbol('*', 1)) {
      stream.next();
      const name = stream.nameAfterDot();
      result =
        base.kind === 'path' ? { ...base, names: [...base.names, name] } : { kind: 'field', base, name, at: base.at };
    } else if (stream.acceptSymbol('[')) {
      result = stream.nested(() => indexed(stream, base));
    } else {
      return result;
    }
    if (links > 100) throw stream.unexpected('a shorter chain of fields');
  }
}

function indexed(stream: TokenStream, base: Expression): Expression {
  for (const mode of INDEX_MODES) {
    if (stream.isSymbol('(', 1) && stream.acceptWords(mode)) {
      stream.expectSymbol('(');
      const index = stream.expression();
      stream.expectSymbol(')');
      stream.expectSymbol(']');
      return { kind: 'index', base, index, mode, at: base.at };
    }
  }
  const index = stream.expression();
  stream.expectSymbol(']');
  return { kind: 'index', base, index, mode: 'PLAIN', at: base.at };
}
