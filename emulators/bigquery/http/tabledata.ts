/** tabledata.list and tabledata.insertAll. */
import { ApiError } from '../api-error.ts';
import { storageName } from '../catalog/storage-sql.ts';
import { fieldType, type TableField, type TableReference, type TableResource } from '../catalog/table.ts';
import { identifier } from '../compile/sql-text.ts';
import type { Engine } from '../jobs/engine.ts';
import { QueryResult } from '../jobs/query-result.ts';
import { readInsertAll, type Streamer } from '../streaming/insert-all.ts';
import { formatFromQuery } from './format-options.ts';
import { type ApiRequest, offsetOf, ok, param, tokenOf, wholeNumber } from './request.ts';
import type { Route } from './router.ts';

const MAX_ROWS = 100_000;

function referenceOf(request: ApiRequest): TableReference {
  return {
    projectId: param(request, 'project'),
    datasetId: param(request, 'dataset'),
    tableId: param(request, 'table'),
  };
}

function selected(table: TableResource, names: string | null): readonly TableField[] {
  if (names === null || names === '') return table.fields;
  const wanted = new Set(names.split(',').map((name) => (name.split('.')[0] ?? '').trim().toLowerCase()));
  return table.fields.filter((field) => wanted.has(field.name.toLowerCase()));
}

async function list(engine: Engine, request: ApiRequest): Promise<object> {
  const table = engine.catalog.table(referenceOf(request));
  if (table.kind === 'VIEW') throw new ApiError('invalid', 'Cannot list a table of type VIEW.');
  const fields = selected(table, request.query.get('selectedFields'));
  const start = request.query.has('pageToken')
    ? offsetOf(request.query.get('pageToken'))
    : wholeNumber(request.query.get('startIndex'), 'startIndex', 0);
  const size = Math.min(wholeNumber(request.query.get('maxResults'), 'maxResults', MAX_ROWS), MAX_ROWS);
  const format = formatFromQuery(request.query);
  return engine.database.session(async (session) => {
    const total = Number(await session.value(`SELECT count(*) FROM ${storageName(table)}`));
    const columns = fields.map((field) => identifier(field.name)).join(', ');
    const chunks =
      fields.length === 0
        ? []
        : await session.run(
            `SELECT ${columns} FROM ${storageName(table)} ORDER BY rowid LIMIT ${size} OFFSET ${start}`,
          );
    const result = new QueryResult(
      fields.map((field) => ({ name: field.name, type: fieldType(field) })),
      chunks,
    );
    const rows = result.page(0, size, format);
    const next = start + rows.length;
    return {
      kind: 'bigquery#tableDataList',
      etag: table.etag,
      totalRows: String(total),
      rows,
      ...(next < total && rows.length > 0 && { pageToken: tokenOf(next) }),
    };
  });
}

export function tableDataRoutes(engine: Engine, streamer: Streamer): Route[] {
  const path = '/projects/:project/datasets/:dataset/tables/:table';
  return [
    { method: 'GET', path: `${path}/data`, handler: async (request) => ok(await list(engine, request)) },
    {
      method: 'POST',
      path: `${path}/insertAll`,
      handler: async (request) => {
        const errors = await streamer.insert(engine.catalog.table(referenceOf(request)), readInsertAll(request.body));
        const answer = ok({
          kind: 'bigquery#tableDataInsertAllResponse',
          ...(errors.length > 0 && { insertErrors: errors }),
        });
        return engine.troubles.strikes('lostAnswers') ? { ...answer, lost: true } : answer;
      },
    },
  ];
}
