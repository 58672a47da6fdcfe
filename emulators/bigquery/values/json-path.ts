/**
 * JSONPath as BigQuery's JSON functions read it: `$`, `.name`, `[0]`, and a name in quotes, which the older functions
 * (JSON_EXTRACT and its like) write `['name']` and the newer ones `."name"`.
 */
import type { JsonValue } from './json-text.ts';
import { ValueError } from './value-error.ts';

export type PathStep = string | number;
export type PathStyle = 'standard' | 'legacy';

const STEPS: Readonly<Record<PathStyle, RegExp>> = {
  standard: /\.([^."[\]]+)|\."((?:[^"\\]|\\.)*)"|\[\s*(\d+)\s*\]/y,
  legacy: /\.([^.[\]]+)|\[\s*'((?:[^'\\]|\\.)*)'\s*\]|\[\s*(\d+)\s*\]/y,
};

/** @throws {ValueError} when the text is no JSONPath, or uses operators that BigQuery does not have. */
export function parseJsonPath(text: string, style: PathStyle = 'standard'): PathStep[] {
  if (!text.startsWith('$')) throw new ValueError("JSONPath must start with '$'");
  const pattern = STEPS[style];
  const steps: PathStep[] = [];
  pattern.lastIndex = 1;
  while (pattern.lastIndex < text.length) {
    const at = pattern.lastIndex;
    const match = pattern.exec(text);
    const [, bare, quoted, index] = match ?? [];
    if (!match || bare === '*' || bare?.startsWith('@')) throw new ValueError(unreadable(text.slice(at)));
    if (index !== undefined) steps.push(Number(index));
    else steps.push(bare ?? (quoted ?? '').replace(/\\(.)/g, '$1'));
  }
  return steps;
}

function unreadable(rest: string): string {
  const operator = /^\[\s*\*|^\.\*|^\.\.|^\[\?|^\.@/.exec(rest)?.[0];
  if (operator) return `Unsupported operator in JSONPath: ${operator.slice(-1)}`;
  return `Invalid token in JSONPath at: ${rest.slice(0, 50)}`;
}

/** What lies at the path, or `undefined` when nothing does. */
export function atPath(value: JsonValue, steps: readonly PathStep[]): JsonValue | undefined {
  let current: JsonValue | undefined = value;
  for (const step of steps) {
    if (Array.isArray(current)) current = /^\d+$/.test(String(step)) ? current[Number(step)] : undefined;
    else if (current instanceof Map) current = current.get(String(step));
    else return undefined;
    if (current === undefined) return undefined;
  }
  return current;
}
