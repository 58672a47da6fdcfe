/** Faults in what sweeps find out, and tell. */
import type { Mutation } from './mutation.ts';

export const SWEEP_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a source’s watermark is a second too far',
    file: 'functions/engine/sweep/sources.ts',
    from: 'watermarks[source] = later(watermark, published[source] ?? MIN_TIMESTAMP);',
    to: 'watermarks[source] = later((watermark + 1_000) as EpochMillis, published[source] ?? MIN_TIMESTAMP);',
  },
  {
    name: 'a drain does not end a source',
    file: 'functions/engine/sweep/drained-sources.ts',
    from: 'if (!drain?.closed) return own;',
    to: 'if (!drain?.closed || now > 0) return own;',
  },
  {
    name: 'a drain ends sources before their reading has',
    file: 'functions/engine/sweep/drained-sources.ts',
    from: 'if (!drain?.closed) return own;',
    to: 'if (drain === undefined) return own;',
  },
  {
    name: 'a drain ends sources whose instances may commit still',
    file: 'functions/engine/sweep/end-reading.ts',
    from: '!isFoldedRoot(root.id) && !isClosed(root),',
    to: `root.id === '',`,
  },
  {
    name: 'an instance begins a root though a drain has ended the reading',
    file: 'functions/engine/control.ts',
    from: 'if (stored?.body.closed)',
    to: 'if (stored?.body.since === 0)',
  },
  {
    name: 'a root is retired with its outbox left',
    file: 'functions/engine/sweep/retire.ts',
    from: 'await this.#deleteRoot(root, fence, documents);',
    to: 'await this.#deleteRoot(root, fence, []);',
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
