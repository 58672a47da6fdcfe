/**
 * How a scalar function is defined. Each has signatures; each signature is either DuckDB SQL (`native`), or TypeScript that
 * DuckDB calls back for every row (`js`), or TypeScript that is also told the types (`typed`).
 */
import type { Type } from '../types/type.ts';
import { parseSignature, type Signature } from './signature.ts';

/** Values in TypeScript: see `runtime/duck-values.ts` for which GoogleSQL type is which. */
// biome-ignore lint/suspicious/noExplicitAny: the signature beside each function says what its arguments are
export type Implementation = (...args: any[]) => unknown;

export type TypedImplementation = (types: readonly Type[], values: readonly unknown[]) => unknown;

export type Body =
  /** `$1`, `$2` … are the arguments, `$*` all of them. `total` says that it never fails, whatever the arguments. */
  | { readonly kind: 'native'; readonly template: string; readonly total: boolean }
  /** Called with NULL arguments only when `nulls`; else a NULL argument makes the result NULL. */
  | { readonly kind: 'js'; readonly implementation: Implementation; readonly nulls: boolean }
  /** Called with the types of the arguments, then the arguments. */
  | { readonly kind: 'typed'; readonly implementation: TypedImplementation };

export interface Overload {
  readonly signature: Signature;
  readonly body: Body;
  /** Name of the function in DuckDB, for bodies that are TypeScript. */
  readonly runtimeName: string;
  /** The result is a STRING of JSON text, so that JSON functions need not check it. */
  readonly jsonText: boolean;
}

export interface ScalarFunction {
  readonly name: string;
  readonly overloads: readonly Overload[];
}

type Draft = Omit<Overload, 'runtimeName'>;

export function native(signature: string, template: string): Draft {
  return { signature: parseSignature(signature), body: { kind: 'native', template, total: false }, jsonText: false };
}

/** A native body that cannot fail, so that `SAFE.` need not guard it. */
export function total(signature: string, template: string): Draft {
  return { signature: parseSignature(signature), body: { kind: 'native', template, total: true }, jsonText: false };
}

export function js(
  signature: string,
  implementation: Implementation,
  more: { readonly nulls?: boolean; readonly jsonText?: boolean } = {},
): Draft {
  return {
    signature: parseSignature(signature),
    body: { kind: 'js', implementation, nulls: more.nulls ?? false },
    jsonText: more.jsonText ?? false,
  };
}

export function typedJs(
  signature: string,
  implementation: TypedImplementation,
  more: { readonly jsonText?: boolean } = {},
): Draft {
  return {
    signature: parseSignature(signature),
    body: { kind: 'typed', implementation },
    jsonText: more.jsonText ?? false,
  };
}

/** A function under its GoogleSQL name. Overloads are tried in order; of those that fit, the fewest conversions win. */
export function define(name: string, ...drafts: readonly Draft[]): ScalarFunction {
  const base = `js_${name
    .toLowerCase()
    .replaceAll('.', '_')
    .replaceAll(/[^a-z0-9_]/g, 'x')}`;
  return {
    name,
    overloads: drafts.map((draft, index) => ({ ...draft, runtimeName: index === 0 ? base : `${base}_v${index + 1}` })),
  };
}
