/** What can be said of a trigger without running it. The rules are Beam's; each names where the catalogue has it. */
import type { Trigger } from './triggers.ts';

/** Whether a trigger may come to an end, after which its window takes no more elements. */
export function mayFinish(trigger: Trigger): boolean {
  switch (trigger.kind) {
    case 'default':
    case 'repeatedly':
      return false;
    case 'afterWatermark':
      return trigger.late === undefined;
    case 'afterEach':
      return trigger.triggers.every(mayFinish);
    case 'orFinally':
      return mayFinish(trigger.trigger) || mayFinish(trigger.until);
    default:
      return true;
  }
}

/**
 * Whether a trigger may finish while data can still come, so that the rest of the window would be lost (V01, V02).
 * Finishing with the on-time pane is safe where nothing is allowed to be late; `never` loses nothing.
 * @param allowedLateness of the windows it runs in, milliseconds
 */
export function mayFinishUnsafely(trigger: Trigger, allowedLateness: number): boolean {
  if (!mayFinish(trigger) || trigger.kind === 'never') return false;
  return trigger.kind !== 'afterWatermark' || allowedLateness > 0;
}

/**
 * Whether values may be combined before they reach the trigger: only when no part of it counts raw elements (C07).
 * What is not named here sees every element.
 */
export function canLift(trigger: Trigger): boolean {
  switch (trigger.kind) {
    case 'default':
    case 'never':
    case 'afterProcessingTime':
    case 'afterSynchronizedProcessingTime':
      return true;
    case 'afterCount':
      return trigger.count === 1;
    case 'afterWatermark':
      return (
        (trigger.early === undefined || canLift(trigger.early)) && (trigger.late === undefined || canLift(trigger.late))
      );
    case 'afterFirst':
      return trigger.triggers.every(canLift);
    case 'repeatedly':
      return canLift(trigger.trigger);
    default:
      return false;
  }
}

/**
 * The trigger of what a grouping emits: it passes each pane on promptly instead of waiting a second time (TR11).
 * A delay becomes "as soon as processing time has caught up", a count becomes one.
 */
export function continuationTrigger(trigger: Trigger): Trigger {
  switch (trigger.kind) {
    case 'afterCount':
      return { kind: 'afterCount', count: 1 };
    case 'afterProcessingTime':
      return { kind: 'afterSynchronizedProcessingTime' };
    case 'afterWatermark': {
      const { early, late } = trigger;
      return {
        kind: 'afterWatermark',
        ...(early === undefined ? {} : { early: continuationTrigger(early) }),
        ...(late === undefined ? {} : { late: continuationTrigger(late) }),
      };
    }
    case 'repeatedly':
      return { kind: 'repeatedly', trigger: continuationTrigger(trigger.trigger) };
    case 'afterFirst':
    case 'afterAll':
      return { kind: trigger.kind, triggers: trigger.triggers.map(continuationTrigger) };
    case 'afterEach':
      return {
        kind: 'repeatedly',
        trigger: { kind: 'afterFirst', triggers: trigger.triggers.map(continuationTrigger) },
      };
    case 'orFinally':
      return {
        kind: 'repeatedly',
        trigger: {
          kind: 'orFinally',
          trigger: continuationTrigger(trigger.trigger),
          until: continuationTrigger(trigger.until),
        },
      };
    default:
      return trigger;
  }
}
