/**
 * Runs a pipeline over bounded input, from the first record to the last pane. When a source names its arrival times,
 * processing time follows them, so that early panes fire in a replay as they would have live.
 */
import type { ReadRecord } from '../engine/ingest/split-reader.ts';
import type { RawRecord } from '../engine/ingest/source-decoder.ts';
import { isTimeless } from '../model/graph.ts';
import type { Plan } from '../plan/plan.ts';
import { type EpochMillis, earlier, later, MAX_TIMESTAMP, MIN_TIMESTAMP, plus } from '../model/time.ts';
import type { Embedded } from './embedded.ts';
import { smallestDelay } from './trigger-delays.ts';
import type { Clock } from '../ports/clock.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** A source's records, in batches, in order of arrival. */
export type Input = AsyncIterable<readonly RawRecord[]>;

export interface RunOptions {
  readonly embedded: Embedded;
  /** The pipeline's clock: follows the arrivals of a replay, else `realTime`. */
  readonly clock: VirtualClock;
  /** The clock to follow when no source names its arrival times. */
  readonly realTime?: Clock;
  /** What the clock shows in a replay before anything has arrived that can be read: when it began. Default: nothing. */
  readonly startedAt?: EpochMillis;
  readonly inputs: ReadonlyMap<string, Input>;
  /** Records of one bundle, at most; the result is the same for any number. Default 2,000. */
  readonly bundle?: number;
  /** Called after each step with the number of records read so far. */
  readonly progress?: (records: number) => void;
}

const DEFAULT_BUNDLE = 2_000;
/** What the records of one bundle took where they were read, at most, in characters; one record may be larger. */
const MOST_READ = 8_000_000;
/** Records at the beginning of a source among which one is looked for that can be read. */
const MOST_LOOKED_AT = 50_000;
/** Processing-time timers fire at most so late, as by a sweep each minute. */
const SLACK = 60_000;
const LONGEST_STEP = 600_000;

/** @returns how many records were read. Whatever is thrown, the steps are torn down (catalogue L02). */
export async function run(options: RunOptions): Promise<number> {
  const { embedded } = options;
  try {
    await embedded.start();
    return await readAll(options);
  } finally {
    await embedded.stop();
  }
}

async function readAll(options: RunOptions): Promise<number> {
  const { embedded, clock, realTime, startedAt, inputs, progress, bundle = DEFAULT_BUNDLE } = options;
  const feeds = [...inputs].map(([source, input]) => new Feed(source, input, embedded));
  const timeless = new Set(embedded.plan.sources.filter(({ node }) => isTimeless(node)).map(({ id }) => id));
  const timed = feeds.filter(({ source }) => !timeless.has(source));
  if (realTime === undefined) clock.advanceTo((await firstArrival(timed)) ?? startedAt ?? clock.now());
  const step = stepLength(embedded.plan);
  let records = 0;
  for (;;) {
    if (realTime !== undefined) clock.advanceTo(realTime.now());
    const next = await earliestArrival(feeds);
    if (next === undefined) break;
    const due = embedded.nextProcessingDue();
    const timersFirst = realTime === undefined && plus(due, SLACK) < next;
    if (timersFirst) clock.advanceTo(due);
    await embedded.sweep();
    if (!timersFirst) {
      const until = later(next, earlier(plus(next, step), plus(due, SLACK)));
      records += await readStep(embedded, feeds, clock, until, bundle);
    }
    await embedded.deliver();
    progress?.(records);
  }
  for (const feed of feeds) if (!feed.committedEnd) await embedded.ingest(feed.source, [], true);
  await finish(embedded, clock);
  return records;
}

/** Commits what arrives up to `until`, at most a bundle a source. What makes too much for a commit is left for the next step. */
async function readStep(
  embedded: Embedded,
  feeds: readonly Feed[],
  clock: VirtualClock,
  until: EpochMillis,
  bundle: number,
): Promise<number> {
  let count = 0;
  const taken: { feed: Feed; records: ReadRecord[]; ended: boolean }[] = [];
  for (const feed of feeds) {
    if (feed.committedEnd) continue;
    const records = await feed.take(until, bundle);
    count += records.length;
    taken.push({ feed, records, ended: await feed.isAtEnd() });
    clock.advanceTo(latestArrival(records));
  }
  for (const { feed, records, ended } of taken) {
    const committed = records.length > 0 || ended ? await embedded.ingestSome(feed.source, records, ended) : 0;
    feed.giveBack(records.slice(committed));
    count -= records.length - committed;
    feed.committedEnd = ended && committed === records.length;
  }
  return count;
}

function latestArrival(records: readonly ReadRecord[]): EpochMillis {
  let latest: EpochMillis = MIN_TIMESTAMP;
  for (const record of records) if ('decoded' in record) latest = later(latest, record.decoded.arrival);
  return latest;
}

