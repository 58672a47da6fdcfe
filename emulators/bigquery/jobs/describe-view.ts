/** The columns of a view that is defined through the API. */
import { toApiError } from '../api-error.ts';
import { createTableReader } from '../catalog/table-reader.ts';
import type { TableReference } from '../catalog/table.ts';
import { compileTopQuery, createContext } from '../compile/compile.ts';
import { parseQuery } from '../googlesql/parse/statement.ts';
import type { Engine } from './engine.ts';
import { type ResultColumn, tableColumns } from './query-result.ts';

/** @throws {ApiError} when the text is no query, or names what is not there. */
export function describeView(engine: Engine, sql: string, { projectId, datasetId }: TableReference): ResultColumn[] {
  const defaults = { projectId, datasetId };
  const context = createContext({
    tables: createTableReader(engine.catalog, defaults),
    tablesOf: ({ reference }) =>
      createTableReader(engine.catalog, { projectId: reference.projectId, datasetId: reference.datasetId }),
    parameters: [],
    nowMicros: BigInt(Date.now()) * 1000n,
    sessionUser: '',
  });
  try {
    return tableColumns(compileTopQuery(parseQuery(sql), context).columns);
  } catch (error) {
    throw toApiError(error, sql);
  }
}
