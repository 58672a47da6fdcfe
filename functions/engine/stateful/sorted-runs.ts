/**
 * Texts that are taken out in the order of their keys, beyond what a cell can hold. What is added together becomes a run of
 * leaves of its own, so adding writes no more than is added; taking out reads the first leaf of each run, then the next.
 *
 * Invariants: the keys of a run up to its `taken` are gone; a leaf goes when all its keys are.
 */
import type { CellParts } from '../shard/cell-parts.ts';
import { type EncodedLeaves, type Entry, PartLeaves } from './part-leaves.ts';

interface Run {
  readonly id: number;
  readonly leaves: PartLeaves;
  /** Of its first leaf; undefined = not in memory. */
  head: Entry[] | undefined;
  /** The largest key that was taken out. */
  taken: string;
  /** Whether the first leaf's summary covers keys that were taken out. */
  isStale: boolean;
}

/** As it lies in the cell: the number of the next run, and the runs. */
export type EncodedRuns = readonly [next: number, runs: readonly (readonly [number, string, EncodedLeaves])[]];

export class SortedRuns {
  readonly #prefix: string;
  readonly #parts: CellParts;
  readonly #summarize: (texts: readonly string[]) => number;
  #runs: Run[];
  #next: number;

  /**
   * @param prefix begins the names of its parts, unique in the cell
   * @param summarize makes the summary of a leaf from its texts
   */
  constructor(
    prefix: string,
    parts: CellParts,
    summarize: (texts: readonly string[]) => number,
    encoded: EncodedRuns = [0, []],
  ) {
    this.#prefix = prefix;
    this.#parts = parts;
    this.#summarize = summarize;
    this.#next = encoded[0];
    this.#runs = encoded[1].map(([id, taken, leaves]) => this.#run(id, taken, leaves));
  }

  encode(): EncodedRuns {
    for (const run of this.#runs) freshen(run);
    return [this.#next, this.#runs.map(({ id, taken, leaves }) => [id, taken, leaves.encode()])];
  }

  get isEmpty(): boolean {
    return this.#runs.length === 0;
  }

  /** Of all leaves, of what is left in them. */
  summaries(): readonly number[] {
    return this.#runs.flatMap((run) => {
      freshen(run);
      return run.leaves.summaries();
    });
  }

  /** Adds entries, as a run. @returns by which `remove` finds them */
  async add(entries: readonly Entry[]): Promise<number> {
    const run = this.#run(this.#next++, '', undefined);
    await run.leaves.absorb(new Map(entries));
    this.#runs.push(run);
    return run.id;
  }

  /** No key is smaller; undefined when there is none. */
  next(): string | undefined {
    const run = this.#first();
    return run === undefined ? undefined : boundOf(run);
  }

  /** Whether `take` has what it needs in memory. */
  get isLoaded(): boolean {
    return this.#first()?.head !== undefined;
  }

  async load(): Promise<void> {
    const run = this.#first();
    if (run === undefined || run.head !== undefined) return;
    const entries = await run.leaves.first();
    run.head = entries.filter(([key]) => key > run.taken);
    this.#settle(run);
  }

  /** Takes out the smallest; after `load`. */
  take(): Entry | undefined {
    const run = this.#first();
    const entry = run?.head?.shift();
    if (run === undefined || entry === undefined) return undefined;
    run.taken = entry[0];
    run.isStale = true;
    this.#settle(run);
    return entry;
  }

  /** Takes one out of turn. Reads and writes one leaf. @param id what `add` gave for it */
  async remove(id: number, key: string): Promise<void> {
    const run = this.#runs.find((each) => each.id === id);
    if (run === undefined || key <= run.taken) return;
    await run.leaves.absorb(new Map([[key, null]]));
    run.head = undefined;
    run.isStale = false;
    if (run.leaves.isEmpty) this.#runs = this.#runs.filter((each) => each !== run);
    else if (run.taken !== '') {
      // The leaf was summed up with what is taken out already.
      run.head = (await run.leaves.first()).filter(([each]) => each > run.taken);
      run.isStale = true;
      this.#settle(run);
    }
  }

  drop(): void {
    for (const { leaves } of this.#runs) leaves.drop();
    this.#runs = [];
  }

  #run(id: number, taken: string, leaves: EncodedLeaves | undefined): Run {
    const made = new PartLeaves(`${this.#prefix}${id}.`, this.#parts, this.#summarize, leaves);
    return { id, leaves: made, head: undefined, taken, isStale: false };
  }

  /** The run with the smallest bound. */
  #first(): Run | undefined {
    let first: Run | undefined;
    for (const run of this.#runs) if (first === undefined || boundOf(run) < boundOf(first)) first = run;
    return first;
  }

  /** A leaf of which nothing is left goes, and a run without leaves. */
  #settle(run: Run): void {
    if (run.head === undefined || run.head.length > 0) return;
    run.leaves.dropFirst();
    run.head = undefined;
    run.isStale = false;
    if (run.leaves.isEmpty) this.#runs = this.#runs.filter((each) => each !== run);
  }
}

function boundOf({ head, leaves, taken }: Run): string {
  if (head !== undefined) return head[0]![0];
  const bound = leaves.bounds()[0]!;
  return bound > taken ? bound : taken;
}

function freshen(run: Run): void {
  if (!run.isStale || run.head === undefined) return;
  run.leaves.summarizeFirst(run.head.map(([, text]) => text));
  run.isStale = false;
}
