/** Regular expressions. Matching itself is DuckDB's RE2, the engine that BigQuery has too. */
import { regexpGroups } from '../values/regexp-groups.ts';
import { characterLength, sliceCharacters } from '../values/text.ts';
import { ValueError } from '../values/value-error.ts';
import { define, js, native } from './definition.ts';

function regexpGroupCount(pattern: string): bigint {
  const groups = regexpGroups(pattern);
  if (groups > 1) throw new ValueError('Regular expression has more than 1 capturing group');
  return BigInt(groups);
}

/** The text from a position on; NULL, and so no match, behind the end. */
function regexpFrom(text: string, position: bigint): string | null {
  if (position <= 0n)
    throw new ValueError('Third argument (position) of a regular expression function must be positive');
  return position > BigInt(characterLength(text)) + 1n ? null : sliceCharacters(text, Number(position) - 1);
}

function regexpOccurrence(occurrence: bigint): bigint {
  if (occurrence <= 0n)
    throw new ValueError('Fourth argument (occurrence) of a regular expression function must be positive');
  return occurrence;
}

export const REGEXP_FUNCTIONS = [
  define('REGEXP_GROUPS', js('STRING -> INT64', regexpGroupCount)),
  define('REGEXP_FROM', js('STRING, INT64 -> STRING', regexpFrom)),
  define('REGEXP_OCCURRENCE', js('INT64 -> INT64', regexpOccurrence)),
  define('REGEXP_CONTAINS', native('STRING, STRING -> BOOL', 'regexp_matches($1, $2)')),
  define('REGEXP_REPLACE', native('STRING, STRING, STRING -> STRING', "regexp_replace($1, $2, $3, 'g')")),
];
