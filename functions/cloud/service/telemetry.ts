/**
 * Writes the log lines from which metrics, alerts and dashboard are drawn (`plan/telemetry.ts`). Invariant: what was done
 * is said once; a figure that is not known is left out, never said as zero.
 */
import type { DeadLetter } from '../../engine/dead-letter.ts';
import { enrichState } from '../../engine/enrich/enrich-state.ts';
import { isShardRoot, parseShardId, shardId } from '../../engine/protocol/names.ts';
import { covers } from '../../engine/protocol/ranges.ts';
import type { SweepResult } from '../../engine/sweep/sweeper.ts';
import { type BundleCounts, noCounts } from '../../engine/shard/work.ts';
import { type EpochMillis, MAX_TIMESTAMP, MIN_TIMESTAMP } from '../../model/time.ts';
import type { Plan, Stage } from '../../plan/plan.ts';
import type { EVENTS } from '../../plan/telemetry.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from './log.ts';

/** Between two lines of counts. */
const EVERY = 60_000;
const SECOND = 1_000;

type SweepFacts = Pick<SweepResult, 'roots' | 'watermarks' | 'republished'>;

export class Telemetry {
  readonly #plan: Plan;
  readonly #log: Log;
  readonly #clock: Pick<Clock, 'now'>;
  #counts = new Map<string, BundleCounts>();
  #written: EpochMillis = MIN_TIMESTAMP;
  /** By stage, what its counters said at the sweep before. */
  readonly #calls = new Map<string, { readonly calls: number; readonly throttled: number }>();

  constructor(plan: Plan, log: Log, clock: Pick<Clock, 'now'>) {
    this.#plan = plan;
    this.#log = log;
    this.#clock = clock;
  }

  /** Takes note of a bundle, but for its dead letters: of those not all come of bundles. */
  counted(stage: string, bundle: BundleCounts): void {
    const total = this.#counts.get(stage) ?? noCounts();
    this.#counts.set(stage, total);
    total.elements += bundle.elements;
    total.late += bundle.late;
    for (const timing of ['EARLY', 'ON_TIME', 'LATE'] as const) total.panes[timing] += bundle.panes[timing];
    if (this.#clock.now() - this.#written >= EVERY) this.flush();
  }

  /** Takes note of dead letters, whoever wrote them, and says them at once, for somebody waits to know. */
  deadLettered(letters: readonly DeadLetter[]): void {
    const failed = letters.filter(({ kind }) => kind !== 'late');
    for (const { stage, count } of failed) {
      const total = this.#counts.get(stage) ?? noCounts();
      this.#counts.set(stage, total);
      total.deadLetters += count;
    }
    if (failed.length > 0) this.flush();
  }

  /** Says what was counted since the line before. */
  flush(): void {
    const counts = this.#counts;
    this.#counts = new Map();
    this.#written = this.#clock.now();
    for (const [stage, { elements, panes, late, deadLetters }] of counts)
      this.#say('counts', stage, {
        elements,
        panesEarly: panes.EARLY,
        panesOnTime: panes.ON_TIME,
        panesLate: panes.LATE,
        late,
        deadLetters,
      });
  }

  /** Says how everything stands after a sweep that Cloud Scheduler started. */
  swept({ roots, watermarks, republished }: SweepFacts): void {
    const now = this.#clock.now();
    this.#log.info('sweep', {
      details: { event: 'sweep' satisfies keyof typeof EVENTS, roots: roots.size, republished },
    });
    for (const stage of this.#plan.stages) {
      const output = watermarks.output[stage.id] ?? MIN_TIMESTAMP;
      // At the ends of time there is no lag: nothing has come yet, or nothing comes any more.
      const lag =
        output === MIN_TIMESTAMP || output === MAX_TIMESTAMP ? {} : { watermarkLagSeconds: seconds(now - output) };
      const oldest = oldestOpen(stage, roots);
      const open = oldest === undefined ? 0 : seconds(now - oldest);
      this.#say('stage', stage.id, { ...lag, oldestOpenSeconds: open });
      if (stage.head.kind === 'enrich') this.#calledModel(stage, roots);
    }
  }

  /** Counters run since the pipeline began; what is said is the difference to the sweep before. */
  #calledModel({ id, shards }: Stage, roots: SweepFacts['roots']): void {
    let calls = 0;
    let throttled = 0;
    for (let shard = 0; shard < shards; shard++) {
      const root = roots.get(shardId(id, shard));
      if (root === undefined) continue;
      const { counters } = enrichState(root);
      calls += counters.calls;
      throttled += counters.throttled;
    }
    const before = this.#calls.get(id);
    this.#calls.set(id, { calls, throttled });
    if (before === undefined || calls === before.calls) return;
    this.#say('model', id, { calls: calls - before.calls, throttled: throttled - before.throttled });
  }

  #say(event: keyof typeof EVENTS, stage: string, figures: Readonly<Record<string, number>>): void {
    this.#log.info(event, { stage, details: { event, ...figures } });
  }
}

/** When the oldest envelope to a stage was sent that its shards have not taken. */
function oldestOpen(stage: Stage, roots: SweepFacts['roots']): EpochMillis | undefined {
  let oldest: EpochMillis | undefined;
  for (const sender of roots.values())
    for (const [target, ranges] of Object.entries(sender.open)) {
      if (!isShardRoot(target) || parseShardId(target).stage !== stage.id) continue;
      const done = roots.get(target)?.done[sender.id];
      for (const { from, to, born } of ranges)
        if (!covers(done, from, to) && (oldest === undefined || born < oldest)) oldest = born;
    }
  return oldest;
}

/** Never below zero: clocks differ. */
function seconds(millis: number): number {
  return Math.max(0, Math.round(millis / SECOND));
}
