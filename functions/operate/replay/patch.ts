import type { DeadLetter } from '../../engine/dead-letter.ts';
import { decodeValue } from '../../model/json.ts';
import { CannotReplay } from './cannot-replay.ts';

/**
 * Mends a payload before it is replayed: gets the element, message, row or accumulator that the letter holds, and returns
 * what goes in its place.
 */
export type Patch = (value: unknown, letter: DeadLetter) => unknown;

/**
 * What a letter brings back: its value, mended.
 * @throws {CannotReplay} when the letter could not hold the value and nobody mends it, or when the patch throws
 */
export async function payloadOf(letter: DeadLetter, patch: Patch | undefined): Promise<unknown> {
  const { value } = letter;
  if (patch === undefined) {
    const problem = isIncomplete(value);
    if (problem !== undefined)
      throw new CannotReplay(`the letter does not hold its value (${problem}); give one with --patch`);
    return decodeValue(value);
  }
  try {
    return await patch(decodeValue(value), letter);
  } catch (error) {
    throw new CannotReplay(`the patch failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Why a letter holds less than its value; see `carried` and `deadLetterDocuments` of the engine. */
function isIncomplete(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { cut, characters, unreadable } = value as { cut?: unknown; characters?: unknown; unreadable?: unknown };
  if (cut === true && typeof characters === 'number') return `it has ${characters} characters and was cut`;
  return typeof unreadable === 'string' ? unreadable : undefined;
}
