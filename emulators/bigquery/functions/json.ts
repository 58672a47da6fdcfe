/** JSON functions. A value of type JSON is its normalised text; a STRING of JSON is read as it is spelt. */
import type { Type } from '../types/type.ts';
import { parseFloat64 } from '../values/float.ts';
import { isInt64, MAX_INT64, MIN_INT64, parseInt64 } from '../values/integer.ts';
import { appendAt, insertAt, keysOf, removeAt, setAt, stripNulls } from '../values/json-edit.ts';
import { type PathStep, type PathStyle, parseJsonPath } from '../values/json-path.ts';
import { elementsAt, flattenScalars, type JsonSlice, scalarText, sliceAt } from '../values/json-scan.ts';
import { type JsonValue, normalizeJson, parseJson, writeJson } from '../values/json-text.ts';
import { prettyJson, toJson, toJsonValue } from '../values/to-json.ts';
import { ValueError } from '../values/value-error.ts';
import { define, js, typedJs } from './definition.ts';

/** The last paths read: a query asks for the same few, once a row. */
const paths = new Map<string, readonly PathStep[]>();

function stepsOf(path: string, style: PathStyle): readonly PathStep[] {
  const key = style + path;
  let steps = paths.get(key);
  if (!steps) {
    steps = parseJsonPath(path, style);
    if (paths.size > 1000) paths.clear();
    paths.set(key, steps);
  }
  return steps;
}

/** JSON_QUERY and JSON_EXTRACT. Of a STRING, a JSON null is no value; of a JSON, it is one. */
const query =
  (style: PathStyle, ofJson: boolean) =>
  (text: string, path = '$'): string | null => {
    const slice = sliceAt(text, stepsOf(path, style));
    return !slice || (slice.kind === 'null' && !ofJson) ? null : slice.text;
  };

const value =
  (style: PathStyle) =>
  (text: string, path = '$'): string | null => {
    const slice = sliceAt(text, stepsOf(path, style));
    return (slice && scalarText(slice)) ?? null;
  };

const queryArray =
  (style: PathStyle) =>
  (text: string, path = '$'): string[] | null =>
    elementsAt(text, stepsOf(path, style))?.map((slice) => slice.text) ?? null;

const valueArray =
  (style: PathStyle) =>
  (text: string, path = '$'): (string | null)[] | null => {
    const slices = elementsAt(text, stepsOf(path, style));
    if (!slices || slices.some(isContainer)) return null;
    return slices.map((slice) => scalarText(slice) ?? null);
  };

function isContainer({ kind }: JsonSlice): boolean {
  return kind === 'object' || kind === 'array';
}

function parse(text: string, mode = 'exact'): string {
  if (mode !== 'exact' && mode !== 'round') throw new ValueError(`Invalid wide_number_mode specified: ${mode}`);
  try {
    const parsed = parseJson(text);
    if (mode === 'exact') checkExact(text);
    return writeJson(parsed, true);
  } catch (error) {
    throw new ValueError(`Invalid input to PARSE_JSON: ${error instanceof Error ? error.message : ''}`);
  }
}

/** Refuses numbers that a double does not give back: 17 significant digits at most, unless they are 64-bit integers. */
function checkExact(text: string): void {
  for (const [match] of text.replace(/"(?:[^"\\]|\\.)*"/g, '""').matchAll(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)) {
    const asNumber = Number(match);
    if (!Number.isFinite(asNumber)) throw new ValueError(`number overflow parsing '${match}'`);
    if (/^-?\d+$/.test(match) && BigInt(match) >= MIN_INT64 && BigInt(match) < 2n ** 64n) continue;
    const digits = match
      .replace(/[eE].*$/, '')
      .replace(/[-.]/g, '')
      .replace(/^0+|0+$/g, '');
    const written = asNumber
      .toPrecision(17)
      .replace(/[eE].*$/, '')
      .replace(/[-.]/g, '')
      .replace(/^0+|0+$/g, '');
    if (digits.length > 17 || (digits.length === 17 && digits !== written)) {
      throw new ValueError(`Input number: ${match} cannot round-trip through string representation`);
    }
  }
}

