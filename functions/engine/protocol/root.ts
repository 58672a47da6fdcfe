/**
 * The root: the one document that every commit of a shard, an ingest instance or a replay writes, and so its fence.
 *
 * Invariants (design: "One bundle, step by step"):
 * - A number is given to a target once, and stays in `open` until a sweep has seen the target's `done` cover it.
 * - A number is put into `done` in the very commit that takes its elements into state, and leaves `done` only when the
 *   sender's root was seen to be gone.
 * - Every open range names the outbox documents that its envelopes can be published from again; a document is deleted in
 *   the commit that drops the last range, of any target, that names it.
 * - Roots are immutable values. `RootDraft` is the only way to make the next one.
 */
import { type EpochMillis, later, MAX_TIMESTAMP, MIN_TIMESTAMP } from '../../model/time.ts';
import type { IdState } from '../ids/id-state.ts';
import { MAX_DELETES } from './commit-limits.ts';
import { addCounts, type Counts, NO_COUNTS } from './counts.ts';
import { type Holds, HoldsDraft, NO_HOLDS } from './holds.ts';
import type { RootId, ShardId } from './names.ts';
import { type OpenRange, withOpen } from './open-ranges.ts';
import { contains, covers, type Ranges, withRange } from './ranges.ts';

/** An outbox document with messages for topics outside the pipeline, not yet known to be published. */
export interface OutsideOpen {
  readonly document: number;
  readonly born: EpochMillis;
}

export interface Root {
  readonly id: RootId;
  /** The deployed topology that wrote it; an instance that meets a newer one stops taking work. */
  readonly topology: number;
  /** Set anew by each commit, so that a commit whose answer was lost is recognised. */
  readonly nonce: string;
  /** Processing time of the last commit. */
  readonly written: EpochMillis;
  /** The last number given to each target. */
  readonly given: Readonly<Record<ShardId, number>>;
  readonly open: Readonly<Record<ShardId, readonly OpenRange[]>>;
  readonly outside: readonly OutsideOpen[];
  /** The number of the last outbox document. */
  readonly outbox: number;
  /** For each sender, the numbers taken. */
  readonly done: Readonly<Record<RootId, Ranges>>;
  /** Of envelopes that are taken in parts: how many of their elements are. Absent: there are none. */
  readonly parts?: Readonly<Record<string, number>>;
  /** The newest watermarks known here. Both were published, so both are safe. */
  readonly inputWatermark: EpochMillis;
  readonly outputWatermark: EpochMillis;
  /** This root's processing time; it never steps back. */
  readonly processingTime: EpochMillis;
  readonly holds: Holds;
  /** A lower bound of when the next timer of each clock is due. */
  readonly eventDue: EpochMillis;
  readonly processingDue: EpochMillis;
  /** How many cells the shard has. */
  readonly cells: number;
  /** What the commits of a shard have counted, from the first on. Absent: nothing yet. */
  readonly counts?: Counts;
  /** In a stage that is the first to take a source's elements by their ids: which it remembers. */
  readonly ids?: IdState;
  /** What the kind of root keeps beside: a reader's position, a sink's flush number. Plain JSON. */
  readonly extra?: unknown;
}

/** What sweeps found to be taken: per target, ranges that its root's `done` covers. Never becomes false. */
export type SettledFacts = Readonly<Record<ShardId, Ranges>>;

/** A root that was never written. */
export function newRoot(id: RootId, topology: number): Root {
  return {
    id,
    topology,
    nonce: '',
    written: MIN_TIMESTAMP,
    given: {},
    open: {},
    outside: [],
    outbox: 0,
    done: {},
    inputWatermark: MIN_TIMESTAMP,
    outputWatermark: MIN_TIMESTAMP,
    processingTime: MIN_TIMESTAMP,
    holds: NO_HOLDS,
    eventDue: MAX_TIMESTAMP,
    processingDue: MAX_TIMESTAMP,
    cells: 0,
  };
}

