import type { ViewNode } from '../../model/graph.ts';
import type { Element } from '../element.ts';

/** What the views of one step show to its elements; only of elements whose views are all ready. */
export interface SideValues {
  /** By the names under which the step declares them; what a view shows is worked out when it is asked for. */
  of(element: Element): Readonly<Record<string, unknown>>;
  /** @throws {ConfigurationError} for a view that the step has not declared (SI10) */
  get(element: Element, view: ViewNode): unknown;
}
