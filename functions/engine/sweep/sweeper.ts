/**
 * A sweep: reads every root at one instant, computes all watermarks, and tells everybody what they need to know. It is a
 * hint, not a clock: skipped, doubled and overlapping sweeps change lateness only.
 *
 * Invariant: what is used beside the snapshot (samples of backlogs, published source watermarks) was read before it.
 */
import { OutdatedError } from '../../model/errors.ts';
import { type EpochMillis, later, MIN_TIMESTAMP, type Millis } from '../../model/time.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Backlog } from '../../ports/backlog.ts';
import type { Bus, Tick } from '../../ports/bus.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store, Version } from '../../ports/store.ts';
import { isClosed, isFoldedRoot } from '../ingest/message-state.ts';
import type { SourceTiming } from '../ingest/source-watermark.ts';
import { splitWatermarks } from '../ingest/split-watermarks.ts';
import { readOrders } from '../control.ts';
import { PIPELINE_DOCUMENT, readPublished, toFields } from '../pipeline-document.ts';
import { isShardRoot, type RootId, sourceOf } from '../protocol/names.ts';
import type { Root, SettledFacts } from '../protocol/root.ts';
import { advance, computeWatermarks, NO_WATERMARKS, type Watermarks } from '../protocol/watermarks.ts';
import { drainedSources } from './drained-sources.ts';
import { closedOrder, closeRoots } from './end-reading.ts';
import { isPaused, REPUBLISH_AFTER, republish } from './republish.ts';
import { RETIRE_AFTER, Retirement, type Snapshot } from './retire.ts';
import { SettledWriter, settledFactsOf } from './settle.ts';
import { progressOfSources, takeSamples, watermarksOfMessages } from './sources.ts';
import { ticksFor } from './ticks.ts';
import { takenTo } from './under-way.ts';

export interface SweepSetting {
  readonly plan: Plan;
  readonly store: Store;
  readonly bus: Bus;
  readonly clock: Clock;
  /** Of sources of messages. Without it, only policies that need no sample move their watermarks. */
  readonly backlog?: Backlog;
  /**
   * The watermarks of sources that are read by position, from the snapshot, by whoever knows their splits. Default: the
   * earliest of the splits that have a root.
   */
  readonly sourceWatermarks?: (
    roots: ReadonlyMap<RootId, Root>,
    now: EpochMillis,
  ) => Readonly<Record<string, EpochMillis>>;
  readonly timing?: SourceTiming;
  /** What was not taken is sent again when it is so old, twice, four times as old …, up to once an hour. Default a minute. */
  readonly republishAfter?: Millis;
  /** The root of an ingest instance or replay that was not written for so long is retired. Default 10 minutes. */
  readonly retireAfter?: Millis;
  /** Whose watermarks are published. Default 1. */
  readonly epoch?: number;
  /** Of this instance: it sweeps no more once a newer one has written. Default: it looks at none. */
  readonly topology?: number;
}

export interface SweepResult {
  readonly watermarks: Watermarks;
  readonly roots: ReadonlyMap<RootId, Root>;
  /** What of each root's open ranges was taken. */
  readonly settled: ReadonlyMap<RootId, SettledFacts>;
  readonly ticks: readonly Tick[];
  readonly republished: number;
  readonly retired: readonly RootId[];
}

export class Sweeper {
  readonly #setting: SweepSetting;
  /** The sources of messages. */
  readonly #messages: ReadonlySet<string>;
  readonly #settledWriter = new SettledWriter();
  #known: Watermarks = NO_WATERMARKS;

  constructor(setting: SweepSetting) {
    this.#setting = setting;
    const messages = setting.plan.sources.filter(({ reader }) => reader === 'messages');
    this.#messages = new Set(messages.map(({ id }) => id));
  }

  /** The newest watermarks that this process knows to be published. */
  get watermarks(): Watermarks {
    return this.#known;
  }

  /** Takes up what other sweeps have published. @returns when the last one was */
  async learn(): Promise<EpochMillis> {
    const { watermarks, lastSweep } = await readPublished(this.#setting.store, this.#setting.epoch);
    this.#known = advance(this.#known, watermarks);
    return lastSweep;
  }

  /** @throws {OutdatedError} when a newer deployment has taken over */
  async sweep(): Promise<SweepResult> {
    const { plan, store, bus, clock, sourceWatermarks = splitWatermarks } = this.#setting;
    const { republishAfter = REPUBLISH_AFTER, retireAfter = RETIRE_AFTER, epoch = 1 } = this.#setting;
    const now = clock.now();
    const published = await readPublished(store, epoch);
    const orders = await readOrders(store);
    const { paused } = orders;
    const drain = await closedOrder(store, orders.drain, now);
    const samples = await takeSamples(plan, this.#setting.backlog);
    let snapshot = await this.#snapshot();
    if (drain?.closed && (await closeRoots(store, snapshot, this.#messages)) > 0) snapshot = await this.#snapshot();
    const { roots } = snapshot;
    const progress = progressOfSources(plan, roots, samples, now, this.#setting.timing);
    const messages = watermarksOfMessages(progress, published.watermarks.output);
    const sources = drainedSources(drain, { ...sourceWatermarks(roots, now), ...messages }, roots, now, this.#messages);
    const computed = computeWatermarks(plan.stages, roots, sources);
    // Known to others only once it is published; sweeps of one process may overlap.
    const known = advance(advance(this.#known, published.watermarks), computed);
    const horizons = Object.fromEntries([...progress].map(([source, { horizon }]) => [source, horizon]));
    const lastSweep = later(published.lastSweep, now);
    const taken = takenTo(plan, roots, now);
    await store.raise(PIPELINE_DOCUMENT, toFields(known, lastSweep, { horizons, taken }, published, epoch));
    this.#known = advance(this.#known, known);
    const settled = settledFactsOf(roots);
    const ticks = ticksFor(plan, roots, settled, known, now).filter(({ target }) => !isPaused(target, paused));
    if (ticks.length > 0) await bus.send(ticks);
    const republished = await republish(store, bus, roots, published.lastSweep, now, paused, republishAfter);
    const senders = this.#senders(roots);
    const counted = (root: RootId): EpochMillis => progress.get(sourceOf(root) ?? '')?.counted ?? MIN_TIMESTAMP;
    const readers = senders.filter((root) => !isClosed(root));
    await this.#settledWriter.write(store, readers, settled, counted, now, clock);
    const retired = await new Retirement(store, bus, snapshot, counted).retire(senders, now, retireAfter);
    return { watermarks: known, roots, settled, ticks, republished, retired };
  }

  async #snapshot(): Promise<Snapshot> {
    const roots = new Map<RootId, Root>();
    const versions = new Map<RootId, Version>();
    const { topology = Number.POSITIVE_INFINITY } = this.#setting;
    for (const { id, body, version } of await this.#setting.store.roots()) {
      const root = body as Root;
      if (root.topology > topology)
        throw new OutdatedError(
          `${id} was written by topology ${root.topology}; this sweep is of topology ${topology}`,
        );
      roots.set(id, root);
      versions.set(id, version);
    }
    return { roots, versions };
  }

  /** The roots of ingest instances and replays; not those of splits, which somebody takes over. */
  #senders(roots: ReadonlyMap<RootId, Root>): Root[] {
    return [...roots.values()].filter(({ id }) => {
      if (isShardRoot(id) || isFoldedRoot(id)) return false;
      const source = sourceOf(id);
      return source === undefined || this.#messages.has(source);
    });
  }
}
