/** Random strategies and steps, for properties that hold of all of them. The same seed gives the same scenario. */
import type { Millis } from '../../../functions/model/time.ts';
import type { Trigger } from '../../../functions/model/triggers.ts';
import type { WindowingStrategy } from '../../../functions/model/windowing.ts';
import {
  fixedWindows,
  globalWindow,
  sessions,
  slidingWindows,
  type WindowFn,
} from '../../../functions/model/windows.ts';
import { seeded } from '../../model/seeded.ts';
import type { Stepper } from './stepping.ts';

export type Step =
  | { readonly kind: 'input'; readonly elements: readonly (readonly [value: number, timestamp: number])[] }
  | { readonly kind: 'watermark' | 'processingTime'; readonly at: number };

/** Choices that follow from a seed. */
export class Choices {
  readonly #random: () => number;
  constructor(seed: number) {
    this.#random = seeded(seed);
  }
  whole(from: number, to: number): number {
    return from + Math.floor(this.#random() * (to - from + 1));
  }
  chance(probability: number): boolean {
    return this.#random() < probability;
  }
  of<T>(options: readonly [T, ...T[]]): T {
    return options[this.whole(0, options.length - 1)]!;
  }
}

export function randomWindowFn(choices: Choices): WindowFn {
  return choices.of([
    () => fixedWindows(choices.whole(5, 20), { offset: choices.whole(0, 4) }),
    () => slidingWindows(choices.whole(4, 12), { every: choices.whole(2, 8) }),
    () => sessions(choices.whole(3, 12)),
    () => globalWindow(),
  ])();
}

/** Any trigger, safe or not. */
export function randomTrigger(choices: Choices, depth = 2): Trigger {
  const part = (): Trigger => randomTrigger(choices, depth - 1);
  const leaf = choices.of<() => Trigger>([
    () => ({ kind: 'afterCount', count: choices.whole(1, 4) }),
    () => ({ kind: 'afterProcessingTime', delay: choices.whole(0, 20) as Millis }),
    () => ({ kind: 'afterWatermark' }),
    () => ({ kind: 'default' }),
    () => ({ kind: 'never' }),
  ]);
  if (depth === 0) return leaf();
  return choices.of<() => Trigger>([
    leaf,
    () => ({ kind: 'repeatedly', trigger: part() }),
    () => ({ kind: 'afterWatermark', early: part(), late: part() }),
    () => ({ kind: 'afterFirst', triggers: [part(), part()] }),
    () => ({ kind: 'afterAll', triggers: [part(), part()] }),
    () => ({ kind: 'afterEach', triggers: [part(), part()] }),
    () => ({ kind: 'orFinally', trigger: part(), until: part() }),
  ])();
}

export function randomStrategy(choices: Choices): WindowingStrategy {
  return {
    windowFn: randomWindowFn(choices),
    trigger: randomTrigger(choices),
    accumulation: choices.of(['accumulating', 'discarding']),
    allowedLateness: choices.of([0, choices.whole(1, 40), 1000]) as Millis,
    timestampCombiner: choices.of(['endOfWindow', 'earliest', 'latest']),
    closing: choices.of(['ifNonEmpty', 'always']),
    onTime: choices.of(['always', 'ifNonEmpty']),
  };
}

/** Elements around a watermark that moves on; each value occurs once. */
export function randomSteps(choices: Choices): Step[] {
  const steps: Step[] = [];
  let watermark = -10;
  let now = -10;
  let value = 0;
  for (let i = choices.whole(4, 16); i > 0; i--) {
    const kind = choices.of(['input', 'input', 'watermark', 'processingTime'] as const);
    if (kind === 'watermark') {
      watermark += choices.whole(0, 12);
      steps.push({ kind, at: watermark });
    } else if (kind === 'processingTime') {
      now += choices.whole(0, 15);
      steps.push({ kind, at: now });
    } else {
      const elements = Array.from({ length: choices.whole(1, 4) }, () => {
        value++;
        return [value, choices.whole(watermark - 15, Math.max(watermark, 0) + 20)] as const;
      });
      steps.push({ kind, elements });
    }
  }
  return steps;
}

export function take<Acc, Out>(stepper: Stepper<number, Acc, Out>, step: Step): void {
  if (step.kind === 'input') stepper.input(...step.elements);
  else if (step.kind === 'watermark') stepper.watermark(step.at);
  else stepper.processingTime(step.at);
}