function jsonType(text: string): string {
  const parsed = parseJson(text);
  if (parsed === null) return 'null';
  if (Array.isArray(parsed)) return 'array';
  if (parsed instanceof Map) return 'object';
  return typeof parsed === 'bigint' ? 'number' : typeof parsed;
}

/** Strict conversions: the JSON must be of the kind asked for. */
function strict<T>(what: string, convert: (parsed: JsonValue) => T | undefined) {
  return (text: string): T => {
    const parsed = parseJson(text);
    const result = convert(parsed);
    if (result === undefined) throw new ValueError(`The provided JSON input is not ${what}`);
    return result;
  };
}

function jsonInt64(parsed: JsonValue): bigint | undefined {
  if (typeof parsed === 'number') {
    if (!Number.isInteger(parsed))
      throw new ValueError(`The provided JSON number: ${writeJson(parsed)} cannot be converted to an integer`);
    parsed = BigInt(parsed);
  }
  if (typeof parsed !== 'bigint') return undefined;
  if (!isInt64(parsed)) throw new ValueError(`The provided JSON number: ${parsed} cannot be converted to an integer`);
  return parsed;
}

const jsonFloat64 = (parsed: JsonValue) =>
  typeof parsed === 'bigint' || typeof parsed === 'number' ? Number(parsed) : undefined;
const jsonText = (parsed: JsonValue) => (typeof parsed === 'string' ? parsed : undefined);
const jsonBool = (parsed: JsonValue) => (typeof parsed === 'boolean' ? parsed : undefined);

/** LAX_ conversions: NULL where nothing sensible comes out. */
function lax<T>(convert: (parsed: JsonValue) => T | undefined) {
  return (text: string): T | null => {
    try {
      return convert(parseJson(text)) ?? null;
    } catch {
      return null;
    }
  };
}

/** Every element, which must all be what the function is named after. */
function eachOf(what: string, convert: (parsed: JsonValue) => unknown) {
  return (parsed: JsonValue): unknown[] | undefined => {
    if (!Array.isArray(parsed)) return undefined;
    return parsed.map((element: JsonValue) => {
      const result = convert(element);
      if (result === undefined) throw new ValueError(`The provided JSON array has an element that is not ${what}`);
      return result;
    });
  };
}

/** Every element, NULL for those of which nothing sensible comes out. */
function eachLax(convert: (parsed: JsonValue) => unknown) {
  return (parsed: JsonValue): unknown[] | undefined =>
    Array.isArray(parsed) ? parsed.map((element: JsonValue) => convert(element) ?? null) : undefined;
}

function laxInt64(parsed: JsonValue): bigint | undefined {
  if (typeof parsed === 'boolean') return parsed ? 1n : 0n;
  if (typeof parsed === 'bigint') return isInt64(parsed) ? parsed : undefined;
  const asNumber = typeof parsed === 'string' ? parseFloat64(parsed) : parsed;
  if (typeof parsed === 'string' && /^[+-]?\d+$/.test(parsed.trim())) return parseInt64(parsed);
  if (typeof asNumber !== 'number' || !Number.isFinite(asNumber)) return undefined;
  const rounded = BigInt(Math.sign(asNumber) * Math.round(Math.abs(asNumber)));
  return rounded <= MAX_INT64 && rounded >= MIN_INT64 ? rounded : undefined;
}

function laxFloat64(parsed: JsonValue): number | undefined {
  return typeof parsed === 'string' ? parseFloat64(parsed) : jsonFloat64(parsed);
}

function laxBool(parsed: JsonValue): boolean | undefined {
  if (typeof parsed === 'boolean') return parsed;
  if (typeof parsed === 'string') return /^true$/i.test(parsed) ? true : /^false$/i.test(parsed) ? false : undefined;
  return typeof parsed === 'bigint' || typeof parsed === 'number' ? Number(parsed) !== 0 : undefined;
}

function laxString(parsed: JsonValue): string | undefined {
  if (typeof parsed === 'string') return parsed;
  if (typeof parsed === 'number' && Number.isInteger(parsed)) return String(parsed);
  return parsed === null || typeof parsed === 'object' ? undefined : writeJson(parsed);
}

