import type { Element } from '../element.ts';
import { withOrdinal } from '../ids/element-id.ts';

/**
 * One of the elements that a step makes of a single one, under an id of its own. What became of the others does not matter:
 * an element that fails, and is replayed later, still has the id that it would have had.
 * @param place among them @param count how many they are; a single one keeps the id
 */
export function oneOf(element: Element, place: number, count: number): Element {
  if (count < 2 || element.id === undefined) return element;
  const id = withOrdinal(element.id, place);
  return id === element.id ? element : { ...element, id };
}
