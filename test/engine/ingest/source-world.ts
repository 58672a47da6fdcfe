/**
 * A seeded world around one source: publishers, delivery that is late and repeated, ingest instances that come and go,
 * samples that are taken rarely and seen late, and sweeps that overlap. It knows the true time of everything, and says
 * which element is late at its source from that alone.
 */
import { mergedSlices, type PublishSlices, withPublications } from '../../../functions/engine/ingest/publish-slices.ts';
import { sourceProgress, type SourceTiming } from '../../../functions/engine/ingest/source-watermark.ts';
import { type Source, type WatermarkPolicy, pubSubSource } from '../../../functions/model/source.ts';
import { type EpochMillis, MIN_TIMESTAMP, type Millis } from '../../../functions/model/time.ts';
import type { BacklogSample } from '../../../functions/ports/backlog.ts';
import { seeded } from '../../model/seeded.ts';

interface Published {
  readonly id: number;
  /** By the world's clock. */
  readonly at: number;
  /** By the clock of who stamped it. */
  readonly publishTime: number;
  readonly eventTime: number;
  readonly late: boolean;
  /** When it is delivered next; undefined once it is acknowledged. */
  deliverAt: number | undefined;
  taken: boolean;
}

interface Instance {
  slices: PublishSlices;
  active: number;
}

export interface WorldOptions {
  readonly policy: WatermarkPolicy;
  /** What a wrong engine would do. */
  readonly mistake?: 'sampleAfterSnapshot' | 'noMargin' | 'idleOnAnyEmptySample';
  /** Events happen this long before they are published, in order; the delay of the policy does not cover it. */
  readonly steadyLag?: number;
}

export interface WorldResult {
  /** The first element that was not late at its source and not taken in when the watermark passed it. */
  readonly passed: string | undefined;
  /** How far the watermark stands behind the end of the world. */
  readonly behind: number;
  readonly published: number;
  readonly lateAtSource: number;
}

const TIMING: SourceTiming = { slice: 100 as Millis, idleAfter: 600 as Millis };
const STEP = 10;
const END = 40_000;
const QUIET_END = 6_000;

export function runWorld(seed: number, options: WorldOptions): WorldResult {
  const world = new World(seed, options);
  for (let now = 0; now < END; now += STEP) world.step(now, now < END - QUIET_END);
  return world.result();
}

class World {
  readonly #random: () => number;
  readonly #options: WorldOptions;
  readonly #source: Source;
  readonly #timing: SourceTiming;
  readonly #published: Published[] = [];
  readonly #instances: Instance[] = [];
  #folded: Instance = { slices: [], active: MIN_TIMESTAMP };
  readonly #samples: BacklogSample[] = [];
  readonly #pendingSweeps: { readonly at: number; readonly watermark: () => number }[] = [];
  #watermark: number = MIN_TIMESTAMP;
  #largest = Number.NEGATIVE_INFINITY;
  #lastPublished = Number.NEGATIVE_INFINITY;
  /** Until then the source was last idle, and so its time went on without messages. */
  #idleUntil = Number.NEGATIVE_INFINITY;
  #quietUntil = 0;
  #passed: string | undefined;
  /** Some worlds have long silences, some none, some are silent from the start. */
  readonly #silences: number;

  constructor(seed: number, options: WorldOptions) {
    this.#random = seeded(seed);
    this.#options = options;
    this.#source = pubSubSource('events', { schema: { parse: (x) => x }, watermark: options.policy });
    this.#timing = options.mistake === 'noMargin' ? { ...TIMING, slice: 0 as Millis } : TIMING;
    this.#silences = [0, 0.002, 0.01][seed % 3]!;
    // A source that lags is in full flow from the first moment.
    if (options.steadyLag !== undefined) this.#lastPublished = 0;
    else if (seed % 5 === 0) this.#quietUntil = 5_000;
    for (let i = 0; i < 3; i++) this.#instances.push({ slices: [], active: MIN_TIMESTAMP });
  }

