/** Changes to JSON values: JSON_SET, JSON_REMOVE, JSON_STRIP_NULLS, JSON_ARRAY_APPEND, JSON_ARRAY_INSERT, JSON_KEYS. */
import { atPath, type PathStep } from './json-path.ts';
import type { JsonValue } from './json-text.ts';
import { ValueError } from './value-error.ts';

/** How many NULLs an assignment behind an array's end may leave. */
const MAX_PADDING = 1000;

function childOf(container: JsonValue | undefined, step: PathStep): JsonValue | undefined {
  if (Array.isArray(container)) return typeof step === 'number' ? container[step] : undefined;
  return container instanceof Map && typeof step === 'string' ? container.get(step) : undefined;
}

/** Puts a value at a path, creating what is missing; leaves the document alone where the path runs into a scalar. */
export function setAt(
  document: JsonValue,
  steps: readonly PathStep[],
  value: JsonValue,
  createIfMissing = true,
): JsonValue {
  const [step, ...rest] = steps;
  if (step === undefined) return value;
  if (document === null) {
    if (!createIfMissing) return document;
    return setAt(typeof step === 'number' ? [] : new Map<string, JsonValue>(), steps, value, createIfMissing);
  }
  const fits =
    (Array.isArray(document) && typeof step === 'number') || (document instanceof Map && typeof step === 'string');
  if (!fits) return document;
  const child = childOf(document, step);
  if (child === undefined && !createIfMissing) return document;
  const next = setAt(child ?? null, rest, value, createIfMissing);
  if (document instanceof Map) return new Map(document).set(String(step), next);
  const index = Number(step);
  if (index - (document as JsonValue[]).length > MAX_PADDING)
    throw new ValueError(`JSON_SET index ${index} lies too far behind the end of the array`);
  const items = [...(document as JsonValue[])];
  while (items.length < index) items.push(null);
  items[index] = next;
  return items;
}

export function removeAt(document: JsonValue, steps: readonly PathStep[]): JsonValue {
  const [step, ...rest] = steps;
  if (step === undefined) throw new ValueError('The JSONPath cannot be "$" in JSON_REMOVE');
  const child = childOf(document, step);
  if (child === undefined) return document;
  if (document instanceof Map) {
    const copy = new Map(document);
    if (rest.length === 0) copy.delete(String(step));
    else copy.set(String(step), removeAt(child, rest));
    return copy;
  }
  const items = [...(document as JsonValue[])];
  if (rest.length === 0) items.splice(Number(step), 1);
  else items[Number(step)] = removeAt(child, rest);
  return items;
}

/** Removes members and, with `includeArrays`, elements that are null; with `removeEmpty`, containers left empty too. */
export function stripNulls(value: JsonValue, includeArrays: boolean, removeEmpty: boolean): JsonValue {
  const empty = (item: JsonValue) =>
    item === null ||
    (removeEmpty && ((Array.isArray(item) && item.length === 0) || (item instanceof Map && item.size === 0)));
  if (Array.isArray(value)) {
    const items = value.map((item) => stripNulls(item, includeArrays, removeEmpty));
    return includeArrays ? items.filter((item) => !empty(item)) : items;
  }
  if (!(value instanceof Map)) return value;
  return new Map(
    [...value]
      .map(([name, item]) => [name, stripNulls(item, includeArrays, removeEmpty)] as const)
      .filter(([, item]) => !empty(item)),
  );
}

/** Adds values at the end of the array at a path; a null there becomes an array. */
export function appendAt(document: JsonValue, steps: readonly PathStep[], values: readonly JsonValue[]): JsonValue {
  const target = atPath(document, steps);
  if (target === null) return setAt(document, steps, [...values], false);
  return Array.isArray(target) ? setAt(document, steps, [...target, ...values], false) : document;
}

/** Puts values before an index of an array; behind the end, nulls fill the gap. */
export function insertAt(document: JsonValue, steps: readonly PathStep[], values: readonly JsonValue[]): JsonValue {
  const index = steps.at(-1);
  if (typeof index !== 'number') return document;
  const parent = steps.slice(0, -1);
  const found = atPath(document, parent);
  const target: JsonValue[] | undefined = found === null ? [] : Array.isArray(found) ? [...found] : undefined;
  if (!target) return document;
  if (index - target.length > MAX_PADDING)
    throw new ValueError(`JSON_ARRAY_INSERT index ${index} lies too far behind the end of the array`);
  while (target.length < index) target.push(null);
  target.splice(index, 0, ...values);
  return setAt(document, parent, target, false);
}

/** Names of members, nested ones dotted, in order and each once. Arrays are not entered. */
export function keysOf(value: JsonValue, maxDepth: number, prefix = ''): string[] {
  if (!(value instanceof Map) || maxDepth <= 0) return [];
  return [...value].flatMap(([name, item]) => {
    const quoted = /^[A-Za-z0-9_]*$/.test(name) ? name : `"${name}"`;
    const path = prefix === '' ? quoted : `${prefix}.${quoted}`;
    return [path, ...keysOf(item, maxDepth - 1, path)];
  });
}
