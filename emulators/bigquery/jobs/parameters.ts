/** Query parameters: from the API's form to a type and a value that DuckDB is given. */
import type { DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { invalid } from '../api-error.ts';
import { canonicalTypeName } from '../googlesql/parse/type-name.ts';
import type { BoundValues } from '../runtime/database.ts';
import { duckType, toDuck } from '../runtime/duck-values.ts';
import { scalarType, structOf, type ScalarType, type Type, typeName } from '../types/type.ts';
import { parseDecimal } from '../values/decimal.ts';
import { parseFloat64 } from '../values/float.ts';
import { parseInt64 } from '../values/integer.ts';
import { parseIntervalText } from '../values/interval.ts';
import { normalizeJson } from '../values/json-text.ts';
import { parseDate, parseDatetime, parseTime, parseTimestamp } from '../values/parse-time.ts';
import { ValueError } from '../values/value-error.ts';

/** BigQuery's own bound. */
const MAX_PARAMETERS = 10_000;
const MAX_DEPTH = 15;

export interface QueryParameters {
  /** Named ones by lower-case name, positional ones by index. */
  readonly declared: readonly { readonly name: string | number; readonly type: Type }[];
  readonly bound: BoundValues;
}

type Json = Record<string, unknown>;

function object(value: unknown, what: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw invalid(`Invalid query parameter: ${what} must be an object`);
}

function list(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw invalid(`Invalid query parameter: ${what} must be a list`);
}

function readType(value: unknown, depth = 0): Type {
  if (depth > MAX_DEPTH) throw invalid(`Invalid query parameter: types nest deeper than ${MAX_DEPTH} levels`);
  const source = object(value, 'parameterType');
  const given = canonicalTypeName(String(source['type'] ?? ''));
  const name = given === 'FLOAT' ? 'FLOAT64' : given;
  if (name === 'ARRAY') {
    const element = readType(source['arrayType'], depth + 1);
    if (element.kind === 'ARRAY') throw invalid('Invalid query parameter: arrays of arrays are not supported');
    return { kind: 'ARRAY', element };
  }
  if (name === 'STRUCT' || name === 'RECORD') {
    const fields = list(source['structTypes'] ?? [], 'structTypes').map((item) => {
      const field = object(item, 'a field of structTypes');
      return { name: typeof field['name'] === 'string' ? field['name'] : '', type: readType(field['type'], depth + 1) };
    });
    if (fields.length === 0) throw invalid('Invalid query parameter: a STRUCT needs at least one field');
    return structOf(fields);
  }
  const type = scalarType(name);
  if (!type)
    throw invalid(
      `Invalid query parameter: type ${JSON.stringify(source['type'])} is not supported by this local BigQuery server`,
    );
  return type;
}

const READERS: Readonly<Record<ScalarType['kind'], (text: string) => unknown>> = {
  STRING: (text) => text,
  INT64: parseInt64,
  FLOAT64: parseFloat64,
  NUMERIC: (text) => parseDecimal(text, 'NUMERIC'),
  BIGNUMERIC: (text) => parseDecimal(text, 'BIGNUMERIC'),
  BOOL: (text) => {
    if (!/^(true|false)$/i.test(text)) throw new ValueError(`Bad bool value: ${text}`);
    return text.toLowerCase() === 'true';
  },
  BYTES: (text) => new Uint8Array(Buffer.from(text, 'base64')),
  DATE: parseDate,
  DATETIME: parseDatetime,
  TIME: parseTime,
  TIMESTAMP: parseTimestamp,
  INTERVAL: parseIntervalText,
  JSON: normalizeJson,
};

function scalarValue(source: Json, type: ScalarType): unknown {
  const given = source['value'];
  if (given === undefined || given === null) return null;
  if (typeof given !== 'string' && typeof given !== 'number' && typeof given !== 'boolean')
    throw invalid(`Invalid query parameter: a value of type ${type.kind} must be a string`);
  try {
    return READERS[type.kind](String(given));
  } catch (error) {
    if (error instanceof ValueError)
      throw invalid(`Invalid value for parameter of type ${type.kind}: ${error.message}`);
    throw error;
  }
}

function readValue(value: unknown, type: Type): unknown {
  if (value === undefined || value === null) return null;
  const source = object(value, 'parameterValue');
  if (type.kind === 'ARRAY') {
    // An ARRAY without arrayValues is an empty one: the API leaves empty lists out.
    return list(source['arrayValues'] ?? [], 'arrayValues').map((item) => readValue(item, type.element));
  }
  if (type.kind === 'STRUCT') {
    if (source['structValues'] === undefined || source['structValues'] === null) return null;
    const values = object(source['structValues'], 'structValues');
    for (const name of Object.keys(values)) {
      if (!type.fields.some((field) => field.name === name))
        throw invalid(`Invalid query parameter: ${typeName(type)} has no field ${name}`);
    }
    return type.fields.map((field) => readValue(values[field.name], field.type));
  }
  return scalarValue(source, type);
}

/** @throws {ApiError} naming the type and the value that do not fit. */
export function readParameters(parameters: unknown, mode: unknown): QueryParameters {
  const items = parameters === undefined || parameters === null ? [] : list(parameters, 'queryParameters');
  if (items.length > MAX_PARAMETERS)
    throw invalid(`Too many query parameters: ${items.length}, the limit is ${MAX_PARAMETERS}`);
  const positional =
    mode === undefined || mode === null
      ? items.every((item) => object(item, 'queryParameters')['name'] === undefined)
      : String(mode).toUpperCase() === 'POSITIONAL';
  const declared: { name: string | number; type: Type }[] = [];
  const values: Record<string, DuckDBValue> = {};
  const types: Record<string, DuckDBType> = {};
  for (const [index, item] of items.entries()) {
    const source = object(item, 'queryParameters');
    const name = source['name'];
    if (!positional && (typeof name !== 'string' || name === ''))
      throw invalid('Invalid query parameter: in named mode each needs a name');
    const type = readType(source['parameterType']);
    const key = positional ? index : String(name).toLowerCase();
    if (declared.some((other) => other.name === key)) throw invalid(`Duplicate parameter name ${String(name)}`);
    declared.push({ name: key, type });
    values[`p${index}`] = toDuck(type)(readValue(source['parameterValue'], type));
    types[`p${index}`] = duckType(type);
  }
  return { declared, bound: { values, types } };
}
