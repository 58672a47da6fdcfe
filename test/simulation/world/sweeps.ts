/** Sweeps: now and then, skipped, doubled, overlapping, by instances that stay and by new ones. */
import { Sweeper } from '../../../functions/engine/sweep/sweeper.ts';
import { RetryableError } from '../../../functions/model/errors.ts';
import type { Millis } from '../../../functions/model/time.ts';
import { type Findings, NOTHING_FOUND } from './findings.ts';
import type { Instance } from './instance.ts';
import { Random } from './random.ts';
import type { SplitReaders } from './split-readers.ts';
import type { Hosting } from './surroundings.ts';
import type { Topic } from './topic.ts';

/**
 * When nothing goes wrong any more, and nothing was committed since the last sweep, there is not much to wait for but time:
 * then sweeps come ever more rarely, until something is.
 */
const CALM_SWEEP = 20_000;
const RARER = 3;
const RAREST_SWEEP = 1_800_000;
/** A monitoring service takes its time. */
const SAMPLE_CALL = 1_000;

export interface SweepOptions extends Hosting {
  readonly backlogs: ReadonlyMap<string, Topic>;
  readonly readers: SplitReaders;
  /** How many commits there were. */
  readonly commits: () => number;
}

export class Sweeps {
  /** What the last one has found. */
  findings: Findings = NOTHING_FOUND;
  isCalm = false;
  #isOver = false;
  #calm = CALM_SWEEP;
  /** When the last sweep began. */
  #commits = 0;
  readonly #options: SweepOptions;
  readonly #random: Random;
  #current: { readonly instance: Instance; readonly sweeper: Sweeper } | undefined;

  constructor(options: SweepOptions) {
    this.#options = options;
    this.#random = new Random(options.around.seed, 'sweeps');
    options.around.scheduler.after(1, () => this.#sweepAndGoOn());
  }

  /** No other begins. */
  end(): void {
    this.#isOver = true;
  }

  #sweepAndGoOn(): boolean {
    if (this.#isOver) return false;
    const { scheduler, faults, scenario } = this.#options.around;
    const commits = this.#options.commits();
    this.#calm = commits > this.#commits ? CALM_SWEEP : Math.min(RAREST_SWEEP, this.#calm * RARER);
    this.#commits = commits;
    const every = this.isCalm ? this.#calm : scenario.world.sweepEvery;
    scheduler.after(this.#random.spread(every / 2, every * 2), () => this.#sweepAndGoOn());
    if (faults.happens('sweepSkipped')) return false;
    this.#sweep();
    if (faults.happens('sweepDoubled')) this.#sweep();
    return true;
  }

  #sweep(): void {
    const { around, breaks } = this.#options;
    if (this.#current?.instance.isAlive !== true || around.faults.happens('sweepFresh')) this.#current = this.#begin();
    this.#current.sweeper.sweep().then(
      (findings) => {
        this.findings = findings;
      },
      (error: unknown) => {
        if (!(error instanceof RetryableError)) breaks(error);
      },
    );
  }

  #begin(): { readonly instance: Instance; readonly sweeper: Sweeper } {
    const { around, plan, start, settingOf, backlogs, readers } = this.#options;
    const { slice, retireAfter, republishAfter } = around.scenario.world;
    const instance = start('sweep');
    const { store, bus, clock, epoch } = settingOf(instance);
    const sweeper = new Sweeper({
      plan,
      store,
      bus,
      clock,
      backlog: {
        sample: (source) => instance.call('sample', SAMPLE_CALL, async () => backlogs.get(source)!.sample()),
      },
      timing: { slice: slice as Millis, idleAfter: (6 * slice) as Millis },
      ...(epoch === undefined ? {} : { epoch }),
      retireAfter: retireAfter as Millis,
      republishAfter: republishAfter as Millis,
      sourceWatermarks: (roots) => readers.watermarks(roots),
    });
    return { instance, sweeper };
  }
}
