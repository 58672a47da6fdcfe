/**
 * A sweep: reads every root at one instant, computes all watermarks, and tells shards what they need to know. It is a
 * hint, not a clock: skipped, doubled and overlapping sweeps change lateness only.
 */
import { type EpochMillis, later, MAX_TIMESTAMP, MIN_TIMESTAMP } from '../model/time.ts';
import type { Plan } from '../plan/plan.ts';
import type { Bus, Envelope, Tick } from '../ports/bus.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import { PIPELINE_DOCUMENT, readPublished, toFields } from './pipeline-document.ts';
import { isShardRoot, outboxId, type RootId, shardId } from './protocol/names.ts';
import type { OutboxBody } from './protocol/outbox.ts';
import { contains, covers } from './protocol/ranges.ts';
import { hasDueTimers, type OpenRange, type Root, type SettledFacts } from './protocol/root.ts';
import { advance, computeWatermarks, NO_WATERMARKS, type Watermarks } from './protocol/watermarks.ts';

export interface SweepSetting {
  readonly plan: Plan;
  readonly store: Store;
  readonly bus: Bus;
  readonly clock: Clock;
  /** The watermark of each source, from the snapshot. */
  readonly sourceWatermarks: (
    roots: ReadonlyMap<RootId, Root>,
    now: EpochMillis,
  ) => Readonly<Record<string, EpochMillis>>;
}

export interface SweepResult {
  readonly watermarks: Watermarks;
  readonly roots: ReadonlyMap<RootId, Root>;
  /** What ingest roots may drop. */
  readonly settled: ReadonlyMap<RootId, SettledFacts>;
  readonly ticks: readonly Tick[];
  readonly republished: number;
}

/** Envelopes sent again by one sweep to one target. */
const MAX_REPUBLISHED = 1_000;
const MINUTE = 60_000;
const LONGEST_BACKOFF = 60 * MINUTE;

export class Sweeper {
  readonly #setting: SweepSetting;
  #known: Watermarks = NO_WATERMARKS;
  #lastSweep: EpochMillis = MIN_TIMESTAMP;
  #started = false;

  constructor(setting: SweepSetting) {
    this.#setting = setting;
  }

  /** The newest watermarks that this process knows to be published. */
  get watermarks(): Watermarks {
    return this.#known;
  }

