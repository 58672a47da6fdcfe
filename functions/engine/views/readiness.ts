/** When a view's window is known to be empty: past the watermark at which its trigger must have fired (catalogue SI05). */
import { earlier, type EpochMillis, later, MAX_TIMESTAMP } from '../../model/time.ts';
import type { ViewNode } from '../../model/graph.ts';
import type { Trigger } from '../../model/triggers.ts';
import { maxTimestamp, type Window } from '../../model/windows.ts';
import type { ViewFact } from '../../ports/bus.ts';
import { expiryOf } from '../reduce/spec.ts';

/**
 * The last watermark at which a window that has had elements may still be without a pane. Once the output watermark of
 * the view's stage is past it and there is no pane, there were no elements.
 */
export function lastWithoutPane({ shape, strategy, refreshEvery }: ViewNode, window: Window): EpochMillis {
  // What the stage reads by itself comes by no watermark.
  if (refreshEvery !== undefined) return MAX_TIMESTAMP;
  const expiry = expiryOf(window, strategy);
  // A signal is about the window's closing, and not about its panes.
  return shape === 'signal' ? expiry : earlier(guaranteedFiring(strategy.trigger, window), expiry);
}

/** Whether all readers of a view are past a window of it: then no pane of it is shown any more. */
export function isPassed(window: Window, { passed }: ViewFact): boolean {
  return maxTimestamp(window) < passed;
}

/** Beam's `getWatermarkThatGuaranteesFiring`: the watermark past which the trigger has fired if anything came in time. */
function guaranteedFiring(trigger: Trigger, window: Window): EpochMillis {
  switch (trigger.kind) {
    case 'default':
    case 'afterWatermark':
      return maxTimestamp(window);
    case 'repeatedly':
      return guaranteedFiring(trigger.trigger, window);
    case 'afterEach':
      return guaranteedFiring(trigger.triggers[0]!, window);
    case 'afterFirst':
      return trigger.triggers.map((part) => guaranteedFiring(part, window)).reduce(earlier);
    case 'afterAll':
      return trigger.triggers.map((part) => guaranteedFiring(part, window)).reduce(later);
    case 'orFinally':
      return earlier(guaranteedFiring(trigger.trigger, window), guaranteedFiring(trigger.until, window));
    case 'never':
    case 'afterCount':
    case 'afterProcessingTime':
    case 'afterSynchronizedProcessingTime':
      return MAX_TIMESTAMP;
  }
}
