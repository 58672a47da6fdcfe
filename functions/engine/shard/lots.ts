/**
 * A bundle that is too much for one commit although it has one envelope at most: it is taken in lots, fewer elements and
 * fewer firings each time. Of what is too much even alone, whoever is to blame is given up, a firing or an element; so
 * neither costs the other anything, and nothing blocks the shard.
 */

/** How much of a bundle is taken in one commit. */
export interface Lot {
  /** Elements of an envelope, at most. */
  readonly elements: number;
  /** Timers and windows that fire, at most. */
  readonly firings: number;
  /** What the commit may weigh, in characters. */
  readonly limit: number;
  /** The one element is given up, since it came to more than this allows. */
  readonly refused?: BundleTooLarge;
  /** The one firing is given up where it comes to more than the limit. */
  readonly alone?: true;
}

/** A commit stays below this many characters, at most three bytes each; Firestore's own limit is 10 MiB. */
export const MAX_BATCH_CHARACTERS = 900_000;
/** What one element or firing may make a commit write: at three bytes each still below the limit. */
export const MAX_SINGLE_CHARACTERS = 3_000_000;
/** A bundle that has made this much is too large whatever it may weigh, and need not be run to its end. */
export const MOST_IN_MEMORY = 4_000_000;
/** Where there is no envelope, so many fire at first. */
const FIRST_FIRINGS = 500;

/** The bundle has to be taken in smaller lots. */
export class BundleTooLarge extends Error {
  readonly characters: number;
  readonly limit: number;

  /** @param limit what one element may come to, of a commit or of a document of it */
  constructor(characters: number, limit: number = MAX_SINGLE_CHARACTERS, options?: ErrorOptions) {
    super(`a bundle has ${characters} characters`, options);
    this.characters = characters;
    this.limit = limit;
  }
}

/**
 * Commits lot after lot until the envelope is taken, or where there is none one lot.
 * @param elements how many the envelope has; 0 = there is none
 * @param commit takes a lot; rejects with `BundleTooLarge`; gives whether there is more to do without envelopes
 * @param isTaken whether all elements of the envelope are taken
 */
export async function commitInLots(
  elements: number,
  commit: (lot: Lot) => Promise<boolean>,
  isTaken: () => boolean,
): Promise<boolean> {
  for (let most = elements === 0 ? FIRST_FIRINGS : Math.max(1, elements >> 1); ; ) {
    const limit = most > 1 ? MAX_BATCH_CHARACTERS : MAX_SINGLE_CHARACTERS;
    let more: boolean;
    try {
      more = await commit({ elements: most, firings: most, limit });
    } catch (error) {
      if (!(error instanceof BundleTooLarge)) throw error;
      if (most > 1) {
        most = Math.max(1, Math.min(most >> 1, Math.floor((most * limit) / error.characters)));
        continue;
      }
      more = await commitFiring(commit);
      if (elements > 0) more = await commitElement(commit);
    }
    if (elements === 0 || isTaken()) return more;
  }
}

/** What is due first of all, by itself. What the store finds too large although it was weighed is held to less. */
async function commitFiring(commit: (lot: Lot) => Promise<boolean>): Promise<boolean> {
  for (let limit = MAX_SINGLE_CHARACTERS; ; limit >>= 1) {
    try {
      return await commit({ elements: 0, firings: 1, limit, alone: true });
    } catch (error) {
      if (!(error instanceof BundleTooLarge) || limit === 0) throw error;
    }
  }
}

async function commitElement(commit: (lot: Lot) => Promise<boolean>): Promise<boolean> {
  const lot: Lot = { elements: 1, firings: 0, limit: MAX_SINGLE_CHARACTERS };
  try {
    return await commit(lot);
  } catch (error) {
    if (!(error instanceof BundleTooLarge)) throw error;
    return await commit({ ...lot, limit: Number.POSITIVE_INFINITY, refused: error });
  }
}
