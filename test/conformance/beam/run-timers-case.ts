/** A case of timers, run by Millrace. `ScriptedDoFn.java` is the same for Beam. */
import {
  emits,
  eventTimer,
  fixedWindows,
  globalWindow,
  pipeline,
  processingTimer,
  slidingWindows,
  type Timer,
  type ValueState,
  valueState,
} from '../../../functions/index.ts';
import { type Seen, testPipeline, timestamped } from '../../../functions/local/testing.ts';
import type { ScriptedElement, TimerAction, TimerId, TimersCase } from './timers-case.ts';

/** A timer that has fired so often does nothing more. */
const MOST_FIRINGS = 4;

/** What a callback is given, as far as a script uses it. */
interface Moment {
  readonly window: { readonly start: number; readonly end: number };
  readonly timestamp: number;
  readonly timers: Readonly<Record<TimerId, Timer>>;
  readonly output: (text: string) => void;
}

/** What has come out in each step, and at the end of the input, as `textsByWindow` puts it. */
export async function runTimersCase(one: TimersCase): Promise<string[]> {
  const test = await testPipeline(graphOf(one), { shards: 1 });
  const results: string[] = [];
  let seen = 0;
  const look = (): void => {
    const all = test.panes('scripted');
    results.push(textsByWindow(all.slice(seen).map(seenText)));
    seen = all.length;
  };
  for (const step of one.steps) {
    if ('input' in step) await test.send('in', ...step.input.map((each) => timestamped(each, each.timestamp)));
    else if ('watermark' in step) await test.advanceWatermark(step.watermark);
    else await test.advanceProcessingTime(step.processingTime - test.now);
    look();
  }
  await test.advanceWatermarkToInfinity();
  look();
  for (const { message } of test.deadLetters()) results.push(message);
  return results;
}

/** For example `e1/1@37 a1@20 [0,50); e1/1@37 [20,60)`: what each window has emitted, in order. */
export function textsByWindow(texts: readonly string[]): string {
  const windows = new Map<string, string[]>();
  for (const text of texts) {
    const [what = '', window = ''] = text.split(' ');
    windows.set(window, [...(windows.get(window) ?? []), what]);
  }
  return [...windows]
    .map(([window, emitted]) => `${emitted.join(' ')} ${window}`)
    .sort()
    .join('; ');
}

function seenText({ value, timestamp, window }: Seen): string {
  const where = window.end > 1e15 ? 'global' : `[${window.start},${window.end})`;
  return `${value}@${timestamp} ${where}`;
}

function graphOf(one: TimersCase) {
  const { allowedLateness } = one;
  const windowFn = windowFnOf(one);
  const isGlobal = windowFn.kind === 'global';
  const act = (actions: readonly TimerAction[], { window, timestamp, timers }: Moment): void => {
    for (const action of actions) {
      const timer = timers[action.timer];
      if ('clear' in action) {
        timer.clear();
        continue;
      }
      const { outputAfter } = action;
      const expiry = isGlobal ? Number.POSITIVE_INFINITY : window.end - 1 + allowedLateness;
      const prepared =
        outputAfter === undefined ? timer : timer.withOutputTimestamp(Math.min(timestamp + outputAfter, expiry));
      if ('at' in action) prepared.set((isGlobal ? 0 : window.start) + action.at);
      else prepared.offset(action.in).setRelative();
    }
  };
  const onTimer = (id: TimerId) => async (moment: Moment & { state: Record<TimerId, ValueState<number>> }) => {
    const count = await next(moment.state[id]);
    moment.output(`${id}${count}`);
    if (count < MOST_FIRINGS) act(one.onTimer[id], moment);
  };
  return pipeline('timers', (p) => {
    p.readPubSub<ScriptedElement>('in', { schema: { parse: (value) => value as ScriptedElement } })
      .keyBy('key', () => 'key')
      .window('windows', windowFn, { allowedLateness, accumulation: 'discarding' })
      .statefulParDo('scripted', {
        emits: emits<string>(),
        state: {
          elements: valueState<number>(),
          a: valueState<number>(),
          b: valueState<number>(),
          p: valueState<number>(),
        },
        timers: { a: eventTimer(), b: eventTimer(), p: processingTimer() },
        async process({ value: element }, moment) {
          moment.output(`e${element.value}/${await next(moment.state.elements)}`);
          act(element.timers, moment);
        },
        onTimer: { a: onTimer('a'), b: onTimer('b'), p: onTimer('p') },
        async onWindowExpiration({ state, output }) {
          output(`x/${await state.elements.read()}`);
        },
      });
  });
}

function windowFnOf({ window }: TimersCase) {
  switch (window.type) {
    case 'fixed':
      return fixedWindows(window.size);
    case 'sliding':
      return slidingWindows(window.size, { every: window.period });
    default:
      return globalWindow();
  }
}

async function next(state: ValueState<number>): Promise<number> {
  const count = ((await state.read()) ?? 0) + 1;
  state.write(count);
  return count;
}
