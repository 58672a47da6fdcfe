/**
 * The catalogue's one-line notation, as something that runs.
 *
 * `Fixed(10) Rep(Count(2)) ACC L100 EARLIEST close=ALWAYS`, then steps between `|`:
 * `in 1,2` or `in a@1` adds a bundle; `wm t` and `pt t` move a clock and fire what is due, `wm* t` and `pt* t` only move it;
 * `owm t` sets the output watermark; `timers` asks every window as if a timer of its were due; `FIRE`, `FIRE+FIN` and `hush`
 * tell the trigger `Manual` what to answer; `→` lists the panes since the last `→`, and `?hold=`, `?drop`, `?owm` check.
 * The output watermark follows `wm` steps, except where it says `owm-manual`.
 */
import { expect } from 'vitest';
import type { FailedPane, LateInput, Pane, ReduceContext } from '../../functions/engine/reduce/contract.ts';
import { KeyReduction } from '../../functions/engine/reduce/key-reduction.ts';
import { type ReduceSpec, reduceSpec } from '../../functions/engine/reduce/spec.ts';
import { TriggerMachine, type TriggerState } from '../../functions/engine/reduce/trigger-machine.ts';
import { collect } from '../../functions/model/combine.ts';
import {
  type EpochMillis,
  MAX_ELEMENT_TIMESTAMP,
  MAX_TIMESTAMP,
  MIN_TIMESTAMP,
  type Millis,
} from '../../functions/model/time.ts';
import type { Trigger } from '../../functions/model/triggers.ts';
import type { WindowingStrategy } from '../../functions/model/windowing.ts';
import { assignWindows, type WindowFn } from '../../functions/model/windows.ts';

type Values = readonly (number | string)[];
type Spec = ReduceSpec<number | string, (number | string)[], Values>;

/** As `encodeWindow` writes it. */
const END_OF_WINDOW_TIMER = 2;

/** How often the state is written and read back. */
export type Handling = 'kept live' | 'encoded after every step';

/** Runs a scenario; fails where it does not do as it says. */
export function runScenario(header: string, steps: string, handling: Handling = 'kept live'): void {
  const scenario = new Scenario(header, handling);
  for (const step of steps.split('|')) scenario.run(step.trim());
  scenario.expectNothingLeft();
}

/** A trigger whose answers are given by the scenario. */
class ManualMachine extends TriggerMachine {
  answer: 'FIRE' | 'FIRE+FIN' | 'hush' = 'hush';

  onElements(): void {}
  onMerge(): void {}
  isReady(): boolean {
    return this.answer !== 'hush';
  }
  onFire(state: TriggerState): void {
    if (this.answer === 'FIRE+FIN') this.setFinished(state, true);
  }
}

