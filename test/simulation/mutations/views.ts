/** Faults in views, and in steps that read them. */
import type { Mutation } from './mutation.ts';

export const VIEWS_MUTATIONS: readonly Mutation[] = [
  {
    name: 'a window counts as empty before its pane is sure',
    file: 'functions/engine/views/readiness.ts',
    from: `return shape === 'signal' ? expiry : earlier(guaranteedFiring(strategy.trigger, window), expiry);`,
    to: 'return (-8.64e15) as EpochMillis;',
  },
  {
    name: 'a view shows an older pane after a newer',
    file: 'functions/engine/views/panes.ts',
    from: 'if (shown !== null && shown.pane >= version.pane) return undefined;',
    to: 'if (shown !== null && shown.pane > version.pane + 9) return undefined;',
  },
  {
    name: 'a pane that waits to be shown holds nothing',
    file: 'functions/engine/views/panes.ts',
    from: 'const hold = pending === null ? timestamp : earlier(pending.hold, timestamp);',
    to: 'const hold = (8.64e15) as EpochMillis;',
  },
  {
    name: 'runs are thrown away before their pane is shown',
    file: 'functions/engine/views/panes.ts',
    from: 'const runs = bin.runs(window, (run) => run.ordinal < from, now);',
    to: 'const runs = bin.runs(window, (run) => run.ordinal <= to, now);',
  },
  {
    name: 'what a view has replaced is never deleted',
    file: 'functions/engine/views/garbage.ts',
    from: 'const mayGo = item.due <= now || item.last < passed;',
    to: 'const mayGo = item.due < 0;',
  },
  {
    name: 'of a key of a map the oldest pane is shown',
    file: 'functions/engine/views/content.ts',
    from: 'if (panes[1] > panes[0]) newest.set(key, line);',
    to: 'if (panes[1] < panes[0]) newest.set(key, line);',
  },
  {
    name: 'a chunk loses its first line',
    file: 'functions/engine/views/entries.ts',
    from: `return lines.join('\\n');`,
    to: `return lines.slice(1).join('\\n');`,
  },
  {
    name: 'a run that is still open loses its first lines',
    file: 'functions/engine/views/open-runs.ts',
    from: '[[...open.lines], open.run.bytes];',
    to: '[[], open.run.bytes];',
  },
  {
    name: 'a view is read without its lines',
    file: 'functions/engine/views/chunk-reader.ts',
    from: 'for (let at = from; at < to; at += PAGE) {',
    to: 'for (let at = from; at < Math.min(to, from); at += PAGE) {',
  },
  {
    name: 'a step that reads views waits for none',
    file: 'functions/engine/views/side-bundle.ts',
    from: `return look !== undefined && look.state !== 'waiting';`,
    to: 'return true;',
  },
  {
    name: 'what waits for a view is not released',
    file: 'functions/engine/views/side-bundle.ts',
    from: 'await this.#release();',
    to: '',
  },
  {
    name: 'a version is shown without its pointer',
    file: 'functions/engine/views/publisher.ts',
    from: 'const sets = [...chunks, pointer, ',
    to: 'const sets = [...chunks, ',
  },
  {
    name: 'a version is shown without its chunks',
    file: 'functions/engine/views/publisher.ts',
    from: 'const sets = [...chunks, pointer, ',
    to: 'const sets = [pointer, ',
  },
];
