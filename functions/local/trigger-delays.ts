import type { Graph } from '../model/graph.ts';
import { MAX_TIMESTAMP } from '../model/time.ts';
import type { Trigger } from '../model/triggers.ts';

/** The smallest processing-time delay that a pipeline's triggers wait for; `MAX_TIMESTAMP` when none does. */
export function smallestDelay(graph: Graph): number {
  const delays = graph.nodes.map((node) => (node.kind === 'reduce' ? delayOf(node.strategy.trigger) : MAX_TIMESTAMP));
  return Math.min(MAX_TIMESTAMP, ...delays);
}

function delayOf(trigger: Trigger): number {
  switch (trigger.kind) {
    case 'afterProcessingTime':
      return trigger.delay;
    case 'afterWatermark':
      return Math.min(
        ...[trigger.early, trigger.late].map((part) => (part === undefined ? MAX_TIMESTAMP : delayOf(part))),
      );
    case 'repeatedly':
      return delayOf(trigger.trigger);
    case 'orFinally':
      return Math.min(delayOf(trigger.trigger), delayOf(trigger.until));
    case 'afterFirst':
    case 'afterAll':
    case 'afterEach':
      return Math.min(...trigger.triggers.map(delayOf));
    default:
      return MAX_TIMESTAMP;
  }
}
