/** How much a pane brings at least before its window is over, by what its trigger waits for. */
import type { Trigger } from '../../../functions/model/triggers.ts';
import type { StageSpec } from '../scenario.ts';
import { type PaneRow, windowName } from './panes.ts';
import { Violation } from './violation.ts';

/** @param sequences the panes of each key and window, in order; of windows that do not merge */
export function checkEarlyPanes(spec: StageSpec, sequences: Iterable<readonly PaneRow[]>): void {
  const least = leastOf(spec.trigger);
  for (const sequence of sequences)
    for (const [i, pane] of sequence.entries()) {
      if (pane.timing !== 'EARLY' || pane.isLast) continue;
      const known = spec.accumulating ? (sequence[i - 1]?.tokens.length ?? 0) : 0;
      if (pane.tokens.length - known < least)
        throw new Violation(
          'an early pane brings what its trigger asks for',
          `${spec.name} ${windowName(pane.key, pane)} pane ${i} brings ${pane.tokens.length - known} of ${least}`,
        );
    }
}

/** Elements that a trigger waits for before it fires ahead of the watermark; infinity: it never does. */
function leastOf(trigger: Trigger): number {
  switch (trigger.kind) {
    case 'afterCount':
      return trigger.count;
    case 'afterProcessingTime':
    case 'afterSynchronizedProcessingTime':
      return 1;
    case 'afterFirst':
    case 'afterEach':
      return Math.min(...trigger.triggers.map(leastOf));
    case 'afterAll':
      return Math.max(...trigger.triggers.map(leastOf));
    case 'repeatedly':
    case 'orFinally':
      return leastOf(trigger.trigger);
    case 'afterWatermark':
      return trigger.early === undefined ? Number.POSITIVE_INFINITY : leastOf(trigger.early);
    case 'default':
    case 'never':
      return Number.POSITIVE_INFINITY;
  }
}
