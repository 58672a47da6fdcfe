/** Faults in windows, triggers and panes. */
import type { Mutation } from './mutation.ts';

export const REDUCE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a count is enough one element too soon',
    file: 'functions/engine/reduce/leaf-machines.ts',
    from: 'return (state.slots[this.#slot] ?? 0) >= this.#enough;',
    to: 'return (state.slots[this.#slot] ?? 0) >= this.#enough - 1;',
  },
  {
    name: 'all of several triggers are ready when one is',
    file: 'functions/engine/reduce/composite-machines.ts',
    from: 'return this.parts.every((part) => part.isFinished(state) || part.isReady(state, moment));',
    to: 'return this.parts.some((part) => part.isFinished(state) || part.isReady(state, moment));',
  },
  {
    name: 'a count of two is compiled as one',
    file: 'functions/engine/reduce/compile-trigger.ts',
    from: 'return new CountMachine(layout, trigger.count);',
    to: 'return new CountMachine(layout, 1);',
  },
  {
    name: 'a window waits for its end after its pane on time',
    file: 'functions/engine/reduce/watermark-machines.ts',
    from: 'return moment.endOfWindowReached || this.#early.isReady(state, moment);',
    to: 'return this.#early.isReady(state, moment);',
  },
  {
    name: 'each pane is the first',
    file: 'functions/engine/reduce/firing.ts',
    from: 'isFirst: state.paneIndex === -1,',
    to: 'isFirst: true,',
  },
  {
    name: 'a pane on time comes twice',
    file: 'functions/engine/reduce/firing.ts',
    from: `if (outputWatermark > state.last || !onlyEarlySoFar) return 'LATE';`,
    to: `if (outputWatermark > state.last) return 'LATE';`,
  },
  {
    name: 'elements hold nothing',
    file: 'functions/engine/reduce/holds.ts',
    from: 'state.addedHold = combine(combiner, state.addedHold, held);',
    to: '',
  },
  {
    name: 'a session that grows loses what it had',
    file: 'functions/engine/reduce/session-merge.ts',
    from: '? spec.combine.merge(result.accumulator as Acc, accumulator)',
    to: '? accumulator',
  },
  {
    name: 'sessions that touch are one',
    file: 'functions/engine/reduce/session-merge.ts',
    from: 'if (group === undefined || window.start >= group.end) {',
    to: 'if (group === undefined || window.start > group.end) {',
  },
  {
    name: 'windows are put out of their order',
    file: 'functions/engine/reduce/window-set.ts',
    from: 'if (isBefore(states[middle]!, window)) low = middle + 1;',
    to: 'if (isBefore(window, states[middle]!)) low = middle + 1;',
  },
  {
    name: 'a stored window has lost what it still has to emit',
    file: 'functions/engine/reduce/window-state.ts',
    from: 'state.pending = pending as number;',
    to: 'state.pending = 0;',
  },
  {
    name: 'a stored trigger begins anew',
    file: 'functions/engine/reduce/window-state.ts',
    from: 'if (slots !== undefined) restoreTrigger(state.trigger, slots, timers, finished, line);',
    to: '',
  },
  {
    name: 'lateness is not allowed',
    file: 'functions/engine/reduce/spec.ts',
    from: 'const expiry = maxTimestamp(window) + strategy.allowedLateness;',
    to: 'const expiry = maxTimestamp(window) + 0 * strategy.allowedLateness;',
  },
  {
    name: 'a trigger that is repeated begins finished',
    file: 'functions/engine/reduce/trigger-machine.ts',
    from: 'state.finished.fill(false, this.number, this.after);',
    to: 'state.finished.fill(true, this.number, this.after);',
  },
];
