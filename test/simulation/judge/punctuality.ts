/**
 * Which elements were late already at their source. The source's watermark is computed here again, from the records and
 * from how far each split was committed at which moment, and from nothing that the engine has computed.
 */
import { MAX_TIMESTAMP, MIN_TIMESTAMP } from '../../../functions/model/time.ts';
import type { RecordSpec, Scenario } from '../scenario.ts';
import { ingestRootId } from '../../../functions/engine/protocol/names.ts';
import { splitName } from '../world/pipeline.ts';

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
  /** By token: the source's watermark before the commit that took the record. */
  readonly #watermarks = new Map<string, number>();
  readonly #splits = new Map<string, Split>();
  readonly #scenario: Scenario;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    for (const [source, { name, splits, delay, maxAhead }] of scenario.pipeline.sources.entries())
      for (let split = 0; split < splits; split++)
        this.#splits.set(ingestRootId(name, splitName(split)), {
          records: scenario.records.filter((record) => record.source === source && record.split === split),
          delay,
          maxAhead,
          position: 0,
          largest: MIN_TIMESTAMP,
        });
    this.allInTime = [...this.#splits.values()].every(isAlwaysInTime);
  }

  /** The watermark of a split as far as it is committed. */
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

  /** The watermark of a source; undefined when it is none. */
  sourceWatermark(name: string): number | undefined {
    const source = this.#scenario.pipeline.sources.find((each) => each.name === name);
    if (source === undefined) return undefined;
    let watermark: number = MAX_TIMESTAMP;
    for (let split = 0; split < source.splits; split++) {
      const { position, records } = this.#splits.get(ingestRootId(name, splitName(split)))!;
      if (position < records.length) watermark = Math.min(watermark, this.before(ingestRootId(name, splitName(split))));
    }
    return watermark;
  }

  /** The source's watermark when a record was taken, whatever its own time; an element before it was late already there. */
  watermarkAt(token: string): number | undefined {
    return this.#watermarks.get(token);
  }
}

function watermarkOf({ delay, largest }: Split): number {
  return delay === undefined || largest === MIN_TIMESTAMP ? MIN_TIMESTAMP : largest - delay;
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
