/** Random cases of a stateful DoFn that does with its timers what elements and the case say. The same seed, the same case. */
import { Choices } from '../../engine/reduce/scenarios.ts';
import type { WindowJson } from './draw-case.ts';

/** `a` and `b` are timers in event time, `p` is one in processing time. */
export type TimerId = 'a' | 'b' | 'p';

export type TimerAction =
  | { readonly timer: TimerId; readonly clear: true }
  /** Set to an instant so long after the start of the window. The output timestamp: so long after the callback's own. */
  | { readonly timer: 'a' | 'b'; readonly at: number; readonly outputAfter?: number }
  /** Set to so long from now. */
  | { readonly timer: 'p'; readonly in: number; readonly outputAfter?: number };

export interface ScriptedElement {
  readonly value: number;
  readonly timestamp: number;
  readonly timers: readonly TimerAction[];
}

export type TimersStep =
  | { readonly input: readonly ScriptedElement[] }
  | { readonly watermark: number }
  | { readonly processingTime: number };

export interface TimersCase {
  readonly id: number;
  readonly window: WindowJson;
  readonly allowedLateness: number;
  readonly onTimer: Readonly<Record<TimerId, readonly TimerAction[]>>;
  /** The input ends after the last. */
  readonly steps: readonly TimersStep[];
}

/** How long `p` may go on setting itself, in steps of processing time behind all else: Beam waits for it. */
const LAST_STEPS = 5;

/**
 * Timers of one instant fire in no order that Beam promises, and windows expire a millisecond later there: so `a` is set to
 * even instants and `b` to odd ones, and no watermark stands just behind a window's expiry.
 */
export function drawTimersCase(seed: number): TimersCase {
  const choices = new Choices(seed);
  const window = choices.of<WindowJson>([
    { type: 'fixed', size: 50, offset: 0 },
    { type: 'fixed', size: 50, offset: 0 },
    { type: 'sliding', size: 40, period: 20, offset: 0 },
    { type: 'global' },
  ]);
  const allowedLateness = window.type === 'global' ? 0 : choices.of([0, 0, 20, 60]);
  const last = window.type === 'global' ? 120 : window.type === 'fixed' ? 50 + allowedLateness : 40 + allowedLateness;
  const draw = (ids: readonly TimerId[]): TimerAction[] =>
    ids.filter(() => choices.chance(0.5)).map((timer) => drawAction(choices, timer, last));
  return {
    id: seed,
    window,
    allowedLateness,
    onTimer: { a: draw(['a', 'b']), b: draw(['a', 'b']), p: draw(['a', 'b', 'p']) },
    steps: drawSteps(choices, () => draw(['a', 'b', 'p'])),
  };
}

function drawAction(choices: Choices, timer: TimerId, last: number): TimerAction {
  if (choices.chance(0.15)) return { timer, clear: true };
  const output = choices.chance(0.3) ? { outputAfter: choices.whole(0, 20) } : {};
  if (timer === 'p') return { timer, in: choices.whole(0, 20), ...output };
  const even = 2 * choices.whole(0, last / 2 - 1);
  return { timer, at: timer === 'a' ? even : even + 1, ...output };
}

function drawSteps(choices: Choices, timers: () => TimerAction[]): TimersStep[] {
  const steps: TimersStep[] = [];
  let watermark = -5;
  let now = 0;
  let value = 0;
  for (let i = choices.whole(3, 10); i > 0; i--) {
    const kind = choices.of(['input', 'input', 'watermark', 'watermark', 'processingTime'] as const);
    if (kind === 'watermark') {
      watermark += choices.whole(0, 25);
      if (watermark % 10 === 0) watermark++;
      steps.push({ watermark });
    } else if (kind === 'processingTime') {
      now += choices.whole(1, 15);
      steps.push({ processingTime: now });
    } else {
      const input = Array.from({ length: choices.of([1, 1, 2, 3]) }, () => {
        value++;
        return { value, timestamp: Math.max(0, choices.whole(watermark - 30, watermark + 40)), timers: timers() };
      });
      steps.push({ input });
    }
  }
  for (let i = 1; i <= LAST_STEPS; i++) steps.push({ processingTime: now + 100 * i });
  return steps;
}
