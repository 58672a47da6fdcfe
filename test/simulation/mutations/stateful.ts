/** Faults in user state and timers. */
import type { Mutation } from './mutation.ts';

export const STATEFUL_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a window that has changed keeps its place among those that are due',
    file: 'functions/engine/stateful/window-states.ts',
    from: 'if (due === first.due) return;',
    to: 'if (due !== undefined) return;',
  },
  {
    name: 'a window that expires calls nobody',
    file: 'functions/engine/stateful/callbacks.ts',
    from: 'if (doFn.onWindowExpiration === undefined) return undefined;',
    to: 'if (doFn !== undefined) return undefined;',
  },
  {
    name: 'timers hold no watermark',
    file: 'functions/engine/stateful/timer-store.ts',
    from: 'if (output !== undefined) hold = earlier(hold, output);',
    to: '',
  },
];
