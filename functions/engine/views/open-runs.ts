/**
 * Puts elements into runs. The last run of a window is written again with what is added, as long as it is small and known
 * here, so that a trickle of elements does not make a document each. Kept in memory; when it is lost, new runs begin.
 */
import type { Document } from '../../ports/store.ts';
import { joinLines, lineBytes } from './entries.ts';
import { runPrefix } from './names.ts';
import type { Lines } from './pointer.ts';
import type { ViewRun, ViewWindow } from './view-state.ts';

/** A run is added to as long as it is smaller than this; bytes. */
const OPEN_BELOW = 64 * 1024;
/** And is full from here on. A single element has at most 256 KiB; bytes. */
const MOST_BYTES = 256 * 1024;

interface OpenRun {
  readonly run: ViewRun;
  readonly lines: readonly string[];
}

/** Elements of one window, put into runs. */
export interface Filed {
  /** All runs of the window. */
  readonly runs: readonly ViewRun[];
  /** The ordinals of the new elements. */
  readonly from: number;
  readonly to: number;
  /** The runs to write. */
  readonly documents: readonly Document[];
  /** The number of the shard's last run. */
  readonly last: number;
}

export class OpenRuns {
  readonly #open = new Map<number, OpenRun>();

  /** @param last the number of the shard's last run so far */
  file(shard: string, window: ViewWindow, lines: readonly string[], last: number): Filed {
    const open = this.#openRunOf(window);
    const runs = open === undefined ? [...window.runs] : window.runs.slice(0, -1);
    const documents: Document[] = [];
    let { ordinal } = window;
    let number = last;
    let [current, bytes] = open === undefined ? [[] as string[], 0] : [[...open.lines], open.run.bytes];
    let place = open?.run;
    const from = place?.ordinal ?? ordinal + 1;
    const close = (): void => {
      place ??= { ordinal: ++ordinal, number: ++number, count: 0, bytes: 0 };
      const run: ViewRun = { ...place, count: current.length, bytes };
      runs.push(run);
      const body: Lines = { lines: joinLines(current) };
      documents.push({ collection: 'runs', id: `${runPrefix(shard)}${run.number}`, body });
      this.#open.set(window.start, { run, lines: current });
      [current, bytes, place] = [[], 0, undefined];
    };
    for (const line of lines) {
      const size = lineBytes(line);
      if (current.length > 0 && bytes + size > MOST_BYTES) close();
      current.push(line);
      bytes += size;
    }
    close();
    if (this.#open.get(window.start)!.run.bytes >= OPEN_BELOW) this.#open.delete(window.start);
    return { runs, from, to: ordinal, documents, last: number };
  }

  forget(window: ViewWindow): void {
    this.#open.delete(window.start);
  }

  /** What can still be added to: no pane has taken it in. */
  #openRunOf(window: ViewWindow): OpenRun | undefined {
    const open = this.#open.get(window.start);
    const last = window.runs.at(-1);
    return open !== undefined && last?.number === open.run.number && last.ordinal > window.fired ? open : undefined;
  }
}
