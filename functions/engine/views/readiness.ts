/** When a view's window is known to be empty: past the watermark at which its trigger must have fired (catalogue SI05). */
import { earlier, type EpochMillis, later, MAX_TIMESTAMP } from '../../model/time.ts';
import type { Trigger } from '../../model/triggers.ts';
import type { WindowingStrategy } from '../../model/windowing.ts';
import { maxTimestamp, type Window } from '../../model/windows.ts';
import { expiryOf } from '../reduce/spec.ts';

/**
 * The last watermark at which a window that has had elements may still be without a pane. Once the output watermark of
 * the view's stage is past it and there is no pane, there were no elements.
 */
export function lastWithoutPane(strategy: WindowingStrategy, window: Window): EpochMillis {
  return earlier(guaranteedFiring(strategy.trigger, window), expiryOf(window, strategy));
}

/** The same of a `signal`, which is about the window's closing and not about its panes. */
export function lastOpen(strategy: WindowingStrategy, window: Window): EpochMillis {
  return expiryOf(window, strategy);
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