class Scenario {
  readonly #strategy: WindowingStrategy;
  readonly #spec: Spec;
  readonly #manual: ManualMachine | undefined;
  readonly #handling: Handling;
  #followsWatermark: boolean;
  #reduction: KeyReduction<number | string, (number | string)[], Values>;
  #context: ReduceContext = {
    inputWatermark: MIN_TIMESTAMP,
    outputWatermark: MIN_TIMESTAMP,
    processingTime: MIN_TIMESTAMP,
  };
  #panes: string[] = [];
  readonly #dropped = { late: 0, closed: 0 };

  constructor(header: string, handling: Handling) {
    this.#strategy = parseHeader(header);
    this.#handling = handling;
    this.#followsWatermark = !header.includes('owm-manual');
    const spec: Spec = reduceSpec(this.#strategy, collect<number | string>());
    if (header.includes('Manual')) {
      this.#manual = new ManualMachine({ machines: 0, slots: 0 });
      this.#spec = { ...spec, trigger: { root: this.#manual, machines: 1, slots: 0, keepsStaleTimers: false } };
    } else {
      this.#spec = spec;
    }
    this.#reduction = KeyReduction.decode(this.#spec, undefined);
  }

  run(step: string): void {
    const [word = '', rest = ''] = split(step);
    switch (word) {
      case 'in':
        this.#input(rest);
        break;
      case 'wm':
      case 'wm*':
        this.#context = { ...this.#context, inputWatermark: instant(rest) };
        if (word === 'wm') this.#advance();
        if (word === 'wm' && this.#followsWatermark) this.#moveOutputWatermark();
        break;
      case 'pt':
      case 'pt*':
        this.#context = { ...this.#context, processingTime: instant(rest) };
        if (word === 'pt') this.#advance();
        break;
      case 'owm':
        this.#context = { ...this.#context, outputWatermark: instant(rest) };
        break;
      case 'owm-manual':
      case 'owm-follows':
        this.#followsWatermark = word === 'owm-follows';
        break;
      case 'timers':
        this.#reduction = KeyReduction.decode(this.#spec, withTimers(this.#reduction.encode()));
        this.#advance();
        break;
      case 'FIRE':
      case 'FIRE+FIN':
      case 'hush':
        this.#manual!.answer = word;
        break;
      case '→':
        this.#expectPanes(rest);
        break;
      default:
        this.#check(word, rest);
    }
    if (this.#handling === 'encoded after every step') this.#readBack();
  }

  expectNothingLeft(): void {
    expect(this.#panes, 'panes that the scenario does not list').toEqual([]);
  }

  #input(list: string): void {
    const inputs = list.split(',').map((text) => {
      const [value = '', at = value] = text.split('@');
      const timestamp = instant(at);
      const windows = assignWindows(this.#strategy.windowFn, timestamp);
      return { value: readValue(value), lifted: false, count: 1, timestamp, latest: timestamp, windows };
    });
    this.#reduction.addBundle(this.#context, inputs, this);
  }

  #advance(): void {
    this.#reduction.advance(this.#context, this);
  }

  #moveOutputWatermark(): void {
    const { inputWatermark, outputWatermark } = this.#context;
    const reached = Math.min(inputWatermark, this.#reduction.hold() ?? MAX_TIMESTAMP);
    this.#context = { ...this.#context, outputWatermark: Math.max(outputWatermark, reached) as EpochMillis };
  }

  #readBack(): void {
    this.#reduction = KeyReduction.decode(this.#spec, this.#reduction.encode());
  }

  #expectPanes(list: string): void {
    const expected = list === 'nothing' ? [] : list.split(';').map((pane) => pane.trim());
    const namesWindows = expected.some((pane) => pane.includes('['));
    const panes = this.#panes.map((pane) => (namesWindows ? pane : pane.slice(0, pane.indexOf(' ['))));
    expect(panes.sort()).toEqual(expected.sort());
    this.#panes = [];
  }

  #check(word: string, rest: string): void {
    const hold = this.#reduction.hold();
    if (word.startsWith('?hold='))
      expect(hold === undefined ? '-' : String(hold), word).toBe(word.slice('?hold='.length));
    else if (word.startsWith('?owm=')) expect(this.#context.outputWatermark).toBe(Number(word.slice('?owm='.length)));
    else if (word === '?drop') expect(`late=${this.#dropped.late},closed=${this.#dropped.closed}`).toBe(rest);
    else throw new Error(`unknown step '${word} ${rest}'`);
  }

  pane({ window, timestamp, pane, value }: Pane<Values>): void {
    const { timing, index, nonSpeculativeIndex, isLast, isFirst } = pane;
    expect(isFirst).toBe(index === 0);
    const at = timestamp === MAX_ELEMENT_TIMESTAMP ? 'GMAX' : timestamp;
    const values = [...value].sort((a, b) => Number(a > b) - Number(a < b)).join(',');
    this.#panes.push(
      `${timing}#${index}/${nonSpeculativeIndex}${isLast ? '*' : ''} {${values}}@${at} [${window.start},${window.end})`,
    );
  }

  late({ reason }: LateInput): void {
    this.#dropped[reason === 'expired' ? 'late' : 'closed']++;
  }

  failed({ error }: FailedPane): void {
    throw error;
  }
}

function split(step: string): [string, string] {
  const space = step.indexOf(' ');
  return space < 0 ? [step, ''] : [step.slice(0, space), step.slice(space + 1).trim()];
}

function instant(text: string): EpochMillis {
  const value = text === '+inf' ? MAX_TIMESTAMP : Number(text);
  if (!Number.isInteger(value)) throw new Error(`'${text}' is no instant`);
  return value as EpochMillis;
}

function readValue(text: string): number | string {
  return Number.isNaN(Number(text)) ? text : Number(text);
}

