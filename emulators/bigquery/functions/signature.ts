/**
 * Signatures of functions, written as GoogleSQL's documentation writes them:
 *   `STRING, INT64, INT64? -> STRING`   the third argument may be left out
 *   `T, T... -> T`                      one or more, all of the common type T
 *   `ARRAY<T>, part<date> -> DATE`      an array of anything; a name out of a set, such as a date part
 *   `STRING, wide_number_mode:STRING? -> JSON`   may also be given by name
 *   `year:INT64?=0, month:INT64?=0 -> INTERVAL`   what an argument is that a named one leaves out before it
 * `any` takes every type as it is.
 */
import { DATE_PARTS, TIME_PARTS } from '../values/date-part.ts';
import { INTERVAL_PARTS } from '../values/interval.ts';
import { scalarType, type Type } from '../types/type.ts';

export type TypePattern =
  | { readonly kind: 'type'; readonly type: Type }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'array'; readonly element: TypePattern }
  | { readonly kind: 'any' }
  | { readonly kind: 'part'; readonly allowed: readonly string[] };

export interface Parameter {
  readonly pattern: TypePattern;
  readonly optional: boolean;
  /** May come again, any number of times. Only the last one. */
  readonly repeated: boolean;
  readonly name?: string;
  /** Text of the value that stands for it where a later argument is given by name. */
  readonly otherwise?: string;
}

export interface Signature {
  readonly parameters: readonly Parameter[];
  readonly result: TypePattern;
  /** As written, for messages. */
  readonly text: string;
}

const TIMESTAMP_PARTS: readonly string[] = [...TIME_PARTS, 'DAY'];

const PART_SETS: Readonly<Record<string, readonly string[]>> = {
  date: DATE_PARTS,
  time: TIME_PARTS,
  datetime: [...TIME_PARTS, ...DATE_PARTS],
  timestamp: [...TIME_PARTS, ...DATE_PARTS],
  elapsed: TIMESTAMP_PARTS,
  interval: INTERVAL_PARTS,
  normalization: ['NFC', 'NFKC', 'NFD', 'NFKD'],
};

function parsePattern(text: string): TypePattern {
  const array = /^ARRAY<(.+)>$/.exec(text);
  if (array) return { kind: 'array', element: parsePattern(array[1] ?? '') };
  const part = /^part<(\w+)>$/.exec(text);
  if (part) return { kind: 'part', allowed: PART_SETS[part[1] ?? ''] ?? [] };
  if (text === 'any') return { kind: 'any' };
  const type = scalarType(text);
  return type ? { kind: 'type', type } : { kind: 'variable', name: text };
}

function parseParameter(text: string): Parameter {
  const named = /^(\w+):(.+)$/.exec(text);
  const [body = '', otherwise] = (named?.[2] ?? text).split('=');
  const pattern = parsePattern(body.replace(/\?$|\.\.\.$/, ''));
  return {
    pattern,
    optional: body.endsWith('?'),
    repeated: body.endsWith('...'),
    ...(named?.[1] && { name: named[1] }),
    ...(otherwise !== undefined && { otherwise }),
  };
}

export function parseSignature(text: string): Signature {
  const [left = '', right = ''] = text.split(' -> ');
  const parameters = left.trim() === '' ? [] : left.split(', ').map((part) => parseParameter(part.trim()));
  return { parameters, result: parsePattern(right.trim()), text };
}

/** True when so many arguments can be meant. */
export function acceptsCount(signature: Signature, count: number): boolean {
  const required = signature.parameters.filter((parameter) => !parameter.optional && !parameter.repeated).length;
  const repeated = signature.parameters.some((parameter) => parameter.repeated);
  return count >= required && (repeated || count <= signature.parameters.length);
}

/** The parameter that the argument at `index` belongs to. */
export function parameterAt(signature: Signature, index: number): Parameter | undefined {
  const last = signature.parameters.at(-1);
  return signature.parameters[index] ?? (last?.repeated ? last : undefined);
}
