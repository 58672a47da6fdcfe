/**
 * Makes the functions that are written in TypeScript known to DuckDB: one for each number of arguments, each also in a
 * `try_` form that answers NULL where the other throws (SAFE_CAST, `SAFE.`).
 */
import {
  ANY,
  type DuckDBConnection,
  DuckDBScalarFunction,
  type DuckDBDataChunk,
  type DuckDBVector,
  VARCHAR,
} from '@duckdb/node-api';
import type { Body, Overload, ScalarFunction } from '../functions/definition.ts';
import type { TypePattern } from '../functions/signature.ts';
import { STRING, type Type } from '../types/type.ts';
import { duckType, type FromDuck, fromDuck, toDuck } from './duck-values.ts';
import { typesOf } from './type-descriptor.ts';

/** The concrete type that a pattern is in DuckDB; date parts are strings. */
function concrete(pattern: TypePattern, where: string): Type {
  if (pattern.kind === 'type') return pattern.type;
  if (pattern.kind === 'part') return STRING;
  if (pattern.kind === 'array') return { kind: 'ARRAY', element: concrete(pattern.element, where) };
  throw new Error(`${where}: a function in TypeScript needs concrete types, or to be a typed one`);
}

type Row = (index: number) => unknown;
type Main = (input: DuckDBDataChunk, output: DuckDBVector) => void;

/** Runs `row` over a chunk; with `safe`, what throws becomes NULL. */
function eachRow(rows: (input: DuckDBDataChunk) => Row, toResult: (value: unknown) => unknown, safe: boolean): Main {
  return (input, output) => {
    const row = rows(input);
    // Asked of DuckDB each time it is read.
    const { rowCount } = input;
    for (let index = 0; index < rowCount; index++) {
      let value: unknown;
      try {
        value = toResult(row(index));
      } catch (error) {
        if (!safe) throw error;
        value = null;
      }
      output.setItem(index, value as never);
    }
    output.flush();
  };
}

function plainRows(
  body: Body & { kind: 'js' },
  readers: readonly FromDuck[],
  lastRepeats: boolean,
): (input: DuckDBDataChunk) => Row {
  return (input) => {
    const vectors = Array.from({ length: input.columnCount }, (_, column) => input.getColumnVector(column));
    const readerOf = (column: number) =>
      readers[column] ?? (lastRepeats ? readers.at(-1) : undefined) ?? ((value) => value);
    const columns = vectors.map((vector, column) => ({ vector, read: readerOf(column) }));
    return (index) => {
      const args: unknown[] = [];
      for (const { vector, read } of columns) {
        const value = read(vector.getItem(index));
        if (value === null && !body.nulls) return null;
        args.push(value);
      }
      return body.implementation(...args);
    };
  };
}

/** The first argument describes the types of the others. */
function typedRows(body: Body & { kind: 'typed' }): (input: DuckDBDataChunk) => Row {
  return (input) => {
    if (input.rowCount === 0) return () => null;
    const types = typesOf(String(input.getColumnVector(0).getItem(0)));
    const columns = types.map((type, column) => ({ vector: input.getColumnVector(column + 1), read: fromDuck(type) }));
    return (index) =>
      body.implementation(
        types,
        columns.map(({ vector, read }) => read(vector.getItem(index))),
      );
  };
}

function registerOne(connection: DuckDBConnection, overload: Overload, arity: number, safe: boolean): void {
  const { signature, body, runtimeName } = overload;
  const name = `${safe ? 'try_' : ''}${runtimeName}`;
  if (body.kind === 'native') return;
  if (body.kind === 'typed') {
    const result = concrete(signature.result, runtimeName);
    const main = eachRow(typedRows(body), toDuck(result), safe);
    connection.registerScalarFunction(
      DuckDBScalarFunction.create({
        name,
        mainFunction: (_, input, output) => main(input, output),
        returnType: duckType(result),
        parameterTypes: [VARCHAR],
        varArgsType: ANY,
        specialHandling: true,
      }),
    );
    return;
  }
  const types = signature.parameters.map((parameter) => concrete(parameter.pattern, runtimeName));
  const repeats = signature.parameters.at(-1)?.repeated === true;
  const result = concrete(signature.result, runtimeName);
  const main = eachRow(plainRows(body, types.map(fromDuck), repeats), toDuck(result), safe);
  const fixed = repeats ? types.slice(0, -1) : types.slice(0, arity);
  const last = types.at(-1);
  connection.registerScalarFunction(
    DuckDBScalarFunction.create({
      name: repeats ? name : `${name}_${arity}`,
      mainFunction: (_, input, output) => main(input, output),
      returnType: duckType(result),
      parameterTypes: fixed.map(duckType),
      specialHandling: body.nulls,
      ...(repeats && last && { varArgsType: duckType(last) }),
    }),
  );
}

function arities(overload: Overload): number[] {
  const { parameters } = overload.signature;
  if (overload.body.kind === 'typed' || parameters.at(-1)?.repeated) return [parameters.length];
  const least = parameters.filter((parameter) => !parameter.optional).length;
  return Array.from({ length: parameters.length - least + 1 }, (_, more) => least + more);
}

/** Registers every function that is written in TypeScript. Once a database. */
export function registerFunctions(connection: DuckDBConnection, functions: readonly ScalarFunction[]): void {
  for (const { overloads } of functions) {
    for (const overload of overloads) {
      for (const arity of arities(overload)) {
        registerOne(connection, overload, arity, false);
        registerOne(connection, overload, arity, true);
      }
    }
  }
}