function jsonObject(types: readonly Type[], values: readonly unknown[]): string {
  const [first, second] = types;
  if (types.length === 2 && first?.kind === 'ARRAY' && second?.kind === 'ARRAY')
    return objectOfArrays(values[0], values[1], second.element);
  if (types.length % 2 !== 0) throw new ValueError('JSON_OBJECT takes names and values in pairs');
  const members = new Map<string, JsonValue>();
  for (let index = 0; index < values.length; index += 2) {
    const name = values[index];
    if (typeof name !== 'string') throw new ValueError('Invalid input to JSON_OBJECT: A key cannot be NULL');
    if (!members.has(name)) members.set(name, parseJson(toJsonValue(values[index + 1], types[index + 1] as Type)));
  }
  return writeJson(members, true);
}

function objectOfArrays(names: unknown, values: unknown, element: Type): string {
  const keys = names as readonly string[];
  const items = values as readonly unknown[];
  if (keys.length !== items.length)
    throw new ValueError('Invalid input to JSON_OBJECT: The number of keys and values must match');
  const members = new Map<string, JsonValue>();
  keys.forEach((key, index) => {
    if (key === null) throw new ValueError('Invalid input to JSON_OBJECT: A key cannot be NULL');
    if (!members.has(key)) members.set(key, parseJson(toJsonValue(items[index], element)));
  });
  return writeJson(members, true);
}

/** Functions of a JSON and any number of (path, value) pairs. */
function edited(edit: (document: JsonValue, steps: readonly PathStep[], value: unknown, type: Type) => JsonValue) {
  return (types: readonly Type[], values: readonly unknown[]): string | null => {
    if (values[0] === null) return null;
    let document = parseJson(values[0] as string);
    for (let index = 1; index + 1 < values.length; index += 2) {
      if (values[index] === null) continue;
      document = edit(
        document,
        stepsOf(values[index] as string, 'standard'),
        values[index + 1],
        types[index + 1] as Type,
      );
    }
    return writeJson(document, true);
  };
}

const asJson = (item: unknown, type: Type) => parseJson(toJsonValue(item, type));
const eachElement = (item: unknown, type: Type): JsonValue[] => {
  const converted = asJson(item, type);
  return type.kind === 'ARRAY' && Array.isArray(converted) ? converted : [converted];
};

const extraction = (names: readonly [string, string, string, string], style: PathStyle) => [
  define(
    names[0],
    js('JSON, STRING? -> JSON', query(style, true)),
    js('STRING, STRING? -> STRING', query(style, false), { jsonText: true }),
  ),
  define(names[1], js('JSON, STRING? -> STRING', value(style)), js('STRING, STRING? -> STRING', value(style))),
  define(
    names[2],
    js('JSON, STRING? -> ARRAY<JSON>', queryArray(style)),
    js('STRING, STRING? -> ARRAY<STRING>', queryArray(style), { jsonText: true }),
  ),
  define(
    names[3],
    js('JSON, STRING? -> ARRAY<STRING>', valueArray(style)),
    js('STRING, STRING? -> ARRAY<STRING>', valueArray(style)),
  ),
];

