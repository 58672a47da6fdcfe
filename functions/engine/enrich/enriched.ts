import type { EnrichNode } from '../../model/graph.ts';
import { schemaProblem } from '../../model/schema-problem.ts';
import type { Element } from '../element.ts';
import { PredictionMisfit } from './errors.ts';
import { contextOf } from './instance.ts';

/**
 * The element with what the model answered for it.
 * @throws {PredictionMisfit} when the answer does not fit the author's schema; and what the author's code throws
 */
export function enriched(node: EnrichNode, element: Element, answer: unknown): Element {
  let prediction: unknown;
  try {
    prediction = node.prediction.parse(answer);
  } catch (cause) {
    const message = `the model's answer does not fit the schema: ${schemaProblem(cause)}`;
    throw new PredictionMisfit(message, answer, { cause });
  }
  return { ...element, value: node.output(element.value, prediction, contextOf(element)) };
}
