/** tables.get, list, insert, patch, update, delete. */
import { ApiError, invalid } from '../api-error.ts';
import { Catalog, type TableDraft } from '../catalog/catalog.ts';
import { fieldOfType, fieldsFromWire, fieldToWire } from '../catalog/field-schema.ts';
import { checkTableId } from '../catalog/names.ts';
import { checkPartitioning, rangePartitioningFromWire, timePartitioningFromWire } from '../catalog/partitioning.ts';
import { changedSchema } from '../catalog/schema-change.ts';
import { storageName, STREAMED_COLUMN } from '../catalog/storage-sql.ts';
import type { TableField, TableReference, TableResource } from '../catalog/table.ts';
import { datetimeLiteral, identifier } from '../compile/sql-text.ts';
import type { Engine } from '../jobs/engine.ts';
import { describeView } from '../jobs/describe-view.ts';
import type { Session } from '../runtime/database.ts';
import {
  type ApiRequest,
  type Json,
  labelsOf,
  NO_CONTENT,
  objectOf,
  ok,
  optionalString,
  pageOf,
  param,
} from './request.ts';
import type { Route } from './router.ts';

/** What the API shows of a table, apart from what is counted in its rows. */
function summary({
  reference,
  kind,
  timePartitioning,
  rangePartitioning,
  clustering,
  creationTime,
  expirationTime,
  friendlyName,
  labels,
  requirePartitionFilter,
  viewQuery,
}: TableResource): object {
  return {
    id: `${reference.projectId}:${reference.datasetId}.${reference.tableId}`,
    tableReference: reference,
    type: kind,
    creationTime: String(creationTime),
    ...(friendlyName !== undefined && { friendlyName }),
    ...(labels && { labels }),
    ...(expirationTime !== undefined && { expirationTime }),
    ...(timePartitioning && { timePartitioning }),
    ...(rangePartitioning && { rangePartitioning }),
    ...(clustering && { clustering: { fields: clustering } }),
    ...(requirePartitionFilter !== undefined && { requirePartitionFilter }),
    ...(viewQuery !== undefined && { view: { query: viewQuery, useLegacySql: false } }),
  };
}

async function rowStatistics(engine: Engine, table: TableResource): Promise<object> {
  if (table.kind === 'VIEW') return {};
  return engine.database.session(async (session) => {
    const count = async (where: string) =>
      BigInt(String(await session.value(`SELECT count(*) FROM ${storageName(table)}${where}`)));
    const rows = await count('');
    const since = BigInt(Date.now() - engine.troubles.streamingBufferMillis) * 1000n;
    const buffered = await count(` WHERE ${identifier(STREAMED_COLUMN)} > ${datetimeLiteral(since)}`);
    const width = BigInt(table.fields.length * 8);
    return {
      numRows: String(rows),
      numBytes: String(rows * width),
      numLongTermBytes: '0',
      ...(buffered > 0n && {
        streamingBuffer: { estimatedRows: String(buffered), estimatedBytes: String(buffered * width) },
      }),
    };
  });
}

async function toResource(engine: Engine, table: TableResource, origin: string): Promise<object> {
  const { projectId, datasetId, tableId } = table.reference;
  return {
    kind: 'bigquery#table',
    etag: table.etag,
    selfLink: `${origin}/bigquery/v2/projects/${projectId}/datasets/${datasetId}/tables/${tableId}`,
    ...summary(table),
    ...(table.description !== undefined && { description: table.description }),
    schema: { fields: table.fields.map(fieldToWire) },
    lastModifiedTime: String(table.lastModifiedTime),
    location: engine.catalog.findDataset(projectId, datasetId)?.location ?? 'US',
    ...(await rowStatistics(engine, table)),
  };
}

function settings(body: Json): Partial<TableResource> {
  const labels = labelsOf(body['labels']);
  const friendlyName = optionalString(body['friendlyName'], 'friendlyName');
  const description = optionalString(body['description'], 'description');
  const { expirationTime, requirePartitionFilter } = body;
  return {
    ...(labels && { labels }),
    ...(friendlyName !== undefined && { friendlyName }),
    ...(description !== undefined && { description }),
    ...(expirationTime !== undefined && expirationTime !== null && { expirationTime: String(expirationTime) }),
    ...(typeof requirePartitionFilter === 'boolean' && { requirePartitionFilter }),
  };
}

function clusteringOf(value: unknown): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  const { fields } = objectOf(value, 'clustering');
  if (!Array.isArray(fields) || !fields.every((field) => typeof field === 'string'))
    throw invalid('Invalid clustering: fields must be a list of column names');
  return fields as string[];
}

