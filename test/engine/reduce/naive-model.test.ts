/**
 * The reduction beside an independent model of fixed windows: each window on its own, its elements as a list, the rules
 * written down as they are told (R2–R7), without holds, machines, timers or an encoding. The output watermark equals the
 * input watermark here, as it does for a key that stamps its panes with the end of the window.
 */
import { describe, expect, it } from 'vitest';
import { collect } from '../../../functions/model/combine.ts';
import { MAX_TIMESTAMP, MIN_TIMESTAMP, type Millis } from '../../../functions/model/time.ts';
import type { Trigger } from '../../../functions/model/triggers.ts';
import { Choices, randomSteps, take } from './scenarios.ts';
import { Stepper, strategyOf } from './stepping.ts';

const SIZE = 10;

interface Rules {
  /** Elements for an early pane; none without it. */
  readonly early: number | undefined;
  /** Elements for a late pane; without it the on-time pane is the last. */
  readonly late: number | undefined;
  readonly accumulating: boolean;
  readonly lateness: number;
  readonly emptyOnTime: boolean;
  readonly emptyLast: boolean;
}

class NaiveWindow {
  readonly #rules: Rules;
  readonly #end: number;
  readonly #emit: (pane: string) => void;
  #all: number[] = [];
  #fresh: number[] = [];
  #endHasFired = false;
  #nonEarlyEmitted = 0;
  #emitted = 0;
  isClosed = false;

  constructor(rules: Rules, start: number, emit: (pane: string) => void) {
    this.#rules = rules;
    this.#end = start + SIZE;
    this.#emit = (pane) => emit(`[${start}) ${pane}`);
  }

  add(values: readonly number[], watermark: number): void {
    this.#all.push(...values);
    this.#fresh.push(...values);
    const { early, late } = this.#rules;
    if (!this.#endHasFired && watermark >= this.#end) this.#fireEnd(watermark, watermark);
    else if (!this.#endHasFired && early !== undefined && this.#fresh.length >= early)
      this.#fire(watermark, watermark, false);
    else if (this.#endHasFired && late !== undefined && this.#fresh.length >= late)
      this.#fire(watermark, watermark, false);
  }

  /** @returns whether the window is over */
  advance(watermark: number, before: number): boolean {
    if (watermark >= this.#end + this.#rules.lateness) {
      if (!this.isClosed) this.#fire(watermark, before, true);
      return true;
    }
    if (!this.isClosed && !this.#endHasFired && watermark >= this.#end) this.#fireEnd(watermark, before);
    return false;
  }

  #fireEnd(watermark: number, outputWatermark: number): void {
    this.#endHasFired = true;
    this.isClosed = this.#rules.late === undefined;
    this.#fire(watermark, outputWatermark, this.isClosed);
  }

  #fire(watermark: number, outputWatermark: number, isLast: boolean): void {
    const isLate = this.#nonEarlyEmitted > 0 || outputWatermark >= this.#end;
    const timing = isLate ? 'LATE' : watermark < this.#end ? 'EARLY' : 'ON_TIME';
    const wanted =
      this.#fresh.length > 0 || (timing === 'ON_TIME' && this.#rules.emptyOnTime) || (isLast && this.#rules.emptyLast);
    if (wanted) {
      const nonSpeculative = timing === 'EARLY' ? -1 : this.#nonEarlyEmitted;
      const values = this.#rules.accumulating ? this.#all : this.#fresh;
      this.#emit(`${timing}#${this.#emitted}/${nonSpeculative}${isLast ? '*' : ''} ${values.join()}`);
      this.#emitted++;
      if (timing !== 'EARLY') this.#nonEarlyEmitted++;
    }
    this.#fresh = [];
  }
}

class NaiveModel {
  readonly #rules: Rules;
  readonly #windows = new Map<number, NaiveWindow>();
  #watermark: number = MIN_TIMESTAMP;
  readonly panes: string[] = [];
  late = 0;
  closed = 0;

  constructor(rules: Rules) {
    this.#rules = rules;
  }

  input(elements: readonly (readonly [number, number])[]): void {
    const groups = new Map<number, number[]>();
    for (const [value, time] of elements) {
      const start = Math.floor(time / SIZE) * SIZE;
      if (start + SIZE + this.#rules.lateness <= this.#watermark) this.late++;
      else if (this.#windows.get(start)?.isClosed) this.closed++;
      else groups.set(start, [...(groups.get(start) ?? []), value]);
    }
    for (const [start, values] of groups) {
      const window = this.#windows.get(start) ?? new NaiveWindow(this.#rules, start, (pane) => this.panes.push(pane));
      this.#windows.set(start, window);
      window.add(values, this.#watermark);
    }
  }

  watermark(time: number): void {
    for (const [start, window] of this.#windows) {
      if (window.advance(time, this.#watermark)) this.#windows.delete(start);
    }
    this.#watermark = time;
  }
}

function triggerOf({ early, late }: Rules): Trigger {
  return {
    kind: 'afterWatermark',
    ...(early === undefined ? {} : { early: { kind: 'afterCount', count: early } }),
    ...(late === undefined ? {} : { late: { kind: 'afterCount', count: late } }),
  };
}

describe('a naive model of fixed windows', () => {
  it('gives the same panes and the same drops', () => {
    for (let seed = 1; seed <= 1000; seed++) {
      const choices = new Choices(seed);
      const rules: Rules = {
        early: choices.of([undefined, 1, 2, 3]),
        late: choices.of([undefined, 1, 2]),
        accumulating: choices.chance(0.5),
        lateness: choices.of([0, 1, 5, 30]),
        emptyOnTime: choices.chance(0.5),
        emptyLast: choices.chance(0.5),
      };
      const model = new NaiveModel(rules);
      const stepper = new Stepper(
        strategyOf({
          windowFn: { kind: 'fixed', size: SIZE as Millis, offset: 0 as Millis },
          trigger: triggerOf(rules),
          accumulation: rules.accumulating ? 'accumulating' : 'discarding',
          allowedLateness: rules.lateness,
          onTime: rules.emptyOnTime ? 'always' : 'ifNonEmpty',
          closing: rules.emptyLast ? 'always' : 'ifNonEmpty',
        }),
        collect<number>(),
      );
      for (const step of [...randomSteps(choices), { kind: 'watermark', at: MAX_TIMESTAMP } as const]) {
        if (step.kind === 'input') model.input(step.elements);
        if (step.kind === 'watermark') model.watermark(step.at);
        const { inputWatermark } = stepper.context;
        stepper.context = { ...stepper.context, outputWatermark: inputWatermark };
        take(stepper, step);
      }
      const panes = stepper.panes.map(
        ({ window, pane, value }) =>
          `[${window.start}) ${pane.timing}#${pane.index}/${pane.nonSpeculativeIndex}${pane.isLast ? '*' : ''} ${value.join()}`,
      );
      expect(panes.sort(), `seed ${seed}`).toEqual(model.panes.sort());
      const closed = stepper.lates.filter(({ reason }) => reason === 'closed').length;
      expect([stepper.lates.length - closed, closed], `seed ${seed}`).toEqual([model.late, model.closed]);
    }
  });
});