export const JSON_FUNCTIONS = [
  ...extraction(['JSON_QUERY', 'JSON_VALUE', 'JSON_QUERY_ARRAY', 'JSON_VALUE_ARRAY'], 'standard'),
  ...extraction(['JSON_EXTRACT', 'JSON_EXTRACT_SCALAR', 'JSON_EXTRACT_ARRAY', 'JSON_EXTRACT_STRING_ARRAY'], 'legacy'),
  // Not GoogleSQL's: the compiler puts it beside a column of JSON objects whose members are read one by one.
  define('JSON_FLATTEN_SCALARS', js('STRING -> STRING', flattenScalars)),
  define(
    'JSON_MEMBER',
    js('JSON, STRING -> JSON', (text: string, name: string) => sliceAt(text, [name])?.text ?? null),
  ),
  define(
    'JSON_ELEMENT',
    js('JSON, INT64 -> JSON', (text: string, index: bigint) => sliceAt(text, [Number(index)])?.text ?? null),
  ),
  define('PARSE_JSON', js('STRING, wide_number_mode:STRING? -> JSON', parse)),
  define(
    'TO_JSON',
    typedJs('any, stringify_wide_numbers:BOOL? -> JSON', ([type], [item, stringify]) =>
      toJsonValue(item, type as Type, stringify === true),
    ),
  ),
  define(
    'TO_JSON_STRING',
    typedJs('any, BOOL? -> STRING', ([type], [item, pretty]) => {
      const text = toJson(item, type as Type, { stringifyWideNumbers: true, forJsonType: false });
      return pretty === true ? prettyJson(text) : text;
    }),
  ),
  define(
    'JSON_ARRAY',
    typedJs('any... -> JSON', (types, values) =>
      normalizeJson(`[${values.map((item, index) => toJsonValue(item, types[index] as Type)).join(',')}]`),
    ),
  ),
  define('JSON_OBJECT', typedJs('any... -> JSON', jsonObject)),
  define(
    'JSON_SET',
    typedJs(
      'JSON, any... -> JSON',
      edited((document, steps, item, type) => setAt(document, steps, asJson(item, type))),
    ),
  ),
  define(
    'JSON_ARRAY_APPEND',
    typedJs(
      'JSON, any... -> JSON',
      edited((document, steps, item, type) => appendAt(document, steps, eachElement(item, type))),
    ),
  ),
  define(
    'JSON_ARRAY_INSERT',
    typedJs(
      'JSON, any... -> JSON',
      edited((document, steps, item, type) => insertAt(document, steps, eachElement(item, type))),
    ),
  ),
  define(
    'JSON_REMOVE',
    js('JSON, STRING... -> JSON', (text: string, ...from: string[]) =>
      writeJson(
        from.reduce((document, path) => removeAt(document, stepsOf(path, 'standard')), parseJson(text)),
        true,
      ),
    ),
  ),
  define(
    'JSON_STRIP_NULLS',
    js(
      'JSON, include_arrays:BOOL?=true, remove_empty:BOOL?=false -> JSON',
      (text: string, arrays = true, empty = false) => writeJson(stripNulls(parseJson(text), arrays, empty), true),
    ),
  ),
  define(
    'JSON_KEYS',
    js('JSON, INT64? -> ARRAY<STRING>', (text: string, depth = 1000n) =>
      [...new Set(keysOf(parseJson(text), Number(depth)))].sort(),
    ),
  ),
  define('JSON_TYPE', js('JSON -> STRING', jsonType)),
  define('BOOL', js('JSON -> BOOL', strict('a boolean', jsonBool))),
  define('INT64', js('JSON -> INT64', strict('an integer', jsonInt64))),
  ...['FLOAT64', 'DOUBLE'].map((name) =>
    define(name, js('JSON, wide_number_mode:STRING? -> FLOAT64', strict('a number', jsonFloat64))),
  ),
  ...(
    [
      ['BOOL', 'BOOL', 'a boolean', jsonBool, laxBool],
      ['INT64', 'INT64', 'an integer', jsonInt64, laxInt64],
      ['FLOAT64', 'FLOAT64', 'a number', jsonFloat64, laxFloat64],
      ['STRING', 'STRING', 'a string', jsonText, laxString],
    ] as const
  ).flatMap(([name, type, what, convert, convertLax]) => [
    define(`${name}_ARRAY`, js(`JSON -> ARRAY<${type}>`, strict('an array', eachOf(what, convert)))),
    define(`LAX_${name}_ARRAY`, js(`JSON -> ARRAY<${type}>`, lax(eachLax(convertLax)))),
  ]),
  define('JSON_TO_STRING', js('JSON -> STRING', strict('a string', jsonText))),
  define('LAX_BOOL', js('JSON -> BOOL', lax(laxBool))),
  define('LAX_INT64', js('JSON -> INT64', lax(laxInt64))),
  ...['LAX_FLOAT64', 'LAX_DOUBLE'].map((name) => define(name, js('JSON -> FLOAT64', lax(laxFloat64)))),
  define('LAX_STRING', js('JSON -> STRING', lax(laxString))),
];
