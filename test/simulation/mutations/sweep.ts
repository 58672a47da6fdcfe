/** Faults in what sweeps find out, and tell. */
import type { Mutation } from './mutation.ts';

export const SWEEP_MUTATIONS: readonly Mutation[] = [
  {
    name: 'of the instances of a source only one counts',
    file: 'functions/engine/sweep/sources.ts',
    from: 'filter((root) => sourceOf(root.id) === id).map(messageState)',
    to: 'filter((root) => sourceOf(root.id) === id).slice(0, 1).map(messageState)',
  },
  {
    name: 'messages count as taken that are under way',
    file: 'functions/engine/sweep/under-way.ts',
    from: 'if (!covers(done, from, to)) oldest = earlier(oldest, born);',
    to: 'void [from, to, born];',
  },
  {
    name: 'a drain does not end a source',
    file: 'functions/engine/sweep/drained-sources.ts',
    from: 'if (drain === undefined || now < drain.readingEnds) return own;',
    to: 'if (drain === undefined || now > 0) return own;',
  },
  {
    name: 'a drain ends sources before their reading has',
    file: 'functions/engine/sweep/drained-sources.ts',
    from: 'if (drain === undefined || now < drain.readingEnds) return own;',
    to: 'if (drain === undefined && now < 0) return own;',
  },
  {
    name: 'an instance’s slices go with its root',
    file: 'functions/engine/sweep/retire.ts',
    from: `const sets: Document[] =
      folded === undefined ?`,
    to: `const sets: Document[] =
      folded !== undefined || folded === undefined ?`,
  },
  {
    name: 'a root is retired with its outbox left',
    file: 'functions/engine/sweep/retire.ts',
    from: 'await this.#deleteRoot(root, fence, documents);',
    to: 'await this.#deleteRoot(root, fence, []);',
  },
  {
    name: 'nobody is told what a source’s instances may drop',
    file: 'functions/engine/sweep/settle.ts',
    from: 'if (!saysSomething(root, body)) continue;',
    to: 'if (saysSomething(root, body)) continue;',
  },
  {
    name: 'shards are not told that something is due',
    file: 'functions/engine/sweep/ticks.ts',
    from: 'if (!due && facts === undefined',
    to: 'if (facts === undefined',
  },
  {
    name: 'shards do not hear of views',
    file: 'functions/engine/sweep/ticks.ts',
    from: 'const views = tidings.of(stage);',
    to: 'const views = undefined as ReturnType<typeof tidings.of>;',
  },
];