/** Brings every watermark to the end, and everything that waits out. */
async function finish(embedded: Embedded, clock: VirtualClock): Promise<void> {
  for (;;) {
    const { watermarks, ticks, roots } = await embedded.sweep();
    await embedded.deliver();
    const ended = embedded.plan.stages.every((stage) => watermarks.output[stage.id] === MAX_TIMESTAMP);
    const open = [...roots.values()].some((root) => Object.keys(root.open).length > 0);
    const due = embedded.nextProcessingDue();
    if (ended && !open && ticks.length === 0 && due === MAX_TIMESTAMP) break;
    for (const source of embedded.plan.sources) await embedded.settle(source.id);
    // What waits for time gets it: a lost envelope that is sent again, facts that wait for a commit, what is kept a while.
    clock.advanceTo(later(plus(clock.now(), SLACK), ended && !open && due < MAX_TIMESTAMP ? due : MIN_TIMESTAMP));
  }
  await embedded.flush();
  await embedded.deliver();
}

/** When the first record arrives that can be read: those before it that cannot fail then. */
async function firstArrival(feeds: readonly Feed[]): Promise<EpochMillis | undefined> {
  let first: EpochMillis | undefined;
  for (const feed of feeds) {
    const arrival = await feed.firstArrival();
    if (arrival !== undefined) first = earlier(first ?? arrival, arrival);
  }
  return first;
}

async function earliestArrival(feeds: readonly Feed[]): Promise<EpochMillis | undefined> {
  let earliest: EpochMillis | undefined;
  for (const feed of feeds) {
    const arrival = await feed.nextArrival();
    if (arrival !== undefined && (earliest === undefined || arrival < earliest)) earliest = arrival;
  }
  return earliest;
}

/** The smallest processing-time delay: what arrives within it is one bundle, so a pane fires at most that much later than live. */
function stepLength(plan: Plan): number {
  return Math.min(LONGEST_STEP, smallestDelay(plan.graph));
}

/** One source's records, looked at before they are taken. */
class Feed {
  readonly source: string;
  committedEnd = false;
  readonly #batches: AsyncIterator<readonly RawRecord[]>;
  readonly #embedded: Embedded;
  #batch: readonly RawRecord[] = [];
  #at = 0;
  /** Records that were taken and are to be taken again, the first of them last. */
  #back: ReadRecord[] = [];
  #next: ReadRecord | undefined;
  #last: EpochMillis | undefined;

  constructor(source: string, input: Input, embedded: Embedded) {
    this.source = source;
    this.#batches = input[Symbol.asyncIterator]();
    this.#embedded = embedded;
  }

  /** When the first of the next records arrives that can be read, of so many as are looked at; undefined: none can. */
  async firstArrival(): Promise<EpochMillis | undefined> {
    const unread: ReadRecord[] = [];
    let arrival: EpochMillis | undefined;
    while (arrival === undefined && unread.length < MOST_LOOKED_AT) {
      const record = await this.#peek();
      if (record === undefined) break;
      if ('decoded' in record) arrival = record.decoded.arrival;
      else {
        unread.push(record);
        this.#next = undefined;
      }
    }
    this.giveBack(unread);
    return arrival;
  }

  /** When the next record arrives; undefined at the end. */
  async nextArrival(): Promise<EpochMillis | undefined> {
    const record = await this.#peek();
    return record === undefined ? undefined : this.#arrivalOf(record);
  }

  async isAtEnd(): Promise<boolean> {
    return (await this.#peek()) === undefined;
  }

  async take(until: EpochMillis, most: number): Promise<ReadRecord[]> {
    const taken: ReadRecord[] = [];
    let characters = 0;
    while (taken.length < most && characters < MOST_READ) {
      const isRead = this.#back.length === 0 && this.#at < this.#batch.length;
      const record = this.#next ?? (isRead ? this.#decodeNext() : await this.#peek());
      if (record === undefined || this.#arrivalOf(record) > until) break;
      this.#last = this.#arrivalOf(record);
      this.#next = undefined;
      taken.push(record);
      characters += record.raw.characters ?? 0;
    }
    return taken;
  }

  /** Takes back records that were taken last, before which no other is to be taken. */
  giveBack(records: readonly ReadRecord[]): void {
    if (records.length === 0) return;
    if (this.#next !== undefined) this.#back.push(this.#next);
    this.#next = undefined;
    this.#back.push(...records.toReversed());
  }

  /** A record that cannot be read arrives with the one before it. */
  #arrivalOf(record: ReadRecord): EpochMillis {
    return 'decoded' in record ? record.decoded.arrival : (this.#last ?? record.raw.arrival);
  }

  async #peek(): Promise<ReadRecord | undefined> {
    this.#next ??= this.#back.pop();
    if (this.#next !== undefined) return this.#next;
    while (this.#at >= this.#batch.length) {
      const { value, done } = await this.#batches.next();
      if (done) return undefined;
      this.#batch = value;
      this.#at = 0;
    }
    return this.#decodeNext();
  }

  #decodeNext(): ReadRecord {
    const raw = this.#batch[this.#at++]!;
    try {
      this.#next = { raw, decoded: this.#embedded.decoder(this.source).decode(raw) };
    } catch (error) {
      this.#next = { raw, error };
    }
    return this.#next;
  }
}
