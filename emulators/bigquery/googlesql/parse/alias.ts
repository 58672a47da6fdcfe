import type { TokenStream } from './token-stream.ts';

/** `AS name`, or a bare name; `undefined` when there is none. */
export function optionalAlias(stream: TokenStream): string | undefined {
  if (stream.acceptWords('AS')) return stream.identifier();
  return stream.peek().kind === 'identifier' ? stream.identifier() : undefined;
}
