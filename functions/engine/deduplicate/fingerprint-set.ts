/**
 * A set of 128-bit fingerprints in 16 bytes each and some room, so that a day's ids fit into memory. Of a hundred million
 * ids two have the same fingerprint with a probability of less than 10⁻²².
 */
import { hash } from 'node:crypto';

const WORDS = 4;
const SMALLEST = 64;
/** The table grows when it is fuller than this. */
const FULLEST = 0.7;

/** The fingerprint of a text: 22 letters, digits, `-` and `_`. */
export function fingerprintOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 22);
}

export class FingerprintSet {
  #table = new Uint32Array(SMALLEST * WORDS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(words: Uint32Array): boolean {
    return this.#isTaken(this.#find(this.#table, words));
  }

  add(words: Uint32Array): void {
    if ((this.#size + 1) * WORDS > this.#table.length * FULLEST) this.#grow();
    const at = this.#find(this.#table, words);
    if (this.#isTaken(at)) return;
    this.#table.set(words, at);
    this.#size += 1;
  }

  /** Where these words stand, or the free place where they would. */
  #find(table: Uint32Array, words: Uint32Array): number {
    const places = table.length / WORDS;
    for (let place = words[0]! % places; ; place = (place + 1) % places) {
      const at = place * WORDS;
      if (isFree(table, at)) return at;
      if (
        table[at] === words[0] &&
        table[at + 1] === words[1] &&
        table[at + 2] === words[2] &&
        table[at + 3] === words[3]
      )
        return at;
    }
  }

  #isTaken(at: number): boolean {
    return !isFree(this.#table, at);
  }

  #grow(): void {
    const larger = new Uint32Array(this.#table.length * 2);
    for (let at = 0; at < this.#table.length; at += WORDS) {
      if (isFree(this.#table, at)) continue;
      const words = this.#table.subarray(at, at + WORDS);
      larger.set(words, this.#find(larger, words));
    }
    this.#table = larger;
  }
}

function isFree(table: Uint32Array, at: number): boolean {
  return table[at] === 0 && table[at + 1] === 0 && table[at + 2] === 0 && table[at + 3] === 0;
}

/** A fingerprint's four words. All zero would look like a free place; that fingerprint stands one beside it. */
export function wordsOf(fingerprint: string): Uint32Array {
  const bytes = Buffer.from(fingerprint, 'base64url');
  const words = new Uint32Array(WORDS);
  for (let word = 0; word < WORDS; word++) words[word] = bytes.readUInt32LE(4 * word);
  if (words[0] === 0 && words[1] === 0 && words[2] === 0 && words[3] === 0) words[3] = 1;
  return words;
}
