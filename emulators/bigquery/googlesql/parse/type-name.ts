/** Types as written: `INT64`, `STRING(10)`, `ARRAY<STRUCT<a INT64, b STRING>>`. */
import type { TypeName } from '../ast/type-name.ts';
import type { TokenStream } from './token-stream.ts';

const ALIASES: Readonly<Record<string, string>> = {
  INT: 'INT64',
  SMALLINT: 'INT64',
  INTEGER: 'INT64',
  BIGINT: 'INT64',
  TINYINT: 'INT64',
  BYTEINT: 'INT64',
  DECIMAL: 'NUMERIC',
  BIGDECIMAL: 'BIGNUMERIC',
  BOOLEAN: 'BOOL',
};

/** GoogleSQL's own name of a type, from any of its aliases. */
export function canonicalTypeName(name: string): string {
  const upper = name.toUpperCase();
  return ALIASES[upper] ?? upper;
}

/** Takes a `>` that closes a type, also where two of them were read as `>>`. */
function closeAngle(stream: TokenStream, open: { pending: number }): void {
  if (open.pending > 0) open.pending--;
  else if (stream.acceptSymbol('>>')) open.pending++;
  else stream.expectSymbol('>');
}

function structFields(stream: TokenStream, open: { pending: number }): { name?: string; type: TypeName }[] {
  const fields: { name?: string; type: TypeName }[] = [];
  do {
    const second = stream.peek(1);
    const named =
      stream.peek().kind === 'identifier' &&
      (second.kind === 'identifier' ||
        second.text === 'ARRAY' ||
        second.text === 'STRUCT' ||
        second.text === 'INTERVAL');
    fields.push(named ? { name: stream.identifier(), type: typeName(stream, open) } : { type: typeName(stream, open) });
  } while (open.pending === 0 && stream.acceptSymbol(','));
  return fields;
}

function parameters(stream: TokenStream): number[] {
  if (!stream.isSymbol('(')) return [];
  return stream.parenthesizedList(() => {
    const token = stream.peek();
    if (token.kind !== 'integer') throw stream.unexpected('integer literal');
    stream.next();
    return Number(token.text);
  });
}

/** Reads one type. `open` counts a `>` left over from a `>>` inside; leave it out at the outermost type. */
export function typeName(stream: TokenStream, open = { pending: 0 }): TypeName {
  return stream.nested(() => {
    const at = stream.at;
    if (stream.isSymbol('<', 1) && stream.acceptWords('ARRAY')) {
      stream.next();
      const element = typeName(stream, open);
      closeAngle(stream, open);
      return { kind: 'array', element, at };
    }
    if (stream.isSymbol('<', 1) && stream.acceptWords('STRUCT')) {
      stream.next();
      const fields = structFields(stream, open);
      closeAngle(stream, open);
      return { kind: 'struct', fields, at };
    }
    if (stream.acceptWords('INTERVAL')) return { kind: 'scalar', name: 'INTERVAL', parameters: [], at };
    const name = canonicalTypeName(stream.identifier('a type'));
    return { kind: 'scalar', name, parameters: parameters(stream), at };
  });
}
