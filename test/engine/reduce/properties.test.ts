/** What holds of every strategy and every sequence of steps. A failure names its seed. */
import { describe, expect, it } from 'vitest';
import { collect } from '../../../functions/model/combine.ts';
import { MAX_TIMESTAMP, type Millis } from '../../../functions/model/time.ts';
import { assignWindows } from '../../../functions/model/windows.ts';
import { Choices, randomSteps, randomStrategy, randomWindowFn, type Step, take } from './scenarios.ts';
import { at, Stepper, strategyOf } from './stepping.ts';

const SEEDS = Array.from({ length: 400 }, (_, i) => i + 1);
const END: Step = { kind: 'watermark', at: MAX_TIMESTAMP };

const stepperOf = (seed: number): { stepper: Stepper<number, number[], number[]>; steps: Step[] } => {
  const choices = new Choices(seed);
  const stepper = new Stepper(randomStrategy(choices), collect<number>());
  return { stepper, steps: [...randomSteps(choices), END] };
};

describe('state that is written and read back after every step', () => {
  it('gives what state gives that is kept', () => {
    for (const seed of SEEDS) {
      const { stepper: kept, steps } = stepperOf(seed);
      const { stepper: stored } = stepperOf(seed);
      for (const step of steps) {
        take(kept, step);
        take(stored.readBack(), step);
        expect(stored.reduction.hold(), `seed ${seed}`).toBe(kept.reduction.hold());
        expect(stored.reduction.due(), `seed ${seed}`).toEqual(kept.reduction.due());
      }
      expect(stored.panes, `seed ${seed}`).toEqual(kept.panes);
      expect(stored.lates, `seed ${seed}`).toEqual(kept.lates);
    }
  });
});

describe('at the end of the input', () => {
  it('every element has had exactly one end in each of its windows, when discarding', () => {
    for (const seed of SEEDS) {
      const choices = new Choices(seed);
      const strategy = { ...randomStrategy(choices), accumulation: 'discarding' } as const;
      const stepper = new Stepper(strategy, collect<number>());
      const steps = randomSteps(choices);
      for (const step of [...steps, END]) take(stepper, step);
      const ends = [
        ...stepper.panes.flatMap(({ value }) => value),
        ...stepper.lates.map(({ input }) => input.value as number),
      ];
      const expected = steps.flatMap((step) =>
        step.kind !== 'input'
          ? []
          : step.elements.flatMap(([value, time]) => assignWindows(strategy.windowFn, at(time)).map(() => value)),
      );
      expect(sorted(ends), `seed ${seed}`).toEqual(sorted(expected));
    }
  });

  it('nothing is left', () => {
    for (const seed of SEEDS) {
      const { stepper, steps } = stepperOf(seed);
      for (const step of steps) take(stepper, step);
      expect(stepper.reduction.encode(), `seed ${seed}`).toBeUndefined();
      expect(stepper.reduction.hold(), `seed ${seed}`).toBeUndefined();
    }
  });
});

describe('panes of a window', () => {
  it('are counted, EARLY* ON_TIME? LATE*, and nothing comes after the last', () => {
    for (const seed of SEEDS) {
      const { stepper, steps } = stepperOf(seed);
      for (const step of steps) take(stepper, step);
      const kinds: Record<string, string> = {};
      for (const { window, pane } of stepper.panes) {
        const id = `${window.start}-${window.end}`;
        // A session may come back with the bounds of one that was closed or merged away: it counts anew.
        if (pane.isFirst) kinds[id] = '';
        expect(pane.index, `seed ${seed}`).toBe(kinds[id]?.length);
        kinds[id] += pane.timing[0]!.toLowerCase() + (pane.isLast ? '*' : '');
        expect(kinds[id], `seed ${seed}`).toMatch(/^e*\*?$|^e*o?l*\*?$/);
        if (pane.isLast) kinds[id] = 'closed';
      }
    }
  });

  it('are never behind the output watermark unless they are late', () => {
    for (const seed of SEEDS) {
      const { stepper, steps } = stepperOf(seed);
      for (const step of steps) {
        const { outputWatermark } = stepper.context;
        const before = stepper.panes.length;
        take(stepper, step);
        for (const { timestamp, pane } of stepper.panes.slice(before)) {
          if (pane.timing !== 'LATE') expect(timestamp, `seed ${seed}`).toBeGreaterThanOrEqual(outputWatermark);
        }
      }
    }
  });
});

describe('what is due', () => {
  it('is due not before, and exactly then', () => {
    for (const seed of SEEDS) {
      const { stepper, steps } = stepperOf(seed);
      for (const step of steps.slice(0, -1)) take(stepper, step);
      stepper.advance();
      const { event, processing } = stepper.reduction.due();
      const before = stepper.reduction.encode();
      const panes = stepper.panes.length;
      const { inputWatermark, processingTime } = stepper.context;
      expect(event > inputWatermark && processing > processingTime, `seed ${seed}`).toBe(true);
      stepper.watermark(event - 1).processingTime(processing - 1);
      expect([stepper.reduction.encode(), stepper.panes.length], `seed ${seed}`).toEqual([before, panes]);
      const byWatermark = seed % 2 === 0;
      if ((byWatermark ? event : processing) === MAX_TIMESTAMP) continue;
      if (byWatermark) stepper.watermark(event);
      else stepper.processingTime(processing);
      expect(stepper.reduction.encode() !== before || stepper.panes.length > panes, `seed ${seed}`).toBe(true);
    }
  });
});

describe('bundles split otherwise', () => {
  it('give the same accumulated result of each window', () => {
    for (const seed of SEEDS) {
      const choices = new Choices(seed);
      const windowFn = randomWindowFn(choices);
      const strategy = strategyOf({ windowFn, accumulation: 'accumulating', allowedLateness: 1000, closing: 'always' });
      const elements = Array.from({ length: 12 }, (_, value) => [value, choices.whole(-20, 60)] as const);
      const results = [1, 2, 5, 12].map((size) => {
        const stepper = new Stepper(strategy, collect<number>());
        for (let i = 0; i < elements.length; i += size) stepper.input(...elements.slice(i, i + size));
        return finalResults(stepper.watermark(30).watermark(MAX_TIMESTAMP));
      });
      for (const result of results) expect(result, `seed ${seed}`).toEqual(results[0]);
    }
  });

  it('give the same sessions, whatever the order', () => {
    for (const seed of SEEDS) {
      const choices = new Choices(seed);
      const strategy = strategyOf({ windowFn: { kind: 'sessions', gap: 7 as Millis, merged: false } });
      const elements = Array.from({ length: 10 }, (_, value) => [value, choices.whole(0, 60)] as const);
      const forth = new Stepper(strategy, collect<number>()).input(...elements);
      const back = new Stepper(strategy, collect<number>());
      for (const element of [...elements].reverse()) back.input(element);
      expect(finalResults(back.watermark(1000)), `seed ${seed}`).toEqual(finalResults(forth.watermark(1000)));
    }
  });
});

function finalResults({ panes }: Stepper<number, number[], number[]>): Record<string, number[]> {
  return Object.fromEntries(panes.map(({ window, value }) => [`${window.start}-${window.end}`, sorted(value)]));
}

function sorted(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b);
}
