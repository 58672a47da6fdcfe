/** From a trigger to the machines that run it. */
import type { EpochMillis, Millis } from '../../model/time.ts';
import type { Trigger } from '../../model/triggers.ts';
import {
  AfterAllMachine,
  AfterEachMachine,
  AfterFirstMachine,
  OrFinallyMachine,
  RepeatedlyMachine,
} from './composite-machines.ts';
import { CountMachine, DelayMachine, NeverMachine } from './leaf-machines.ts';
import type { TriggerLayout, TriggerMachine, TriggerState } from './trigger-machine.ts';
import { DefaultMachine, EarlyAndLateMachine, EndOfWindowMachine } from './watermark-machines.ts';

/** A trigger, ready to run for any number of windows. */
export interface CompiledTrigger {
  readonly root: TriggerMachine;
  readonly machines: number;
  readonly slots: number;
  /**
   * Whether a timer stays due after the firing that ended its delay. Beam never takes such timers back. That can be seen
   * only where a firing takes a part to its next stage, which can be ready before anything else asks it; elsewhere stale
   * timers are taken back, since each would cost a useless wake-up.
   */
  readonly keepsStaleTimers: boolean;
}

/** @param mayMerge whether the windows it runs in can merge */
export function compileTrigger(trigger: Trigger, mayMerge: boolean): CompiledTrigger {
  const layout: TriggerLayout = { machines: 0, slots: 0 };
  const root = compile(trigger, layout, mayMerge);
  return { root, machines: layout.machines, slots: layout.slots, keepsStaleTimers: hasHiddenStages(trigger) };
}

export function newTriggerState(trigger: CompiledTrigger): TriggerState {
  return {
    finished: new Array<boolean>(trigger.machines).fill(false),
    slots: new Array<number | null>(trigger.slots).fill(null),
    endOfWindowTimer: false,
    timers: [],
  };
}

/** After a firing or a merge: keeps the timers that something still waits for. */
export function dropStaleTimers(trigger: CompiledTrigger, state: TriggerState): void {
  if (trigger.keepsStaleTimers || state.timers.length === 0) return;
  state.timers = state.timers.filter((at: EpochMillis) => trigger.root.waitsFor(state, at));
}

function compile(trigger: Trigger, layout: TriggerLayout, mayMerge: boolean): TriggerMachine {
  const part = (inner: Trigger): TriggerMachine => compile(inner, layout, mayMerge);
  switch (trigger.kind) {
    case 'default':
      return new DefaultMachine(layout);
    case 'never':
      return new NeverMachine(layout);
    case 'afterCount':
      return new CountMachine(layout, trigger.count);
    case 'afterProcessingTime':
      return new DelayMachine(layout, trigger.delay);
    case 'afterSynchronizedProcessingTime':
      return new DelayMachine(layout, 0 as Millis);
    case 'afterWatermark': {
      const { early = { kind: 'never' }, late } = trigger;
      if (trigger.early === undefined && late === undefined) return new EndOfWindowMachine(layout);
      return new EarlyAndLateMachine(
        layout,
        () => (late === undefined ? [part(early)] : [part(early), part(late)]),
        mayMerge,
      );
    }
    case 'repeatedly':
      return new RepeatedlyMachine(layout, () => [part(trigger.trigger)]);
    case 'afterFirst':
      return new AfterFirstMachine(layout, () => trigger.triggers.map(part));
    case 'afterAll':
      return new AfterAllMachine(layout, () => trigger.triggers.map(part));
    case 'afterEach':
      return new AfterEachMachine(layout, () => trigger.triggers.map(part), mayMerge);
    case 'orFinally':
      return new OrFinallyMachine(layout, () => [part(trigger.trigger), part(trigger.until)]);
  }
}

/**
 * Whether there is an `afterEach`, early and late firings anywhere but at the root, or an `orFinally` that goes on when its
 * `until` has fired: its main part may be ready as well then.
 */
function hasHiddenStages(trigger: Trigger): boolean {
  if (trigger.kind === 'afterEach') return true;
  if (trigger.kind === 'orFinally' && !firesOnce(trigger.until)) return true;
  return partsOf(trigger).some((part) => hasEarlyOrLate(part) || hasHiddenStages(part));
}

/** Whether its first firing finishes it. */
function firesOnce(trigger: Trigger): boolean {
  switch (trigger.kind) {
    case 'default':
    case 'repeatedly':
    case 'afterEach':
    case 'orFinally':
      return false;
    case 'afterWatermark':
      return !hasEarlyOrLate(trigger);
    default:
      return true;
  }
}

function hasEarlyOrLate(trigger: Trigger): boolean {
  return trigger.kind === 'afterWatermark' && partsOf(trigger).length > 0;
}

function partsOf(trigger: Trigger): readonly Trigger[] {
  switch (trigger.kind) {
    case 'afterWatermark':
      return [trigger.early, trigger.late].filter((part) => part !== undefined);
    case 'repeatedly':
      return [trigger.trigger];
    case 'afterFirst':
    case 'afterAll':
    case 'afterEach':
      return trigger.triggers;
    case 'orFinally':
      return [trigger.trigger, trigger.until];
    default:
      return [];
  }
}
