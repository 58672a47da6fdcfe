/** JSONPath as BigQuery's JSON functions read it: `$`, `.name`, `."name"`, `['name']`, `["name"]`, `[0]`. */
import type { JsonValue } from './json-text.ts';
import { ValueError } from './value-error.ts';

export type PathStep = string | number;

const STEP =
  /\.([^."[\]\s][^.[\]]*)|\."((?:[^"\\]|\\.)*)"|\[\s*(\d+)\s*\]|\[\s*'((?:[^'\\]|\\.)*)'\s*\]|\[\s*"((?:[^"\\]|\\.)*)"\s*\]/y;

/**
 * The steps of a path. The older functions (JSON_EXTRACT, JSON_EXTRACT_SCALAR) quote names with `'`, the newer ones with
 * `"`; both are taken everywhere, as no path means two things.
 * @throws {ValueError} when the text is no JSONPath, or uses operators BigQuery does not have.
 */
export function parseJsonPath(text: string): PathStep[] {
  const path = text.trim();
  if (!path.startsWith('$')) throw new ValueError("JSONPath must start with '$'");
  const steps: PathStep[] = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < path.length) {
    const at = STEP.lastIndex;
    const match = STEP.exec(path);
    if (!match) throw new ValueError(unreadable(path, at));
    const [, bare, quoted, index, single, double] = match;
    if (bare === '*') throw new ValueError(unreadable(path, at));
    if (index !== undefined) steps.push(Number(index));
    else steps.push(bare ?? unescapeName(quoted ?? single ?? double ?? ''));
  }
  return steps;
}

function unreadable(path: string, at: number): string {
  const rest = path.slice(at);
  if (/^\[\s*\*|^\.\*|^\.\.|^\[\?|^@/.test(rest)) return `Unsupported operator in JSONPath: ${rest.slice(0, 2)}`;
  return `Invalid token in JSONPath at: ${rest.slice(0, 50)}`;
}

function unescapeName(name: string): string {
  return name.replace(/\\(.)/g, '$1');
}

/** What lies at the path, or `undefined` when nothing does. */
export function atPath(value: JsonValue, steps: readonly PathStep[]): JsonValue | undefined {
  let current: JsonValue | undefined = value;
  for (const step of steps) {
    if (Array.isArray(current)) {
      if (typeof step === 'string' && !/^\d+$/.test(step)) return undefined;
      current = current[Number(step)];
    } else if (current instanceof Map) {
      current = current.get(String(step));
    } else {
      return undefined;
    }
    if (current === undefined) return undefined;
  }
  return current;
}
