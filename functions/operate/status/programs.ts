import type { CellProgram } from '../../engine/shard/cell.ts';
import { ReduceProgram } from '../../engine/shard/reduce-program.ts';
import { StatefulProgram } from '../../engine/stateful/stateful-program.ts';
import type { Plan } from '../../plan/plan.ts';

/** What can read the cells of a stage; undefined where the stage keeps none, or its code is not at hand. */
export type Programs = (stage: string) => CellProgram | undefined;

/** @param plan undefined: nobody can read cells */
export function programsOf(plan: Plan | undefined): Programs {
  return (stage) => {
    const head = plan?.stages.find(({ id }) => id === stage)?.head;
    if (head?.kind === 'reduce') return new ReduceProgram(head);
    return head?.kind === 'stateful' ? new StatefulProgram(head) : undefined;
  };
}
