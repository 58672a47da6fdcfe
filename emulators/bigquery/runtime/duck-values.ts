/**
 * Values in TypeScript, by GoogleSQL type: INT64 bigint; FLOAT64 number; NUMERIC and BIGNUMERIC bigint, times ten to the
 * scale; STRING and JSON string; BYTES Uint8Array; BOOL boolean; DATE number of days; DATETIME, TIMESTAMP and TIME bigint of
 * microseconds; INTERVAL {months, days, micros}; ARRAY array; STRUCT array of its fields in order; NULL null.
 */
import {
  BIGINT,
  BLOB,
  BOOLEAN,
  DATE,
  DECIMAL,
  DOUBLE,
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBIntervalValue,
  DuckDBListValue,
  DuckDBStructValue,
  DuckDBTimestampValue,
  DuckDBTimeValue,
  type DuckDBType,
  type DuckDBValue,
  INTERVAL,
  LIST,
  STRUCT,
  TIME,
  TIMESTAMP,
  VARCHAR,
} from '@duckdb/node-api';
import { BIGNUMERIC_SCALE, fieldName, NUMERIC_SCALE } from '../types/storage.ts';
import type { Type } from '../types/type.ts';
import { checkedDecimal } from '../values/decimal.ts';
import { checkedInt64 } from '../values/integer.ts';
import type { Interval } from '../values/interval.ts';

export function duckType(type: Type): DuckDBType {
  switch (type.kind) {
    case 'BOOL':
      return BOOLEAN;
    case 'INT64':
      return BIGINT;
    case 'FLOAT64':
      return DOUBLE;
    case 'NUMERIC':
      return DECIMAL(38, NUMERIC_SCALE);
    case 'BIGNUMERIC':
      return DECIMAL(38, BIGNUMERIC_SCALE);
    case 'STRING':
    case 'JSON':
      return VARCHAR;
    case 'BYTES':
      return BLOB;
    case 'DATE':
      return DATE;
    case 'DATETIME':
    case 'TIMESTAMP':
      return TIMESTAMP;
    case 'TIME':
      return TIME;
    case 'INTERVAL':
      return INTERVAL;
    case 'ARRAY':
      return LIST(duckType(type.element));
    case 'STRUCT':
      return STRUCT(Object.fromEntries(type.fields.map((field, index) => [fieldName(index), duckType(field.type)])));
  }
}

export type FromDuck = (value: DuckDBValue) => unknown;
export type ToDuck = (value: unknown) => DuckDBValue;

const same: FromDuck = (value) => value;

function presentFromDuck(type: Type): FromDuck {
  switch (type.kind) {
    case 'NUMERIC':
    case 'BIGNUMERIC':
      return (value) => (value as DuckDBDecimalValue).value;
    case 'BYTES':
      return (value) => (value as DuckDBBlobValue).bytes;
    case 'DATE':
      return (value) => (value as DuckDBDateValue).days;
    case 'DATETIME':
    case 'TIMESTAMP':
    case 'TIME':
      return (value) => (value as DuckDBTimestampValue | DuckDBTimeValue).micros;
    case 'ARRAY': {
      const element = fromDuck(type.element);
      return (value) => (value as DuckDBListValue).items.map(element);
    }
    case 'STRUCT': {
      const fields = type.fields.map((field) => fromDuck(field.type));
      return (value) => {
        const { entries } = value as DuckDBStructValue;
        return fields.map((field, index) => field(entries[fieldName(index)] ?? null));
      };
    }
    default:
      return same;
  }
}

/** How a value of the type is read from DuckDB. Made once a column, called once a row. */
export function fromDuck(type: Type): FromDuck {
  const present = presentFromDuck(type);
  return present === same ? same : (value) => (value === null ? null : present(value));
}

function presentToDuck(type: Type): (value: never) => DuckDBValue {
  switch (type.kind) {
    case 'INT64':
      return (value: bigint) => checkedInt64(value, String(value));
    case 'NUMERIC':
    case 'BIGNUMERIC': {
      const scale = type.kind === 'NUMERIC' ? NUMERIC_SCALE : BIGNUMERIC_SCALE;
      const kind = type.kind;
      return (value: bigint) => new DuckDBDecimalValue(checkedDecimal(value, kind, 'result'), 38, scale);
    }
    case 'BYTES':
      return (value: Uint8Array) => new DuckDBBlobValue(value);
    case 'DATE':
      return (value: number) => new DuckDBDateValue(value);
    case 'DATETIME':
    case 'TIMESTAMP':
      return (value: bigint) => new DuckDBTimestampValue(value);
    case 'TIME':
      return (value: bigint) => new DuckDBTimeValue(value);
    case 'INTERVAL':
      return ({ months, days, micros }: Interval) => new DuckDBIntervalValue(months, days, micros);
    case 'ARRAY': {
      const element = toDuck(type.element);
      return (value: readonly unknown[]) => new DuckDBListValue(value.map(element));
    }
    case 'STRUCT': {
      const fields = type.fields.map((field) => toDuck(field.type));
      return (value: readonly unknown[]) =>
        new DuckDBStructValue(
          Object.fromEntries(fields.map((field, index) => [fieldName(index), field(value[index] ?? null)])),
        );
    }
    default:
      return (value: DuckDBValue) => value;
  }
}

/** How a value of the type is written to DuckDB; `undefined` is NULL too. */
export function toDuck(type: Type): ToDuck {
  const present = presentToDuck(type) as (value: unknown) => DuckDBValue;
  return (value) => (value === null || value === undefined ? null : present(value));
}
