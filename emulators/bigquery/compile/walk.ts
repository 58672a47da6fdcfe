/** Looks through expressions without entering subqueries. */
import type { Call, Expression, Path } from '../googlesql/ast/expression.ts';
import { AGGREGATE_FUNCTIONS } from '../functions/aggregate.ts';

function visit(value: unknown, see: (node: Expression) => boolean): boolean {
  if (Array.isArray(value)) return value.some((item) => visit(item, see));
  if (typeof value !== 'object' || value === null) return false;
  const node = value as { readonly kind?: string };
  if (node.kind === 'query') return false;
  if (typeof node.kind === 'string' && see(node as Expression)) return true;
  return Object.values(node).some((part) => visit(part, see));
}

/** True when a node of the expression, outside subqueries, is such. */
export function contains(node: Expression, such: (node: Expression) => boolean): boolean {
  return visit(node, such);
}

export function isAggregateCall(node: Expression): node is Call {
  return (
    node.kind === 'call' && node.over === undefined && (AGGREGATE_FUNCTIONS.has(node.name) || node.name === 'GROUPING')
  );
}

/** True for expressions that only a group can answer. The arguments of window functions count, the window function itself does not. */
export function containsAggregate(node: Expression): boolean {
  return contains(node, isAggregateCall);
}

export function containsWindow(node: Expression): boolean {
  return contains(node, (part) => part.kind === 'call' && part.over !== undefined);
}

/** All paths in an expression. */
export function pathsIn(node: Expression): Path[] {
  const paths: Path[] = [];
  contains(node, (part) => {
    if (part.kind === 'path') paths.push(part);
    return false;
  });
  return paths;
}

/** How an expression is written, places left out and names in one case: equal for `a.B + 1` and `A.b+1`. */
export function spelling(node: unknown): string {
  return JSON.stringify(node, (key, value: unknown) => {
    if (key === 'at') return undefined;
    if (key === 'names' && Array.isArray(value)) return value.map((name) => String(name).toLowerCase());
    return typeof value === 'bigint' ? String(value) : value;
  });
}