function draftOf(engine: Engine, reference: TableReference, body: Json): TableDraft {
  const view = body['view'];
  if (view !== undefined && view !== null) {
    const query = objectOf(view, 'view')['query'];
    if (typeof query !== 'string') throw new ApiError('required', 'Required parameter is missing: view.query');
    const columns = describeView(engine, query, reference);
    return {
      reference,
      kind: 'VIEW',
      fields: columns.map(({ name, type }) => fieldOfType(name, type)),
      viewQuery: query,
      ...settings(body),
    };
  }
  for (const kind of ['externalDataConfiguration', 'materializedView', 'snapshotDefinition', 'cloneDefinition']) {
    if (body[kind] !== undefined && body[kind] !== null)
      throw new ApiError('notImplemented', `Tables with ${kind} are not supported by this local BigQuery server`);
  }
  const schema = body['schema'];
  const fields = schema === undefined || schema === null ? [] : fieldsFromWire(objectOf(schema, 'schema')['fields']);
  const timePartitioning = timePartitioningFromWire(body['timePartitioning']);
  const rangePartitioning = rangePartitioningFromWire(body['rangePartitioning']);
  const clustering = clusteringOf(body['clustering']);
  const partitioning = {
    ...(timePartitioning && { timePartitioning }),
    ...(rangePartitioning && { rangePartitioning }),
  };
  checkPartitioning(partitioning, clustering, fields);
  return { reference, kind: 'TABLE', fields, ...partitioning, ...(clustering && { clustering }), ...settings(body) };
}

function referenceOf(request: ApiRequest, tableId = param(request, 'table')): TableReference {
  return { projectId: param(request, 'project'), datasetId: param(request, 'dataset'), tableId };
}

/** Applies what a patch may change; adding columns and relaxing REQUIRED are all that may happen to a schema. */
function change(engine: Engine, whole: boolean) {
  return async (request: ApiRequest) => {
    const { body } = request;
    const alterations: string[] = [];
    const apply = (table: TableResource): TableResource => {
      Catalog.checkEtag(request.ifMatch, table.etag);
      const wire =
        body['schema'] === undefined || body['schema'] === null
          ? undefined
          : objectOf(body['schema'], 'schema')['fields'];
      const fields: readonly TableField[] = wire === undefined ? table.fields : fieldsFromWire(wire);
      alterations.push(...changedSchema(table, fields));
      const kept = Object.fromEntries(
        Object.entries(table).filter(([key]) => body[key] !== null),
      ) as unknown as TableResource;
      const cleared = whole ? withoutSettings(kept) : kept;
      const clustering = clusteringOf(body['clustering']);
      return { ...cleared, ...settings(body), fields, ...(clustering && { clustering }) };
    };
    const changed = await engine.catalog.updateTable(referenceOf(request), apply, async (session: Session) => {
      for (const sql of alterations) await session.run(sql);
    });
    return ok(await toResource(engine, changed, request.origin));
  };
}

function withoutSettings({
  friendlyName: _,
  description: __,
  labels: ___,
  expirationTime: ____,
  ...rest
}: TableResource): TableResource {
  return rest;
}

export function tableRoutes(engine: Engine): Route[] {
  const { catalog } = engine;
  const path = '/projects/:project/datasets/:dataset/tables';
  return [
    {
      method: 'GET',
      path,
      handler: (request) => {
        catalog.dataset(param(request, 'project'), param(request, 'dataset'));
        const all = catalog.tables(param(request, 'project'), param(request, 'dataset'));
        const { items, nextPageToken } = pageOf(all, request);
        const tables = items.map((table) => ({ kind: 'bigquery#table', ...summary(table) }));
        return ok({
          kind: 'bigquery#tableList',
          etag: 'list',
          totalItems: all.length,
          tables,
          ...(nextPageToken !== undefined && { nextPageToken }),
        });
      },
    },
    {
      method: 'POST',
      path,
      handler: async (request) => {
        const tableId = checkTableId(objectOf(request.body['tableReference'], 'tableReference')['tableId']);
        const table = await catalog.createTable(draftOf(engine, referenceOf(request, tableId), request.body));
        return ok(await toResource(engine, table, request.origin));
      },
    },
    {
      method: 'GET',
      path: `${path}/:table`,
      handler: async (request) => ok(await toResource(engine, catalog.table(referenceOf(request)), request.origin)),
    },
    { method: 'PATCH', path: `${path}/:table`, handler: change(engine, false) },
    { method: 'PUT', path: `${path}/:table`, handler: change(engine, true) },
    {
      method: 'DELETE',
      path: `${path}/:table`,
      handler: async (request) => {
        await catalog.deleteTable(referenceOf(request));
        return NO_CONTENT;
      },
    },
  ];
}
