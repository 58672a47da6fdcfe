/**
 * How values travel and rest. Invariant: `decodeValue(encodeValue(v))` equals `v` for every value that is accepted, and
 * everything else is refused with its path; nothing is dropped or rounded silently.
 *
 * Plain JSON (what nearly all values are) passes as it is. `bigint`, `Date`, `Map`, `Set`, bytes, `NaN`, the infinities,
 * minus zero and `undefined` are written as `{"$": kind, "v": …}`; so is an object that has a key `$` of its own.
 */
import { EncodeError } from './errors.ts';

/** Deeper values than this are refused, so that hostile input cannot exhaust the stack. */
const MAX_DEPTH = 200;

/** Whether a value is plain JSON already. */
export function isPlain(value: unknown, depth = 0): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0);
    case 'object':
      break;
    default:
      return false;
  }
  if (value === null) return true;
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isPlain(value[i], depth + 1)) return false;
    return true;
  }
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  for (const key in value) {
    if (key === '$' || key === 'toJSON') return false;
    const member = (value as Record<string, unknown>)[key];
    // An absent member and an undefined one are the same to JSON and to us.
    if (member !== undefined && !isPlain(member, depth + 1)) return false;
  }
  return true;
}

/** The JSON text of a value that is plain JSON already; undefined where it is not. */
export function plainText(value: unknown): string | undefined {
  return numbersText(value, 0) ?? (isPlain(value) ? JSON.stringify(value) : undefined);
}

/**
 * The JSON text of what `encodeValue` gives for a value.
 * @throws {EncodeError} when the value cannot be carried
 */
export function valueText(value: unknown): string {
  return plainText(value) ?? taggedText(value);
}

/** The same for a value that `plainText` has given nothing for. */
export function taggedText(value: unknown): string {
  return JSON.stringify(encode(value, '', 0));
}

/** Of numbers and lists of them, as accumulators are: in one pass, without the detour to V8's own. */
function numbersText(value: unknown, depth: number): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0) ? `${value}` : undefined;
  if (value === null) return 'null';
  if (!Array.isArray(value) || depth > MAX_DEPTH) return undefined;
  let text = '[';
  for (let i = 0; i < value.length; i++) {
    const member = numbersText(value[i], depth + 1);
    if (member === undefined) return undefined;
    text += i === 0 ? member : `,${member}`;
  }
  return `${text}]`;
}

/**
 * The plain JSON that stands for a value; the value itself when it is plain already.
 * @throws {EncodeError} for functions, symbols, promises, class instances, and what is nested too deep
 */
export function encodeValue(value: unknown): unknown {
  return isPlain(value) ? value : encode(value, '', 0);
}

/** The value that `encodeValue` was given. */
export function decodeValue(json: unknown): unknown {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(decodeValue);
  const record = json as Record<string, unknown>;
  if (Object.hasOwn(record, '$')) return decodeTagged(record['$'], record['v']);
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(record)) define(result, key, decodeValue(record[key]));
  return result;
}

function encode(value: unknown, path: string, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new EncodeError(`the value is nested deeper than ${MAX_DEPTH} at ${short(path)}`);
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0) ? value : { $: 'number', v: numberText(value) };
    case 'bigint':
      return { $: 'bigint', v: value.toString() };
    case 'undefined':
      return { $: 'undefined' };
    case 'object':
      return value === null ? null : encodeObject(value, path, depth);
    default:
      throw new EncodeError(`a ${typeof value} cannot be carried between stages (at ${place(path)})`);
  }
}

function encodeObject(value: object, path: string, depth: number): unknown {
  const inside = (member: unknown, step: string): unknown => encode(member, `${path}${step}`, depth + 1);
  // Not `map`, which passes over the holes of a sparse array: they are undefined, not null.
  if (Array.isArray(value)) return Array.from(value, (member, i) => inside(member, `[${i}]`));
  if (value instanceof Date) return { $: 'date', v: Number.isNaN(value.getTime()) ? null : value.getTime() };
  if (value instanceof Map) return { $: 'map', v: [...value].map((entry, i) => inside(entry, `[${i}]`)) };
  if (value instanceof Set) return { $: 'set', v: [...value].map((member, i) => inside(member, `[${i}]`)) };
  if (value instanceof Uint8Array) return { $: 'bytes', v: Buffer.from(value).toString('base64') };
  if (value instanceof Promise)
    throw new EncodeError(`a Promise cannot be carried between stages (at ${place(path)}); use parDo for async work`);
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    throw new EncodeError(
      `a ${prototype.constructor?.name ?? 'class'} instance cannot be carried between stages (at ${place(path)}); map it to plain values first`,
    );
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  const encoded = entries.map(([key, member]) => [key, inside(member, `.${key}`)] as const);
  if (entries.some(([key]) => key === '$' || key === 'toJSON')) return { $: 'object', v: encoded };
  const result: Record<string, unknown> = {};
  for (const [key, member] of encoded) define(result, key, member);
  return result;
}

function decodeTagged(kind: unknown, v: unknown): unknown {
  switch (kind) {
    case 'number':
      return v === '-0' ? -0 : Number(v);
    case 'bigint':
      return BigInt(v as string);
    case 'undefined':
      return undefined;
    case 'date':
      return new Date(v === null ? Number.NaN : (v as number));
    case 'map':
      return new Map((v as unknown[]).map(decodeValue) as [unknown, unknown][]);
    case 'set':
      return new Set((v as unknown[]).map(decodeValue));
    case 'bytes':
      return new Uint8Array(Buffer.from(v as string, 'base64'));
    case 'object': {
      const result: Record<string, unknown> = {};
      for (const [key, member] of v as [string, unknown][]) define(result, key, decodeValue(member));
      return result;
    }
    default:
      throw new EncodeError(`unknown encoded kind ${JSON.stringify(kind)}`);
  }
}

/** Sets an own property, also where the name is `__proto__`. */
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
  else target[key] = value;
}

function numberText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}

function place(path: string): string {
  return path === '' ? 'the value itself' : short(path);
}

function short(path: string): string {
  return path.length > 120 ? `${path.slice(0, 60)}…${path.slice(-40)}` : path;
}
