/** The sweep as a function runs it: when the scheduler calls, and when busy instances do. */
import type { Sweeper, SweepResult } from '../../engine/sweep/sweeper.ts';
import { describeInstant } from '../../model/time.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Log } from './log.ts';

/** What a sweep has done, for the log and for whoever called. */
export interface SweepSummary {
  readonly roots: number;
  readonly ticks: number;
  readonly republished: number;
  readonly retired: number;
  /** The input watermark of each stage, readable. */
  readonly watermarks: Readonly<Record<string, string>>;
}

export interface Sweep {
  /** Takes up what other sweeps have published. */
  learn(): Promise<unknown>;
  run(): Promise<SweepSummary>;
}

export class SweepHost implements Sweep {
  readonly #plan: Plan;
  readonly #sweeper: Sweeper;
  readonly #log: Log;

  constructor(plan: Plan, sweeper: Sweeper, log: Log) {
    this.#plan = plan;
    this.#sweeper = sweeper;
    this.#log = log;
  }

  learn(): Promise<unknown> {
    return this.#sweeper.learn();
  }

  /** @param told is handed what the sweep found */
  async run(told?: (result: SweepResult) => void): Promise<SweepSummary> {
    const result = await this.#sweeper.sweep();
    told?.(result);
    const { roots, ticks, republished, retired, watermarks } = result;
    const described = this.#plan.stages.map(({ id }) => {
      const at = watermarks.input[id];
      return [id, at === undefined ? 'unknown' : describeInstant(at)] as const;
    });
    const summary = {
      roots: roots.size,
      ticks: ticks.length,
      republished,
      retired: retired.length,
      watermarks: Object.fromEntries(described),
    };
    this.#log.info('swept', { details: { sweep: summary } });
    return summary;
  }
}
