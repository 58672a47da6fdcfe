/** Types as text, so that a call in SQL can tell a function in TypeScript what its arguments are. */
import type { Type } from '../types/type.ts';

const known = new Map<string, readonly Type[]>();
const MAX_KNOWN = 10_000;

/** JSON of the types, in the order of the arguments. */
export function describeTypes(types: readonly Type[]): string {
  return JSON.stringify(types);
}

/** The types of a description made by `describeTypes`. Remembered, since it is read once a chunk. */
export function typesOf(description: string): readonly Type[] {
  const found = known.get(description);
  if (found) return found;
  const types = JSON.parse(description) as readonly Type[];
  if (known.size > MAX_KNOWN) known.clear();
  known.set(description, types);
  return types;
}