  step(now: number, publishing: boolean): void {
    if (publishing) this.#publish(now);
    this.#deliver(now);
    if (this.#random() < 0.05) this.#sample(now);
    if (this.#random() < 0.05) this.#beginSweep(now);
    this.#finishSweeps(now);
    if (this.#random() < 0.01) this.#retire();
  }

  result(): WorldResult {
    return {
      passed: this.#passed,
      behind: END - this.#watermark,
      published: this.#published.length,
      lateAtSource: this.#published.filter(({ late }) => late).length,
    };
  }

  /** Bounded disorder, and now and then an element that is late. */
  #publish(now: number): void {
    if (now < this.#quietUntil) return;
    if (this.#random() < this.#silences) this.#quietUntil = now + 300 + Math.floor(this.#random() * 4_000);
    const { policy, steadyLag = 0 } = this.#options;
    const delay = policy.kind === 'boundedOutOfOrderness' ? policy.delay : 0;
    const stepsUntilNext = this.#random();
    // With a steady lag, no silence is long enough for the source to count as idle.
    if (steadyLag === 0 && stepsUntilNext < 0.6) return;
    const luck = this.#random();
    const wanted = luck < 0.03 ? now - delay * 3 : now - Math.floor(this.#random() * delay);
    // A fifth comes exactly as late as it may.
    const eventTime = luck > 0.8 && this.#largest > 0 ? this.#largest - delay : wanted - steadyLag;
    const silence = now - this.#lastPublished;
    const idle = silence + TIMING.slice >= TIMING.idleAfter;
    if (idle) this.#idleUntil = now;
    const late = eventTime < Math.max(this.#largest, this.#idleUntil) - delay;
    const skew = Math.floor((this.#random() - 0.5) * TIMING.slice);
    this.#published.push({
      id: this.#published.length,
      at: now,
      publishTime: now + skew,
      eventTime,
      late,
      deliverAt: now + this.#deliveryDelay(),
      taken: false,
    });
    this.#lastPublished = now;
    this.#largest = Math.max(this.#largest, eventTime);
  }

  #deliveryDelay(): number {
    const luck = this.#random();
    // A source that lags is taken in at once, so that samples of zero are common.
    if (this.#options.steadyLag !== undefined) return luck < 0.99 ? 0 : 30;
    return Math.floor(luck < 0.9 ? this.#random() * 50 : luck < 0.99 ? this.#random() * 1_000 : this.#random() * 4_000);
  }

  /** An instance takes what is due in one commit; the answer may be lost, and then it comes again. */
  #deliver(now: number): void {
    const due = this.#published.filter(({ deliverAt }) => deliverAt !== undefined && deliverAt <= now);
    if (due.length === 0) return;
    const instance = this.#instances[Math.floor(this.#random() * this.#instances.length)]!;
    const publications = due.map(({ publishTime, eventTime }) => ({
      publishTime: publishTime as EpochMillis,
      advances: eventTime as EpochMillis,
    }));
    instance.slices = withPublications(instance.slices, publications, TIMING.slice);
    instance.active = now;
    for (const message of due) {
      message.taken = true;
      message.deliverAt = this.#random() < 0.02 ? now + 100 : undefined;
    }
  }

  #sample(now: number): void {
    const unacked = this.#published.filter(({ at, deliverAt }) => at <= now && deliverAt !== undefined);
    const sampledAt = now + Math.floor((this.#random() - 0.5) * TIMING.slice);
    const oldest = Math.min(sampledAt, ...unacked.map(({ publishTime }) => publishTime));
    this.#samples.push({
      sampledAt: sampledAt as EpochMillis,
      oldestUnackedAge: (sampledAt - oldest) as Millis,
      undelivered: unacked.length,
    });
  }

  /** Samples are seen up to 600 late; the snapshot is taken now, its result is published later. */
  #beginSweep(now: number): void {
    const late = Math.floor(this.#random() * 600);
    const visible = this.#samples.filter(({ sampledAt }) => sampledAt + late <= now);
    const snapshot = this.#snapshot();
    const inTime = this.#compute(snapshot, visible.at(-1), now);
    const wrong = this.#options.mistake === 'sampleAfterSnapshot';
    const watermark = wrong ? () => this.#compute(snapshot, this.#samples.at(-1), now) : () => inTime;
    this.#pendingSweeps.push({ at: now + Math.floor(this.#random() * 400), watermark });
  }

  #snapshot(): Instance {
    const all = [this.#folded, ...this.#instances];
    return {
      slices: mergedSlices(all.map(({ slices }) => slices)),
      active: Math.max(...all.map(({ active }) => active)),
    };
  }

  #compute({ slices, active }: Instance, sample: BacklogSample | undefined, now: number): number {
    const seenActive = this.#options.mistake === 'idleOnAnyEmptySample' ? MIN_TIMESTAMP : (active as EpochMillis);
    return sourceProgress(this.#source, { slices, active: seenActive }, sample, now as EpochMillis, this.#timing)
      .watermark;
  }

  /** A watermark is published: nothing may be behind it that is not late and not taken in. */
  #finishSweeps(now: number): void {
    for (const sweep of this.#pendingSweeps.splice(0)) {
      if (sweep.at > now) {
        this.#pendingSweeps.push(sweep);
        continue;
      }
      this.#watermark = Math.max(this.#watermark, sweep.watermark());
    }
    const wronged = this.#published.find(
      ({ taken, late, eventTime }) => !taken && !late && eventTime < this.#watermark,
    );
    if (wronged !== undefined)
      this.#passed ??= `at ${now} the watermark ${this.#watermark} passed ${wronged.eventTime}, published at ${wronged.at}`;
  }

  /** An instance ends; what it knew is kept elsewhere. */
  #retire(): void {
    const at = Math.floor(this.#random() * this.#instances.length);
    const { slices, active } = this.#instances[at]!;
    this.#folded = {
      slices: mergedSlices([this.#folded.slices, slices]),
      active: Math.max(this.#folded.active, active),
    };
    this.#instances[at] = { slices: [], active: MIN_TIMESTAMP };
  }
}
