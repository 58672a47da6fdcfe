/** Random conformance cases: every kind of window and trigger, time of all sorts. The same seed gives the same case. */
import { Choices } from '../../engine/reduce/scenarios.ts';

export type WindowJson =
  | { readonly type: 'fixed'; readonly size: number; readonly offset: number }
  | { readonly type: 'sliding'; readonly size: number; readonly period: number; readonly offset: number }
  | { readonly type: 'sessions'; readonly gap: number }
  | { readonly type: 'global' };

export type TriggerJson =
  | { readonly type: 'default' }
  | { readonly type: 'never' }
  | { readonly type: 'afterCount'; readonly count: number }
  | { readonly type: 'afterProcessingTime'; readonly delay: number }
  | { readonly type: 'afterWatermark'; readonly early?: TriggerJson; readonly late?: TriggerJson }
  | { readonly type: 'repeatedly'; readonly trigger: TriggerJson }
  | { readonly type: 'afterFirst' | 'afterAll' | 'afterEach'; readonly triggers: readonly TriggerJson[] }
  | { readonly type: 'orFinally'; readonly trigger: TriggerJson; readonly until: TriggerJson };

export interface ElementJson {
  readonly value: number;
  readonly timestamp: number;
}

export type StepJson =
  | { readonly input: readonly ElementJson[] }
  | { readonly watermark: number | 'infinity' }
  | { readonly processingTime: number };

export interface CaseJson {
  readonly id: number;
  readonly window: WindowJson;
  readonly trigger: TriggerJson;
  readonly accumulation: 'accumulating' | 'discarding';
  readonly allowedLateness: number;
  readonly timestampCombiner: 'endOfWindow' | 'earliest' | 'latest';
  readonly closing: 'ifNonEmpty' | 'always';
  readonly onTime: 'always' | 'ifNonEmpty';
  readonly steps: readonly StepJson[];
}

/** So much lateness that nothing is ever too late: a window expires at the end of time. */
export const WHOLE_TIME = 8.64e15;

export function drawCase(seed: number): CaseJson {
  const choices = new Choices(seed);
  const isDense = choices.chance(0.3);
  const window = isDense ? ({ type: 'sessions', gap: 10 } as const) : drawWindow(choices);
  return {
    id: seed,
    window,
    trigger: drawTrigger(choices, choices.whole(0, isDense ? 4 : 3)),
    accumulation: choices.of(['accumulating', 'discarding']),
    allowedLateness: isDense
      ? 1000
      : choices.of([0, 0, choices.whole(1, 40), choices.whole(1, 40), choices.whole(1, 40), 1000, WHOLE_TIME]),
    timestampCombiner: choices.of(['endOfWindow', 'earliest', 'latest']),
    closing: choices.of(['ifNonEmpty', 'always']),
    onTime: choices.of(['always', 'always', 'ifNonEmpty']),
    steps: isDense ? drawDenseSteps(choices) : drawSteps(choices, window),
  };
}

function drawWindow(choices: Choices): WindowJson {
  return choices.of<() => WindowJson>([
    () => {
      const size = choices.whole(1, 20);
      return { type: 'fixed', size, offset: choices.chance(0.5) ? 0 : choices.whole(0, size - 1) };
    },
    () => {
      const period = choices.whole(2, 10);
      return {
        type: 'sliding',
        size: choices.whole(2, 20),
        period,
        offset: choices.chance(0.5) ? 0 : choices.whole(0, period - 1),
      };
    },
    () => ({ type: 'sessions', gap: choices.whole(2, 12) }),
    () => ({ type: 'sessions', gap: choices.whole(2, 12) }),
    () => ({ type: 'global' }),
  ])();
}

