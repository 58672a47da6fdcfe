/**
 * Writes elements that wait into runs. The last run of a group is written again with what is added while it is small and
 * known here, so that a trickle does not make a document each. Kept in memory; when it is lost, new runs begin.
 */
import type { Document } from '../../ports/store.ts';
import { runPrefix } from './names.ts';
import type { Waiting, WaitingRun } from './waiting.ts';

/** A run is added to as long as it is smaller than this, and full from here on; characters. */
const OPEN_BELOW = 64_000;
const MOST_CHARACTERS = 240_000;

/** The body of a run: encoded elements, as in an envelope. */
export interface WaitingBody {
  readonly elements: string;
}

interface OpenRun {
  readonly number: number;
  readonly texts: readonly string[];
  readonly characters: number;
}

export interface WrittenRun {
  readonly run: WaitingRun;
  readonly document: Document;
  readonly characters: number;
}

export class WaitingRuns {
  readonly #open = new Map<string, OpenRun>();

  /** @param last the number of the shard's last run @param key names the group of `entry` */
  write(shard: string, key: string, entry: Waiting | undefined, texts: readonly string[], last: number): WrittenRun[] {
    const known = this.#open.get(key);
    const open = known !== undefined && entry?.runs.at(-1)?.number === known.number ? known : undefined;
    const written: WrittenRun[] = [];
    let number = open?.number ?? last + 1;
    let next = open === undefined ? last + 2 : last + 1;
    let run = open === undefined ? [] : [...open.texts];
    let characters = open?.characters ?? 0;
    const close = (): void => {
      const body: WaitingBody = { elements: `[${run.join(',')}]` };
      const document: Document = { collection: 'runs', id: `${runPrefix(shard)}${number}`, body };
      written.push({ run: { number, count: run.length }, document, characters });
      if (characters < OPEN_BELOW) this.#open.set(key, { number, texts: run, characters });
      else this.#open.delete(key);
    };
    for (const text of texts) {
      if (run.length > 0 && characters + text.length > MOST_CHARACTERS) {
        close();
        [run, characters, number] = [[], 0, next++];
      }
      run.push(text);
      characters += text.length + 1;
    }
    close();
    return written;
  }

  forget(key: string): void {
    this.#open.delete(key);
  }
}
