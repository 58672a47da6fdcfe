import { ContentionError, MillraceError, messageOf } from '../model/errors.ts';

/** What a command that failed says: a sentence, or the stack of what nobody has thought of. */
export function errorText(error: unknown): string {
  if (error instanceof ContentionError) {
    const [reason = ''] = error.message.split('\n');
    return `millrace: somebody else has changed the same thing at the same moment, so this has not; look, and try again (${reason})`;
  }
  if (error instanceof MillraceError) return `millrace: ${error.message}`;
  return `millrace: unexpected: ${error instanceof Error ? error.stack : messageOf(error)}`;
}
