/**
 * Faults that were found and mended, and show in fewer than one of 2,000 seeds: a recorded scenario stands for each in
 * `regressions/`.
 */
import type { Mutation } from './mutation.ts';

export const RARE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a stale shard never looks at the store',
    file: 'functions/engine/shard/shard.ts',
    from: 'if (ticks.length === 0 || now < memory.seen + LOOK_AGAIN_AFTER) return false;',
    to: 'if (now < Number.POSITIVE_INFINITY) return false;',
  },
  {
    name: 'a last pane is on time though nothing has held for it',
    file: 'functions/engine/reduce/key-reduction.ts',
    from: 'if (exact || (hold !== undefined && hold <= last) ||',
    to: 'if (state !== undefined ||',
  },
  {
    name: 'overlapping sweeps tell of watermarks before they are published',
    file: 'functions/engine/sweep/sweeper.ts',
    from: 'const known = advance(advance(this.#known, published.watermarks), computed);',
    to: `this.#known = advance(advance(this.#known, published.watermarks), computed);
    const sweeper = this;
    const known = {
      get input() { return sweeper.#known.input; },
      get output() { return sweeper.#known.output; },
    };`,
  },
  {
    name: 'ids are forgotten though what came again is still under way',
    file: 'functions/engine/ids/id-index.ts',
    from: 'return fromSource || (taken[span.source] ?? MIN_TIMESTAMP) < expiryOf(span, this.#rules);',
    to: 'return fromSource;',
  },
  {
    name: 'what was combined for a failed bundle is sent with the next',
    file: 'functions/engine/chain/lifting-outlet.ts',
    from: 'if (this.#bundle === bundle) return;',
    to: 'if (this.#bundle !== undefined) return;',
  },
  {
    name: 'messages count as taken that are under way',
    file: 'functions/engine/sweep/under-way.ts',
    from: 'if (!covers(done, from, to)) oldest = earlier(oldest, born);',
    to: 'void [from, to, born];',
  },
  {
    name: 'an id that comes again is not remembered for longer',
    file: 'functions/engine/ids/id-index.ts',
    from: 'known.touched = true;',
    to: '',
  },
  {
    name: 'the end of a split is taken back by who has not found it',
    file: 'functions/engine/ingest/split-reader.ts',
    from: 'const isOver = before.ended || (ended && taken === records.length);',
    to: 'const isOver = ended && taken === records.length;',
  },
  {
    name: 'what was removed from a map comes back when it forgets',
    file: 'functions/engine/stateful/keyed-texts.ts',
    from: '(kept === REMOVED ? this.#lifetime.now() : this.#lifetime.writtenAt(kept))',
    to: 'this.#lifetime.writtenAt(kept)',
  },
  {
    name: 'what comes when a view is gone waits for it',
    file: 'functions/engine/views/view-reader.ts',
    from: 'return isPassed(window, fact) ? REMOVED : WAITING;',
    to: 'return WAITING;',
  },
  {
    name: 'a root that is on its way arrives after a drain has ended the reading',
    file: 'functions/engine/control.ts',
    from: `return { collection: 'control', id: 'drain', version: stored?.version ?? 'absent' };`,
    to: `return { collection: 'control', id: 'none', version: 'absent' };`,
  },
];
