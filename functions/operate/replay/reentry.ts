/**
 * Where a dead letter re-enters its pipeline: at the step that failed, and nowhere before it, since all that came before has
 * counted already.
 */
import type { DeadLetter } from '../../engine/dead-letter.ts';
import type { Consumer, Plan, PlannedSource, Stage } from '../../plan/plan.ts';
import { isHead } from '../../plan/plan.ts';

export type Reentry =
  /** The message is decoded again and goes through the source's steps. */
  | { readonly way: 'source'; readonly source: PlannedSource }
  /** The element enters a step, or the way to a head. */
  | { readonly way: 'step'; readonly consumer: Consumer }
  /** An accumulator goes to its shard again as it is. */
  | { readonly way: 'lifted'; readonly stage: Stage }
  /** A pane is made again from its accumulator, and goes through its stage's steps. */
  | { readonly way: 'pane'; readonly stage: Stage }
  /** A timer is set again in the shard of its key. */
  | { readonly way: 'timer'; readonly stage: Stage }
  /** A row goes to its table's sink again. */
  | { readonly way: 'row'; readonly stage: Stage }
  | { readonly way: 'none'; readonly reason: string };

export function reentryOf(letter: DeadLetter, plan: Plan): Reentry {
  switch (letter.kind) {
    case 'source': {
      const source = plan.sources.find(({ id }) => id === letter.stage);
      return source === undefined ? gone(letter, plan, 'source', letter.stage) : { way: 'source', source };
    }
    case 'element':
    case 'late': {
      const node = plan.graph.nodes.find(({ name }) => name === letter.step);
      if (node === undefined) return gone(letter, plan, 'step', letter.step);
      if (!isHead(node)) return { way: 'step', consumer: { node, input: 0 } };
      if (letter.received?.lifted) return { way: 'lifted', stage: plan.stage(node.name) };
      return { way: 'step', consumer: { node, input: letter.received?.inlet ?? 0 } };
    }
    case 'firing':
    case 'row': {
      const stage = plan.stages.find(({ id }) => id === letter.stage);
      if (stage === undefined) return gone(letter, plan, 'stage', letter.stage);
      if (letter.kind === 'row') return { way: 'row', stage };
      if (stage.head.kind === 'stateful' && isTimer(letter.timer)) return { way: 'timer', stage };
      if (letter.pane !== undefined && stage.head.kind === 'reduce') return { way: 'pane', stage };
      return {
        way: 'none',
        reason: `what failed in '${letter.stage}' is a callback at the expiration of a window, and its state has gone with it into this letter; read it with: millrace dead-letters show ${letter.id}`,
      };
    }
  }
}

/** Whether a firing was a timer's; an expiration's has no state left to meet. */
function isTimer(timer: unknown): boolean {
  return typeof (timer as { readonly id?: unknown } | undefined)?.id === 'string';
}

function gone({ id }: DeadLetter, plan: Plan, what: string, name: string): Reentry {
  return {
    way: 'none',
    reason: `pipeline '${plan.pipeline}' has no ${what} '${name}' any more; discard the letter with: millrace dead-letters discard ${id}`,
  };
}