/** Any trigger, whether an author may build it or not. */
function drawTrigger(choices: Choices, depth: number): TriggerJson {
  const part = (): TriggerJson => drawTrigger(choices, choices.whole(0, depth - 1));
  const parts = (): TriggerJson[] => Array.from({ length: choices.of([2, 2, 3]) }, part);
  if (depth === 0) {
    return choices.of<() => TriggerJson>([
      () => ({ type: 'afterCount', count: choices.whole(1, 4) }),
      () => ({ type: 'afterCount', count: choices.whole(1, 4) }),
      () => ({ type: 'afterProcessingTime', delay: choices.whole(0, 20) }),
      () => ({ type: 'afterProcessingTime', delay: choices.whole(0, 20) }),
      () => ({ type: 'afterWatermark' }),
      () => ({ type: 'afterWatermark' }),
      () => ({ type: 'default' }),
      () => ({ type: 'never' }),
    ])();
  }
  return choices.of<() => TriggerJson>([
    () => ({ type: 'repeatedly', trigger: part() }),
    () => ({ type: 'repeatedly', trigger: part() }),
    () => ({ type: 'afterWatermark', early: part() }),
    () => ({ type: 'afterWatermark', late: part() }),
    () => ({ type: 'afterWatermark', early: part(), late: part() }),
    () => ({ type: 'afterFirst', triggers: parts() }),
    () => ({ type: 'afterAll', triggers: parts() }),
    () => ({ type: 'afterEach', triggers: parts() }),
    () => ({ type: 'orFinally', trigger: part(), until: part() }),
  ])();
}

/** Elements around a watermark that moves on; each value occurs once. */
function drawSteps(choices: Choices, window: WindowJson): StepJson[] {
  const steps: StepJson[] = [];
  const earliest = earliestTimestamp(window);
  let watermark = choices.of([-30, -10, 0, 5]);
  let now = choices.of([-10, 0, 1000]);
  let value = 0;
  if (choices.chance(0.8)) steps.push({ processingTime: now });
  let hasEnded = false;
  for (let i = choices.whole(2, choices.of([6, 14, 30])); i > 0; i--) {
    const kind = choices.of(['input', 'input', 'input', 'watermark', 'watermark', 'processingTime'] as const);
    if (kind === 'watermark' && !hasEnded) {
      if (choices.chance(0.03)) {
        hasEnded = true;
        steps.push({ watermark: 'infinity' });
        continue;
      }
      watermark += choices.chance(0.1) ? choices.whole(0, 100) : choices.whole(0, 12);
      steps.push({ watermark });
    } else if (kind !== 'input') {
      now += choices.whole(0, 15);
      steps.push({ processingTime: now });
    } else {
      const input = Array.from({ length: choices.of([0, 1, 1, 1, 2, 2, 2, 3, 3, 5]) }, () => {
        value++;
        return { value, timestamp: Math.max(earliest, choices.whole(watermark - 20, watermark + 25)) };
      });
      steps.push({ input });
    }
  }
  if (hasEnded || choices.chance(0.5)) steps.push({ watermark: 'infinity' });
  else if (choices.chance(0.7)) steps.push({ watermark: watermark + choices.whole(30, 90) });
  return steps;
}

/** Sessions that grow, merge and end again and again: single elements, most of them in time or hardly late. */
function drawDenseSteps(choices: Choices): StepJson[] {
  const steps: StepJson[] = [{ processingTime: 0 }];
  let watermark = 0;
  let now = 0;
  for (let value = 1; value <= 24; value++) {
    const timestamp = choices.whole(watermark - 12, watermark + 16);
    steps.push({ input: [{ value, timestamp }] });
    if (choices.chance(0.4)) {
      watermark += choices.whole(1, 8);
      steps.push({ watermark });
    }
    if (choices.chance(0.2)) {
      now += choices.whole(1, 12);
      steps.push({ processingTime: now });
    }
  }
  return steps;
}

/** The first instant from which on Beam puts all into the windows that they are in; what is before may go into later ones. */
function earliestTimestamp(window: WindowJson): number {
  if (window.type === 'fixed') return window.offset - window.size;
  if (window.type === 'sliding') return window.offset - window.period;
  return Number.NEGATIVE_INFINITY;
}