/** Whether a timer of some cell may be due; a due time of `MAX_TIMESTAMP` never comes. */
export function hasDueTimers(
  due: { readonly eventDue: EpochMillis; readonly processingDue: EpochMillis },
  inputWatermark: EpochMillis,
  processingTime: EpochMillis,
): boolean {
  const byEvent = due.eventDue < MAX_TIMESTAMP && due.eventDue <= inputWatermark;
  return byEvent || (due.processingDue < MAX_TIMESTAMP && due.processingDue <= processingTime);
}

/** Whether an envelope's number was taken. @param done of the target's root */
export function isDone(done: Root['done'], sender: RootId, number: number): boolean {
  return contains(done[sender], number);
}

const NO_PARTS: Readonly<Record<string, number>> = {};

/** The next root in the making. One draft, one commit. */
export class RootDraft {
  readonly base: Root;
  readonly holds: HoldsDraft;
  inputWatermark: EpochMillis;
  outputWatermark: EpochMillis;
  processingTime: EpochMillis;
  eventDue: EpochMillis;
  processingDue: EpochMillis;
  cells: number;
  extra: unknown;
  ids: IdState | undefined;
  #given: Record<ShardId, number> | undefined;
  #open: Record<ShardId, readonly OpenRange[]> | undefined;
  #done: Record<RootId, Ranges> | undefined;
  #outside: readonly OutsideOpen[];
  #outbox: number;
  #parts: Readonly<Record<string, number>>;
  #partly: Map<string, number> | undefined;
  #counts: Counts;
  /** Outbox documents of what was dropped, if anything was. */
  #dropped: Set<number> | undefined;

  constructor(base: Root) {
    this.base = base;
    this.holds = new HoldsDraft(base.holds);
    this.inputWatermark = base.inputWatermark;
    this.outputWatermark = base.outputWatermark;
    this.processingTime = base.processingTime;
    this.eventDue = base.eventDue;
    this.processingDue = base.processingDue;
    this.cells = base.cells;
    this.extra = base.extra;
    this.ids = base.ids;
    this.#parts = base.parts ?? NO_PARTS;
    this.#counts = base.counts ?? NO_COUNTS;
    this.#outside = base.outside;
    this.#outbox = base.outbox;
  }

