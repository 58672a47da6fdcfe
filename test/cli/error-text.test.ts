import { expect, it } from 'vitest';
import { errorText } from '../../functions/cli/error-text.ts';
import { ConfigurationError, ContentionError } from '../../functions/model/errors.ts';

it.each([
  [new ConfigurationError("stage 'count' is not paused"), "millrace: stage 'count' is not paused"],
  [
    new ContentionError('Firestore: commit of topology: 9 FAILED_PRECONDITION\nmore'),
    'millrace: somebody else has changed the same thing at the same moment, so this has not; look, and try again (Firestore: commit of topology: 9 FAILED_PRECONDITION)',
  ],
  ['a text', 'millrace: unexpected: a text'],
])('%s', (error, text) => {
  expect(errorText(error)).toBe(text);
});

it('what nobody has thought of comes with its stack', () => {
  expect(errorText(new TypeError('x is not a function'))).toMatch(
    /^millrace: unexpected: TypeError: x is not a function\n {4}at /,
  );
});
