/**
 * The dead letters of a pipeline, as operators see them. Invariant: a letter's status leaves `dead` once, in a commit whose
 * precondition is the letter as it was read; whoever comes second is told.
 */
import type { DeadLetter } from '../../engine/dead-letter.ts';
import { type DeadLetterBody, deadLetterDocument, readDeadLetter } from '../../engine/dead-letter-document.ts';
import { ConfigurationError, ContentionError } from '../../model/errors.ts';
import type { EpochMillis } from '../../model/time.ts';
import { DEAD_LETTERS_BY_TIME } from '../../ports/queries.ts';
import type { Document, Precondition, Store, StoredDocument } from '../../ports/store.ts';
import { type LetterFilter, matches } from './filter.ts';

const PAGE = 200;

/** A letter with what a commit needs to end it. */
export interface FoundLetter {
  readonly letter: DeadLetter;
  readonly stored: StoredDocument;
}

/** Letters that match, oldest failure first, each with its whole value. */
export async function* findLetters(store: Store, filter: LetterFilter): AsyncGenerator<FoundLetter> {
  if (filter.ids !== undefined) {
    // Whoever names one twice means one.
    for (const stored of await store.get('deadLetters', [...new Set(filter.ids)])) {
      if (stored === undefined) continue;
      const letter = await readDeadLetter(store, stored);
      if (matches(letter, filter)) yield { letter, stored };
    }
    return;
  }
  const { status = 'dead', until } = filter;
  let after: string | undefined;
  do {
    const page = {
      limit: PAGE,
      ...(after === undefined ? {} : { after }),
      ...(until === undefined ? {} : { atMost: until }),
    };
    const { documents, cursor } = await store.query(DEAD_LETTERS_BY_TIME, { status }, page);
    for (const stored of documents) {
      const letter = await readDeadLetter(store, stored);
      if (matches(letter, filter)) yield { letter, stored };
    }
    after = cursor;
  } while (after !== undefined);
}

/** @throws {ConfigurationError} when there is no such letter */
export async function getLetter(store: Store, id: string): Promise<FoundLetter> {
  const [stored] = await store.get('deadLetters', [id]);
  if (stored === undefined)
    throw new ConfigurationError(`there is no dead letter '${id}'; list them with: millrace dead-letters list`);
  return { letter: await readDeadLetter(store, stored), stored };
}

/** What a commit that ends a letter asks and writes. The parts of its value stay where they are. */
export function ending(
  { stored }: FoundLetter,
  status: 'replayed' | 'discarded',
  at: EpochMillis,
  by: string,
): { readonly precondition: Precondition; readonly document: Document } {
  const body = stored.body as DeadLetterBody;
  return {
    precondition: { collection: 'deadLetters', id: stored.id, version: stored.version },
    document: deadLetterDocument({ ...body, status, ended: { at, by } }),
  };
}

/** Discards a letter. @returns whether it was dead until now */
export async function discard(store: Store, found: FoundLetter, at: EpochMillis, by: string): Promise<boolean> {
  const { precondition, document } = ending(found, 'discarded', at, by);
  try {
    await store.commit({ preconditions: [precondition], sets: [document], deletes: [] });
    return true;
  } catch (error) {
    if (!(error instanceof ContentionError)) throw error;
    return false;
  }
}
