/** Keeps a process at work on each split of each source, now and then two. */
import { splitState } from '../../../functions/engine/ingest/split-reader.ts';
import { ingestRootId, type RootId } from '../../../functions/engine/protocol/names.ts';
import type { Root } from '../../../functions/engine/protocol/root.ts';
import { type EpochMillis, earlier, MAX_TIMESTAMP, MIN_TIMESTAMP } from '../../../functions/model/time.ts';
import { type Findings, NOTHING_FOUND } from './findings.ts';
import type { Instance } from './instance.ts';
import { splitName } from './tokens.ts';
import { Random } from './random.ts';
import { readSplit } from './split-process.ts';
import type { Hosting } from './surroundings.ts';

/** How often it is seen to it that somebody reads, milliseconds. */
const WATCH_EVERY = 5_000;
const CALM_WATCH = 60_000;

export class SplitReaders {
  /** What the last sweep has found. */
  findings: () => Findings = () => NOTHING_FOUND;
  /** Whether nothing more is read. */
  isDrained: () => boolean = () => false;
  readonly #hosting: Hosting;
  readonly #readers = new Map<RootId, Instance>();
  readonly #started: Instance[] = [];
  #isOver = false;

  constructor(hosting: Hosting) {
    this.#hosting = hosting;
    const { seed, scheduler, scenario } = hosting.around;
    const random = new Random(seed, 'readers');
    for (const [number, source] of scenario.pipeline.sources.entries())
      if (source.kind === 'splits')
        for (let split = 0; split < source.splits; split++)
          scheduler.after(random.spread(1, 1_000), () => this.#watch(number, split));
  }

  /** The watermark of each source: the earliest of its splits', of which each is waited for. */
  watermarks(roots: ReadonlyMap<RootId, Root>): Record<string, EpochMillis> {
    const watermarks: Record<string, EpochMillis> = {};
    for (const source of this.#hosting.around.scenario.pipeline.sources) {
      if (source.kind !== 'splits') continue;
      let watermark: EpochMillis = MAX_TIMESTAMP;
      for (let split = 0; split < source.splits; split++) {
        const root = roots.get(ingestRootId(source.name, splitName(split)));
        watermark = earlier(watermark, root === undefined ? MIN_TIMESTAMP : splitState(root).watermark);
      }
      watermarks[source.name] = watermark;
    }
    return watermarks;
  }

  /** Nothing is read any more: the processes are over. */
  end(): void {
    this.#isOver = true;
    for (const instance of this.#started) instance.die('as its run is over');
  }

  #watch(source: number, split: number): boolean {
    if (this.#isOver) return false;
    const { around, plan } = this.#hosting;
    around.scheduler.after(around.faults.isOver ? CALM_WATCH : WATCH_EVERY, () => this.#watch(source, split));
    const id = ingestRootId(plan.sources[source]!.id, splitName(split));
    if (this.#readers.get(id)?.isAlive === true && !around.faults.happens('secondReader')) return false;
    this.#startReader(source, split, id);
    return true;
  }

  #startReader(number: number, split: number, id: RootId): void {
    const { around, plan, start, settingOf, breaks } = this.#hosting;
    const { seed, scheduler, scenario } = around;
    const source = plan.sources[number]!;
    const instance = start(`reader-${source.id}-${split}`);
    this.#readers.set(id, instance);
    this.#started.push(instance);
    void readSplit(instance, {
      plan,
      source,
      split: splitName(split),
      records: scenario.records.filter((record) => record.source === number && record.split === split),
      setting: settingOf(instance),
      bundle: scenario.world.readBundle,
      now: () => scheduler.now,
      findings: () => this.findings(),
      isDrained: () => this.isDrained(),
      random: new Random(seed, `what ${instance.name} reads`),
      broken: breaks,
    });
  }
}
