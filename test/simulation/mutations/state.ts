/** Faults in what is kept of keys and windows, and when it fires. */
import type { Mutation } from './mutation.ts';

export const STATE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'late elements leave no record',
    file: 'functions/engine/reduce/key-reduction.ts',
    from: 'output.late({ input, window, reason, watermark: context.inputWatermark });',
    to: '',
  },
  {
    name: 'a shard that began empty takes stored cells for new ones',
    file: 'functions/engine/shard/cell-cache.ts',
    from: "const [document] = stored ? await this.#store.get('cells', [documentId]) : [];",
    to: "const [document] = stored && !this.#complete ? await this.#store.get('cells', [documentId]) : [];",
  },
  {
    name: 'a cell’s hold is not moved in the root',
    file: 'functions/engine/protocol/holds.ts',
    from: 'if (after !== undefined) this.#add(after);',
    to: '',
  },
  {
    name: 'the root forgets cells that are due beyond the page that was read',
    file: 'functions/engine/shard/due-queue.ts',
    from: 'return this.#completeTo < first ? plus(this.#completeTo, 1) : first;',
    to: 'return first;',
  },
  {
    name: 'a discarding window keeps what its pane has emitted',
    file: 'functions/engine/reduce/firing.ts',
    from: "if (isLast || strategy.accumulation === 'discarding') state.discard();",
    to: 'if (isLast) state.discard();',
  },
  {
    name: 'user code that failed leaves its key half-changed',
    file: 'functions/engine/shard/cell-bundle.ts',
    from: 'const cached = await this.#cache.reload(key);',
    to: 'const cached = this.#cache.cell(key);',
  },
  {
    name: 'a failed element stays in what was combined before it failed',
    file: 'functions/engine/chain/lifting-outlet.ts',
    from: 'for (const part of parts.list) part.remove(element);',
    to: '',
  },
];
