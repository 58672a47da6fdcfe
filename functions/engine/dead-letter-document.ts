/**
 * How a dead letter is stored. Invariant: a document stays below 1 MiB; a value that would not fit is kept beside it in
 * parts, in the same commit, and one that no commit could hold is cut, with its size and its beginning.
 */
import { CorruptionError } from '../model/errors.ts';
import type { Document, DocumentName, Store, StoredDocument } from '../ports/store.ts';
import type { DeadLetter } from './dead-letter.ts';

/** A text of so many characters has less than 1 MiB as UTF-8, with the rest of the letter beside it. */
const MAX_PART_CHARACTERS = 300_000;
/** Longer values are cut: a commit would not hold them. */
const MAX_VALUE_CHARACTERS = 3_000_000;
const CUT_TO = 10_000;

/** The body of a letter's document. With `parts`, the value's JSON text stands in so many documents beside it. */
export type DeadLetterBody = DeadLetter & { readonly parts?: number };

export interface DeadLetterDocuments {
  readonly documents: readonly Document[];
  /** Roughly what they weigh. */
  readonly characters: number;
}

export function deadLetterDocuments(letter: DeadLetter): DeadLetterDocuments {
  const text = JSON.stringify(letter.value) ?? 'null';
  if (text.length <= MAX_PART_CHARACTERS) return { documents: [deadLetterDocument(letter)], characters: text.length };
  if (text.length > MAX_VALUE_CHARACTERS) {
    const value = { cut: true, characters: text.length, beginning: beginningOf(text) };
    return { documents: [deadLetterDocument({ ...letter, value })], characters: CUT_TO };
  }
  const parts = Math.ceil(text.length / MAX_PART_CHARACTERS);
  const body: DeadLetterBody = { ...letter, value: null, parts };
  const documents = Array.from({ length: parts }, (_, part): Document => {
    const piece = text.slice(part * MAX_PART_CHARACTERS, (part + 1) * MAX_PART_CHARACTERS);
    return { ...partName(letter.id, part), body: piece };
  });
  return { documents: [deadLetterDocument(body), ...documents], characters: text.length };
}

/** The letter's own document, without the parts of its value. */
export function deadLetterDocument(body: DeadLetterBody): Document {
  const { id, status, failedAt } = body;
  return { collection: 'deadLetters', id, body, index: { status, failedAt } };
}

/** A stored letter with its value put together again. */
export async function readDeadLetter(store: Store, stored: StoredDocument): Promise<DeadLetter> {
  const { parts = 0, ...letter } = stored.body as DeadLetterBody;
  if (parts === 0) return letter;
  const names = Array.from({ length: parts }, (_, part) => partName(letter.id, part));
  const pieces = await store.get(
    'parts',
    names.map(({ id }) => id),
  );
  const missing = pieces.indexOf(undefined);
  if (missing >= 0)
    throw new CorruptionError(`dead letter '${letter.id}' lacks part ${missing + 1} of the ${parts} of its value`);
  return { ...letter, value: JSON.parse(pieces.map((piece) => piece!.body as string).join('')) };
}

/** As a text of its own: a slice would keep the whole in memory for as long as the letter is there. */
function beginningOf(text: string): string {
  return Buffer.from(text.slice(0, CUT_TO), 'utf16le').toString('utf16le');
}

function partName(letter: string, part: number): DocumentName {
  return { collection: 'parts', id: `dead-letter~${letter}~${part}` };
}