  /** Takes up what other sweeps have published. @returns when the last one was */
  async learn(): Promise<EpochMillis> {
    const { watermarks, lastSweep } = await readPublished(this.#setting.store);
    this.#known = advance(this.#known, watermarks);
    this.#lastSweep = later(this.#lastSweep, lastSweep);
    this.#started = true;
    return this.#lastSweep;
  }

  async sweep(): Promise<SweepResult> {
    const { plan, store, bus, clock, sourceWatermarks } = this.#setting;
    const now = clock.now();
    if (!this.#started) await this.learn();
    const lastSweep = this.#lastSweep;
    const documents = await store.roots();
    const roots = new Map(documents.map(({ id, body }) => [id, body as Root]));
    const computed = computeWatermarks(plan.stages, roots, sourceWatermarks(roots, now));
    this.#known = advance(this.#known, computed);
    this.#lastSweep = later(this.#lastSweep, now);
    await store.raise(PIPELINE_DOCUMENT, toFields(this.#known, this.#lastSweep));
    const settled = new Map<RootId, SettledFacts>();
    for (const root of roots.values()) {
      const facts = settledFacts(root, roots);
      if (facts !== undefined) settled.set(root.id, facts);
    }
    const ticks = this.#ticks(roots, settled, now);
    if (ticks.length > 0) await bus.send(ticks);
    const republished = await this.#republish(roots, lastSweep, now);
    return { watermarks: this.#known, roots, settled, ticks, republished };
  }

  /** A tick for each shard that has something due, something to drop, or an unknown watermark to learn. */
  #ticks(roots: ReadonlyMap<RootId, Root>, settled: ReadonlyMap<RootId, SettledFacts>, now: EpochMillis): Tick[] {
    const ticks: Tick[] = [];
    for (const stage of this.#setting.plan.stages) {
      const inputWatermark = this.#known.input[stage.id] ?? MIN_TIMESTAMP;
      const outputWatermark = this.#known.output[stage.id] ?? MIN_TIMESTAMP;
      for (let shard = 0; shard < stage.shards; shard++) {
        const target = shardId(stage.id, shard);
        const root = roots.get(target);
        if (root === undefined) continue;
        const facts = settled.get(target);
        const gone = Object.keys(root.done).filter((sender) => !roots.has(sender) && !isShardRoot(sender));
        const due = hasDueTimers(root, inputWatermark, later(now, root.processingTime));
        if (!due && facts === undefined && gone.length === 0) continue;
        ticks.push({
          kind: 'tick',
          target,
          inputWatermark,
          outputWatermark,
          processingTime: now,
          settled: facts ?? {},
          gone,
        });
      }
    }
    return ticks;
  }

  /** Sends again, from the outbox, what was given a number and not taken for a while. */
  async #republish(roots: ReadonlyMap<RootId, Root>, lastSweep: EpochMillis, now: EpochMillis): Promise<number> {
    const { bus } = this.#setting;
    const sent = new Map<RootId, number>();
    for (const root of roots.values()) {
      for (const target in root.open) {
        const done = roots.get(target)?.done[root.id];
        for (const range of root.open[target]!) {
          if (covers(done, range.from, range.to) || !isDueAgain(range.born, lastSweep, now)) continue;
          const room = MAX_REPUBLISHED - (sent.get(target) ?? 0);
          const envelopes = (await this.#envelopes(root.id, target, range))
            .filter((envelope) => !contains(done, envelope.number))
            .slice(0, room);
          if (envelopes.length === 0) continue;
          sent.set(target, (sent.get(target) ?? 0) + envelopes.length);
          await bus.send(envelopes);
        }
      }
      for (const { document, born } of root.outside) {
        if (!isDueAgain(born, lastSweep, now)) continue;
        const [stored] = await this.#setting.store.get('outbox', [outboxId(root.id, document)]);
        if (stored !== undefined) await bus.publish((stored.body as OutboxBody).outside);
      }
    }
    return [...sent.values()].reduce((sum, count) => sum + count, 0);
  }

  async #envelopes(root: RootId, target: RootId, range: OpenRange): Promise<Envelope[]> {
    const ids: string[] = [];
    for (let document = range.firstDocument; document <= range.lastDocument; document++)
      ids.push(outboxId(root, document));
    const documents = await this.#setting.store.get('outbox', ids);
    return documents
      .flatMap((document) => (document === undefined ? [] : (document.body as OutboxBody).envelopes))
      .filter((envelope) => envelope.target === target && envelope.number >= range.from && envelope.number <= range.to);
  }
}

/** What of a root's open ranges the targets' `done` cover, or undefined when nothing. */
function settledFacts(root: Root, roots: ReadonlyMap<RootId, Root>): SettledFacts | undefined {
  let facts: Record<RootId, (readonly [number, number])[]> | undefined;
  for (const target in root.open) {
    const done = roots.get(target)?.done[root.id];
    for (const { from, to } of root.open[target]!) {
      if (!covers(done, from, to)) continue;
      facts ??= {};
      facts[target] ??= [];
      facts[target].push([from, to]);
    }
  }
  return facts;
}

/**
 * Whether a range is to be sent again: when it is 1, 2, 4 … 60 minutes older than at the time before. What decides is
 * whether such a moment lies between the sweep before and this one, so that a skipped sweep skips nothing.
 */
export function isDueAgain(born: EpochMillis, lastSweep: EpochMillis, now: EpochMillis): boolean {
  let at = born;
  for (let wait = MINUTE; at <= now && at < MAX_TIMESTAMP; wait = Math.min(2 * wait, LONGEST_BACKOFF)) {
    at = (at + wait) as EpochMillis;
    if (at > lastSweep && at <= now) return true;
    if (wait === LONGEST_BACKOFF) {
      const rounds = Math.floor((now - at) / LONGEST_BACKOFF);
      return rounds >= 0 && at + rounds * LONGEST_BACKOFF > lastSweep;
    }
  }
  return false;
}
