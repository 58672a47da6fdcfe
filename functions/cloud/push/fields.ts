/**
 * Reading JSON of strangers. Invariant: only an object's own properties are looked at, so neither `__proto__` in the
 * text nor a prototype that somebody spoilt can put a value where the sender sent none. `null` counts as left out.
 */
import { epochMillis, type EpochMillis } from '../../model/time.ts';
import { PushDecodeError } from './message.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;
/** RFC 3339 with up to nanoseconds, as protobuf's JSON writes a Timestamp. */
const RFC3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;
const EXCERPT = 60;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}

export function own(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? (object[name] ?? undefined) : undefined;
}

export function ownText(object: JsonObject, name: string, field: string, messageId?: string): string | undefined {
  const value = own(object, name);
  if (value === undefined || typeof value === 'string') return value;
  throw new PushDecodeError(field, `expected text, got ${excerpt(value)}`, messageId);
}

/** Both alphabets, with or without padding, as protobuf's JSON allows; nothing else (Buffer would skip it silently). */
export function base64(text: string, field: string, messageId?: string): Buffer {
  const digits = text.replace(/=+$/, '').length;
  if (!BASE64.test(text) || digits % 4 === 1) {
    throw new PushDecodeError(field, `expected base64, got ${excerpt(text)}`, messageId);
  }
  return Buffer.from(text, 'base64');
}

export function instant(text: string | undefined, field: string, messageId?: string): EpochMillis | undefined {
  if (text === undefined) return undefined;
  const millis = RFC3339.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(millis)) {
    throw new PushDecodeError(
      field,
      `expected an RFC 3339 time like 2026-01-31T23:59:59.123Z, got ${excerpt(text)}`,
      messageId,
    );
  }
  return epochMillis(millis);
}

export function parseObject(text: string, field: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new PushDecodeError(field, `expected JSON, got ${excerpt(text)}`);
  }
  if (isObject(value)) return value;
  throw new PushDecodeError(field, `expected a JSON object, got ${excerpt(value)}`);
}

/** The value as JSON, shortened, and its type. */
export function excerpt(value: unknown): string {
  const json = jsonOf(value);
  const shown = json.length > EXCERPT ? `${json.slice(0, EXCERPT)}…` : json;
  const type = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  return `${shown} (${type})`;
}

/** Whatever a stranger sends can be described, though `JSON.stringify` gives up on what is nested very deep. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'nothing';
  } catch {
    return 'something nested too deep';
  }
}