  /** Whether an envelope's number was taken, by an earlier commit or in this bundle. */
  isTaken(sender: RootId, number: number): boolean {
    return isDone(this.#done ?? this.base.done, sender, number);
  }

  /** Takes one envelope's number into `done`. */
  take(sender: RootId, number: number): void {
    if ((this.#partly !== undefined || this.#parts !== NO_PARTS) && this.#takePart(`${sender} ${number}`)) return;
    this.#done ??= { ...this.base.done };
    this.#done[sender] = withRange(this.#done[sender] ?? [], number);
  }

  /** @returns whether more of the envelope is left */
  #takePart(name: string): boolean {
    const upTo = this.#partly?.get(name);
    if (upTo !== undefined) {
      this.#parts = { ...this.#parts, [name]: upTo };
      return true;
    }
    if (this.#parts[name] !== undefined) {
      const { [name]: _, ...others } = this.#parts;
      this.#parts = Object.keys(others).length === 0 ? NO_PARTS : others;
    }
    return false;
  }

  /** Of this envelope only so many elements are taken in this commit; its number is not done then. */
  takeOnly(sender: RootId, number: number, upTo: number): void {
    this.#partly ??= new Map();
    this.#partly.set(`${sender} ${number}`, upTo);
  }

  /** Adds what this commit counts. */
  count(counts: Counts): void {
    this.#counts = addCounts(this.#counts, counts);
  }

  /** Forgets a sender whose root a sweep's snapshot showed to be gone. */
  forget(sender: RootId): void {
    if (this.base.done[sender] === undefined) return;
    this.#done = without(this.#done ?? this.base.done, sender);
  }

  /** The number of a new outbox document. */
  nextDocument(): number {
    this.#outbox += 1;
    return this.#outbox;
  }

  /** The number that the next envelope for `target` gets; opens it with the document that will hold it. */
  give(target: ShardId, earliest: EpochMillis, document: number): number {
    this.#given ??= { ...this.base.given };
    this.#open ??= { ...this.base.open };
    const number = (this.#given[target] ?? 0) + 1;
    this.#given[target] = number;
    const born = this.processingTime;
    const range = { from: number, to: number, earliest, born, firstDocument: document, lastDocument: document };
    this.#open[target] = withOpen(this.#open[target] ?? [], range);
    return number;
  }

  /** Opens a document of messages for outside topics. */
  giveOutside(document: number): void {
    this.#outside = [...this.#outside, { document, born: this.processingTime }];
  }

  /** Drops a document of messages for outside topics that Pub/Sub has answered for. */
  published(document: number): void {
    if (!this.#outside.some((entry) => entry.document === document)) return;
    this.#outside = this.#outside.filter((entry) => entry.document !== document);
    this.#dropped ??= new Set();
    this.#dropped.add(document);
  }

  /** Drops the open ranges that `facts` cover, the last of them in part when they have more documents than may go now. */
  settle(facts: SettledFacts): void {
    for (const target in facts) {
      const open = (this.#open ?? this.base.open)[target];
      if (!open?.some((range) => covers(facts[target], range.from, range.to))) continue;
      const kept = open.flatMap((range) =>
        covers(facts[target], range.from, range.to) ? this.#withoutDocuments(range) : [range],
      );
      const all = this.#open ?? this.base.open;
      this.#open = kept.length === 0 ? without(all, target) : { ...all, [target]: kept };
    }
  }

  /** What is left of a settled range: nothing, or, where it was open for hours, the documents that are for later commits. */
  #withoutDocuments(range: OpenRange): OpenRange[] {
    this.#dropped ??= new Set();
    for (let document = range.firstDocument; document <= range.lastDocument; document++) {
      if (this.#dropped.size >= MAX_DELETES && !this.#dropped.has(document))
        return [{ ...range, firstDocument: document }];
      this.#dropped.add(document);
    }
    return [];
  }

  /** The outbox documents that nothing names any more; delete them in this commit. Call last. */
  documentsToDelete(): number[] {
    if (this.#dropped === undefined) return [];
    const documents: number[] = [];
    for (const document of this.#dropped) if (!this.#isNamed(document)) documents.push(document);
    return documents;
  }

  #isNamed(document: number): boolean {
    const open = this.#open ?? this.base.open;
    for (const target in open)
      for (const range of open[target]!)
        if (range.firstDocument <= document && document <= range.lastDocument) return true;
    return this.#outside.some((entry) => entry.document === document);
  }

  /** The next root. */
  finish(nonce: string, topology: number): Root {
    const { base } = this;
    const root: { -readonly [field in keyof Root]: Root[field] } = {
      id: base.id,
      topology,
      nonce,
      written: later(this.processingTime, base.written),
      given: this.#given ?? base.given,
      open: this.#open ?? base.open,
      outside: this.#outside,
      outbox: this.#outbox,
      done: this.#done ?? base.done,
      inputWatermark: this.inputWatermark,
      outputWatermark: this.outputWatermark,
      processingTime: this.processingTime,
      holds: this.holds.finish(),
      eventDue: this.eventDue,
      processingDue: this.processingDue,
      cells: this.cells,
    };
    if (this.#parts !== NO_PARTS) root.parts = this.#parts;
    if (this.#counts !== NO_COUNTS) root.counts = this.#counts;
    if (this.ids !== undefined) root.ids = this.ids;
    if (this.extra !== undefined) root.extra = this.extra;
    return root;
  }
}

/** The record but for one name. Made anew: V8 makes a slow table of an object that something is deleted from. */
function without<T>(record: Readonly<Record<string, T>>, name: string): Record<string, T> {
  const others: Record<string, T> = {};
  for (const each in record) if (each !== name) others[each] = record[each]!;
  return others;
}
