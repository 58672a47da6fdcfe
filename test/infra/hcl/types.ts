/** Terraform's type constraints, as far as `infra/` uses them. */

export type HclType =
  | { readonly kind: 'string' | 'number' | 'bool' }
  | { readonly kind: 'list' | 'map' | 'optional'; readonly of: HclType }
  | { readonly kind: 'object'; readonly fields: Readonly<Record<string, HclType>> };

/** @throws {Error} when the text is no type constraint */
export function parseType(text: string): HclType {
  const tokens = text.match(/[A-Za-z_]\w*|[(){}=,]/g) ?? [];
  let at = 0;
  const expect = (token: string): void => {
    if (tokens[at++] !== token) throw new Error(`expected '${token}' in the type: ${text.slice(0, 80)}`);
  };
  const type = (): HclType => {
    const word = tokens[at++];
    switch (word) {
      case 'string':
      case 'number':
      case 'bool':
        return { kind: word };
      case 'list':
      case 'set':
      case 'map':
      case 'optional': {
        expect('(');
        const of = type();
        expect(')');
        return { kind: word === 'set' ? 'list' : word, of };
      }
      case 'object': {
        expect('(');
        expect('{');
        const fields: Record<string, HclType> = {};
        while (tokens[at] !== '}') {
          const field = tokens[at++]!;
          expect('=');
          fields[field] = type();
          if (tokens[at] === ',') at++;
        }
        expect('}');
        expect(')');
        return { kind: 'object', fields };
      }
      default:
        throw new Error(`'${word}' is no type: ${text.slice(0, 80)}`);
    }
  };
  return type();
}
