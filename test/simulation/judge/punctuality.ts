/**
 * Which elements were late already at their source. The sources' watermarks are computed here again, from the records and
 * from what was committed at which moment, and from nothing that the engine has computed.
 */
import { MAX_TIMESTAMP, MIN_TIMESTAMP } from '../../../functions/model/time.ts';
import { ingestRootId } from '../../../functions/engine/protocol/names.ts';
import type { MessageSourceSpec, RecordSpec, Scenario, SourceSpec } from '../scenario.ts';
import { splitName } from '../world/tokens.ts';

interface Split {
  readonly records: readonly RecordSpec[];
  readonly delay: number | undefined;
  readonly maxAhead: number;
  position: number;
  largest: number;
}

export class Punctuality {
  /** Whether every record is in time whatever happens: none is later than its source allows. */
  readonly allInTime: boolean;
  /** By token: how far the source's watermark may have been when the record was taken. */
  readonly #watermarks = new Map<string, number>();
  readonly #splits = new Map<string, Split>();
  /** By source: what was published, or will be, and was not yet taken. */
  readonly #waiting = new Map<string, Map<string, RecordSpec>>();
  readonly #scenario: Scenario;
  readonly #taken = new Set<string>();
  #isDrained = false;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    for (const [number, source] of scenario.pipeline.sources.entries()) {
      const records = scenario.records.filter((record) => record.source === number);
      if (source.kind === 'messages') this.#addMessages(source, records);
      else this.#addSplits(source, records);
    }
    // What is replayed comes when it comes.
    const isReplayed = scenario.faults.replayed !== undefined;
    this.allInTime =
      !isReplayed &&
      scenario.world.sourceAttempts === undefined &&
      [...this.#splits.values()].every(isAlwaysInTime) &&
      this.#lateMessages().length === 0;
  }

  /** Whether a root is that of a split. */
  isSplit(root: string): boolean {
    return this.#splits.has(root);
  }

  /** How far a split's watermark is by what was committed of it; of other roots nothing is known. */
  before(root: string): number {
    const split = this.#splits.get(root);
    return split === undefined ? MIN_TIMESTAMP : watermarkOf(split);
  }

  /** A split was committed up to a position. */
  committed(root: string, position: number): void {
    const split = this.#splits.get(root)!;
    const watermark = watermarkOf(split);
    for (const record of split.records.slice(split.position, position)) {
      this.#watermarks.set(record.id, watermark);
      if (record.flaw !== 'decode')
        split.largest = Math.max(split.largest, Math.min(record.at, record.arrival + split.maxAhead));
    }
    split.position = Math.max(split.position, position);
  }

  /** Whether a message's element is in time and was not taken yet. */
  isAwaited(source: string, token: string): boolean {
    const record = this.#waiting.get(source)?.get(token);
    return record !== undefined && record.at >= this.#watermarks.get(token)!;
  }

  /** A drain has ended the reading: what was not taken is waited for no longer. */
  drained(): void {
    this.#isDrained = true;
  }

  /** Whether a record was read, and committed with what it became. */
  wasRead({ id, source, split }: RecordSpec): boolean {
    const { kind, name } = this.#scenario.pipeline.sources[source]!;
    if (kind === 'messages') return this.#taken.has(id);
    const { records, position } = this.#splits.get(ingestRootId(name, splitName(split)))!;
    return records.findIndex((record) => record.id === id) < position;
  }

  /** A message was given up, and is waited for no longer; if it was taken, it may be late. */
  gaveUp(source: string, token: string): void {
    this.#waiting.get(source)?.delete(token);
    this.#watermarks.set(token, MAX_TIMESTAMP);
  }

  /** A message's element was taken. */
  taken(source: string, token: string): void {
    this.#taken.add(token);
    this.#waiting.get(source)?.delete(token);
  }

  /** The furthest that a source's watermark may be now; undefined when the name is no source's. */
  sourceWatermark(name: string): number | undefined {
    const source = this.#scenario.pipeline.sources.find((each) => each.name === name);
    if (source === undefined) return undefined;
    if (this.#isDrained) return MAX_TIMESTAMP;
    if (source.kind === 'messages') return this.#messagesWatermark(source);
    let watermark: number = MAX_TIMESTAMP;
    for (let split = 0; split < source.splits; split++) {
      const root = ingestRootId(name, splitName(split));
      const { position, records } = this.#splits.get(root)!;
      if (position < records.length) watermark = Math.min(watermark, this.before(root));
    }
    return watermark;
  }

  /** How far the source's watermark may have been when a record was taken; an element before that was late already there. */
  watermarkAt(token: string): number | undefined {
    return this.#watermarks.get(token);
  }

  #addSplits(source: Exclude<SourceSpec, MessageSourceSpec>, records: readonly RecordSpec[]): void {
    const { name, splits, delay, maxAhead } = source;
    for (let split = 0; split < splits; split++) {
      const own = records.filter((record) => record.split === split);
      const root = ingestRootId(name, splitName(split));
      this.#splits.set(root, { records: own, delay, maxAhead, position: 0, largest: MIN_TIMESTAMP });
    }
  }

  /** What is published before a message may count before it is taken, however long it waits; what comes later may not. */
  #addMessages({ name, delay, maxAhead, advancesWhenIdle }: MessageSourceSpec, records: readonly RecordSpec[]): void {
    const waiting = new Map<string, RecordSpec>();
    let largest: number = MIN_TIMESTAMP;
    for (const { record, published } of publicationsOf(records)) {
      const seen = advancesWhenIdle ? Math.max(largest, published) : largest;
      if (!this.#watermarks.has(record.id))
        this.#watermarks.set(record.id, seen === MIN_TIMESTAMP ? seen : seen - delay);
      if (record.flaw === 'decode') continue;
      waiting.set(record.id, record);
      largest = Math.max(largest, Math.min(record.at, published + maxAhead));
    }
    this.#waiting.set(name, waiting);
  }

  #messagesWatermark({ name }: MessageSourceSpec): number {
    let watermark: number = MAX_TIMESTAMP;
    for (const { id, at } of this.#waiting.get(name)!.values())
      if (this.isAwaited(name, id)) watermark = Math.min(watermark, at);
    return watermark;
  }

  #lateMessages(): RecordSpec[] {
    return [...this.#waiting.values()]
      .flatMap((waiting) => [...waiting.values()])
      .filter(({ id, at }) => at < this.#watermarks.get(id)!);
  }
}

function watermarkOf({ delay, largest }: Split): number {
  return delay === undefined || largest === MIN_TIMESTAMP ? MIN_TIMESTAMP : largest - delay;
}

/** Every time that a message is published, in order: what is too far ahead at first may be less so the second time. */
function publicationsOf(records: readonly RecordSpec[]): { readonly record: RecordSpec; readonly published: number }[] {
  return records
    .flatMap((record) =>
      [record.arrival, ...(record.publishedAgain === undefined ? [] : [record.publishedAgain])].map((published) => ({
        record,
        published,
      })),
    )
    .sort((a, b) => a.published - b.published);
}

function isAlwaysInTime({ records, delay, maxAhead }: Split): boolean {
  if (delay === undefined) return true;
  let largest = Number.NEGATIVE_INFINITY;
  return records.every(({ at, arrival, flaw }) => {
    if (flaw === 'decode') return true;
    if (at < largest - delay) return false;
    largest = Math.max(largest, Math.min(at, arrival + maxAhead));
    return true;
  });
}
