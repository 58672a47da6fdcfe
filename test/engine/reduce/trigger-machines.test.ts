/** Trigger machines on their own, where windows cannot show what they do (TR01–TR05). */
import { describe, expect, it } from 'vitest';
import { compileTrigger, newTriggerState } from '../../../functions/engine/reduce/compile-trigger.ts';
import type { TriggerMoment, TriggerState } from '../../../functions/engine/reduce/trigger-machine.ts';
import {
  afterCount,
  afterEach,
  afterProcessingTime,
  afterWatermark,
  repeatedly,
  type Trigger,
} from '../../../functions/model/triggers.ts';
import { at } from './stepping.ts';

/** Windows of one trigger, each only an end and a state. */
class Machine {
  readonly compiled;
  now = 0;
  watermark = 0;
  constructor(trigger: Trigger) {
    this.compiled = compileTrigger(trigger, true);
  }
  window(end: number): MachineWindow {
    return new MachineWindow(this, end, newTriggerState(this.compiled));
  }
  /** What `windows` become when they merge into a window that was not there before. */
  merged(end: number, ...windows: readonly MachineWindow[]): MachineWindow {
    const result = this.window(end);
    this.compiled.root.onMerge(
      result.state,
      windows.map(({ state }) => state),
      result.moment,
    );
    return result;
  }
}

class MachineWindow {
  readonly machine: Machine;
  readonly end: number;
  readonly state: TriggerState;
  constructor(machine: Machine, end: number, state: TriggerState) {
    this.machine = machine;
    this.end = end;
    this.state = state;
  }
  get moment(): TriggerMoment {
    return { endOfWindowReached: this.machine.watermark >= this.end, processingTime: at(this.machine.now) };
  }
  get isReady(): boolean {
    return this.machine.compiled.root.isReady(this.state, this.moment);
  }
  get isFinished(): boolean {
    return this.machine.compiled.root.isFinished(this.state);
  }
  add(count = 1): this {
    this.machine.compiled.root.onElements(this.state, count, this.moment);
    return this;
  }
  fire(): this {
    this.machine.compiled.root.onFire(this.state, this.moment);
    return this;
  }
}

const onTimeThenEach = afterEach(afterWatermark(), repeatedly(afterCount(1)));
const earlyAndLate = afterWatermark({ early: afterCount(100), late: afterCount(1) });

describe.each([
  ['afterEach(afterWatermark(), …)', onTimeThenEach],
  ['afterWatermark with early and late', earlyAndLate],
])('%s in two sessions that merge (TR05)', (_title, trigger) => {
  it('rewinds where one of them has not had its end yet', () => {
    const machine = new Machine(trigger);
    const [first, second] = [machine.window(11).add(), machine.window(15).add()];
    machine.watermark = 11;
    expect([first.isReady, second.isReady]).toEqual([true, false]);
    first.fire();
    expect(first.isReady).toBe(false);
    first.add();
    expect(first.isReady).toBe(true);
    first.fire();

    const merged = machine.merged(15, first, second);
    expect(merged.isReady).toBe(false);
    merged.add();
    expect(merged.isReady).toBe(false);
    machine.watermark = 15;
    expect(merged.isReady).toBe(true);
  });

  it('stays past the end where both were', () => {
    const machine = new Machine(trigger);
    const [first, second] = [machine.window(11).add(), machine.window(15).add()];
    machine.watermark = 15;
    first.fire();
    second.fire();
    const merged = machine.merged(15, first, second);
    expect(merged.isReady).toBe(false);
    merged.add();
    expect(merged.isReady).toBe(true);
  });
});

describe('a count in windows that merge (TR01)', () => {
  it('is summed', () => {
    const machine = new Machine(afterCount(2));
    expect(machine.merged(20, machine.window(11).add(), machine.window(15).add()).isReady).toBe(true);
  });
  it('is finished if one of them was', () => {
    const machine = new Machine(afterCount(2));
    const finished = machine.window(11).add(2).fire();
    expect(machine.merged(20, finished, machine.window(15).add()).isFinished).toBe(true);
  });
});

describe('a delay in windows that merge (TR02)', () => {
  it('is over with the earliest', () => {
    const machine = new Machine(afterProcessingTime(5));
    machine.now = 10;
    const first = machine.window(11).add();
    machine.now = 12;
    const merged = machine.merged(20, machine.window(15).add(), first);
    expect(merged.state.timers).toEqual([15]);
    machine.now = 15;
    expect(merged.isReady).toBe(false);
    machine.now = 16;
    expect(merged.isReady).toBe(true);
  });
});

describe('early firings that are composed (Beam’s machine starts over only their outermost part)', () => {
  const either: Trigger = { kind: 'afterFirst', triggers: [afterCount(2), afterProcessingTime(5)] };

  it('as they stand, are ready for good once they have fired', () => {
    const window = new Machine({ kind: 'afterWatermark', early: either }).window(100).add(2);
    expect(window.isReady).toBe(true);
    window.fire();
    expect(window.add().isReady).toBe(true);
  });
  it('made by afterWatermark, start over', () => {
    const window = new Machine(afterWatermark({ early: either })).window(100).add(2);
    expect(window.isReady).toBe(true);
    window.fire();
    expect(window.add().isReady).toBe(false);
    expect(window.add().isReady).toBe(true);
  });
});