function parseHeader(header: string): WindowingStrategy {
  const [windows = '', trigger = '', ...words] = header.split(' ');
  const lateness = words.find((word) => /^L\d+$/.test(word));
  return {
    windowFn: parseWindows(windows),
    trigger: trigger === 'Manual' ? { kind: 'never' } : parseTrigger(new Tokens(trigger)),
    accumulation: words.includes('ACC') ? 'accumulating' : 'discarding',
    allowedLateness: Number(lateness?.slice(1) ?? 0) as Millis,
    timestampCombiner: words.includes('EARLIEST') ? 'earliest' : words.includes('LATEST') ? 'latest' : 'endOfWindow',
    closing: words.includes('close=ALWAYS') ? 'always' : 'ifNonEmpty',
    onTime: words.includes('ontime=NONEMPTY') ? 'ifNonEmpty' : 'always',
  };
}

function parseWindows(text: string): WindowFn {
  const [, name, list = ''] = /^(\w+)\((.*)\)$/.exec(text) ?? [];
  const [first = 0, second = 0] = list.split(',').map(Number) as Millis[];
  switch (name) {
    case 'Fixed':
      return { kind: 'fixed', size: first as Millis, offset: second as Millis };
    case 'Sliding':
      return { kind: 'sliding', size: first as Millis, every: second as Millis, offset: 0 as Millis };
    case 'Sessions':
      return { kind: 'sessions', gap: first as Millis, merged: false };
    case 'Merged':
      return { kind: 'sessions', gap: first as Millis, merged: true };
    case 'Global':
      return { kind: 'global' };
    default:
      throw new Error(`unknown windows '${text}'`);
  }
}

class Tokens {
  readonly #tokens: string[];
  constructor(text: string) {
    this.#tokens = text.match(/[A-Za-z]+|\d+|[(),]/g) ?? [];
  }
  next(): string {
    return this.#tokens.shift() ?? '';
  }
  peek(): string | undefined {
    return this.#tokens[0];
  }
}

function parseTrigger(tokens: Tokens): Trigger {
  const name = tokens.next();
  const parts: (Trigger | undefined)[] = [];
  let number = 0;
  tokens.next();
  while (tokens.peek() !== ')') {
    if (tokens.peek() === ',') tokens.next();
    else if (tokens.peek() === 'None') {
      tokens.next();
      parts.push(undefined);
    } else if (/^\d+$/.test(tokens.peek() ?? '')) number = Number(tokens.next());
    else parts.push(parseTrigger(tokens));
  }
  tokens.next();
  return makeTrigger(name, number, parts);
}

function makeTrigger(name: string, number: number, parts: readonly (Trigger | undefined)[]): Trigger {
  const [first, second] = parts;
  switch (name) {
    case 'Count':
      return { kind: 'afterCount', count: number };
    case 'PTime':
      return { kind: 'afterProcessingTime', delay: number as Millis };
    case 'EOW':
      return { kind: 'afterWatermark' };
    case 'EarlyLate':
      return {
        kind: 'afterWatermark',
        ...(first === undefined ? {} : { early: first }),
        ...(second === undefined ? {} : { late: second }),
      };
    case 'Rep':
      return { kind: 'repeatedly', trigger: first! };
    case 'First':
      return { kind: 'afterFirst', triggers: parts as Trigger[] };
    case 'All':
      return { kind: 'afterAll', triggers: parts as Trigger[] };
    case 'Each':
      return { kind: 'afterEach', triggers: parts as Trigger[] };
    case 'OrFin':
      return { kind: 'orFinally', trigger: first!, until: second! };
    case 'Default':
      return { kind: 'default' };
    case 'Never':
      return { kind: 'never' };
    default:
      throw new Error(`unknown trigger '${name}'`);
  }
}

/** The state of a key as it would be if each of its open windows had a timer at its end. */
function withTimers(encoded: string | undefined): string | undefined {
  const lines = encoded?.trimEnd().split('\n');
  return lines?.map((line) => `${lineWithTimer(line)}\n`).join('');
}

function lineWithTimer(line: string): string {
  const [start, end, flags, ...rest] = JSON.parse(line) as number[];
  return flags === undefined ? line : JSON.stringify([start, end, flags | END_OF_WINDOW_TIMER, ...rest]);
}
