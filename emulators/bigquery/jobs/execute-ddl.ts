/** Runs CREATE, DROP and ALTER. */
import { ApiError } from '../api-error.ts';
import type { TableDraft } from '../catalog/catalog.ts';
import { columnsToFields, columnToField } from '../catalog/column-definition.ts';
import { fieldOfType } from '../catalog/field-schema.ts';
import { checkColumnName, checkDatasetId, checkTableId } from '../catalog/names.ts';
import { checkPartitioning, partitioningOf } from '../catalog/partitioning.ts';
import { columnSql, storageName } from '../catalog/storage-sql.ts';
import { messageName, type TableField, type TableReference, type TableResource } from '../catalog/table.ts';
import { readOptions } from '../catalog/table-options.ts';
import { type Defaults, resolvePath } from '../catalog/table-reader.ts';
import { compileTopQuery } from '../compile/compile.ts';
import type { CompileContext, Relation } from '../compile/context.ts';
import { identifier } from '../compile/sql-text.ts';
import { storeSql } from '../compile/store.ts';
import { column } from '../compile/typed.ts';
import type {
  AlterAction,
  AlterTable,
  CreateSchema,
  CreateTable,
  CreateView,
  DdlStatement,
  Drop,
} from '../googlesql/ast/statement.ts';
import { SqlError } from '../googlesql/sql-error.ts';
import type { BoundValues, Session } from '../runtime/database.ts';
import type { Engine } from './engine.ts';
import type { StatementOutcome } from './job.ts';
import { tableColumns } from './query-result.ts';

interface Ddl {
  readonly engine: Engine;
  readonly defaults: Defaults;
  readonly context: CompileContext;
  readonly bound: BoundValues;
  /** The statement's text. */
  readonly text: string;
}

type DdlOutcome = Pick<StatementOutcome, 'statementType' | 'ddl'>;

function outcome(
  statementType: string,
  operation: NonNullable<StatementOutcome['ddl']>['operation'],
  target: object,
): DdlOutcome {
  return { statementType, ddl: { operation, target } };
}

function newTable(path: readonly string[], at: number, { defaults, engine }: Ddl): TableReference {
  const reference = resolvePath(path, defaults, at);
  checkDatasetId(reference.datasetId);
  checkTableId(reference.tableId);
  if (!engine.catalog.findDataset(reference.projectId, reference.datasetId)) {
    throw new SqlError(
      `Not found: Dataset ${reference.projectId}:${reference.datasetId} was not found in location US`,
      undefined,
      'notFound',
    );
  }
  return reference;
}

function tableFields(node: CreateTable, relation: Relation | undefined, ddl: Ddl): TableField[] {
  if (node.like) return [...ddl.context.tables.table(node.like.path, node.like.at).fields];
  if (node.columns) {
    const fields = columnsToFields(node.columns, ddl.text);
    if (relation && relation.columns.length !== fields.length)
      throw new SqlError(
        `The number of columns in the column definition list (${fields.length}) does not match that of the query (${relation.columns.length})`,
        node.at,
      );
    return fields;
  }
  if (!relation) throw new SqlError('CREATE TABLE needs a column list or a query', node.at);
  return tableColumns(relation.columns).map(({ name, type }) => fieldOfType(checkColumnName(name), type));
}

async function createTable(node: CreateTable, ddl: Ddl): Promise<DdlOutcome> {
  const reference = newTable(node.table.path, node.at, ddl);
  const type = node.query ? 'CREATE_TABLE_AS_SELECT' : 'CREATE_TABLE';
  const { catalog } = ddl.engine;
  const exists = catalog.findTable(reference) !== undefined;
  if (exists && node.ifNotExists) return outcome(type, 'SKIP', reference);
  const relation = node.query && compileTopQuery(node.query, ddl.context);
  const fields = tableFields(node, relation, ddl);
  const partitioning = node.partitionBy ? partitioningOf(node.partitionBy) : {};
  const options = readOptions(node.options);
  const clustering = node.clusterBy.length > 0 ? node.clusterBy : undefined;
  checkPartitioning(partitioning, clustering, fields);
  const { timePartitioning, rangePartitioning } = partitioning;
  const expirationMs = options.partitionExpirationMs;
  const draft: TableDraft = {
    reference,
    kind: 'TABLE',
    fields,
    ...(timePartitioning && {
      timePartitioning: { ...timePartitioning, ...(expirationMs !== undefined && { expirationMs }) },
    }),
    ...(rangePartitioning && { rangePartitioning }),
    ...(clustering && { clustering }),
    ...options.table,
  };
  await catalog.createTable(
    draft,
    relation && ((session, table) => fill(session, table, relation, ddl)),
    node.orReplace,
  );
  return outcome(type, exists ? 'REPLACE' : 'CREATE', reference);
}

async function fill(session: Session, table: TableResource, relation: Relation, { bound }: Ddl): Promise<void> {
  const values = relation.columns.map((item, index) =>
    storeSql(
      { ...column(`q.${item.sql}`, item.type), ...(item.constant && { constant: item.constant }) },
      table.fields[index] as TableField,
    ),
  );
  await session.run(
    `INSERT INTO ${storageName(table)} (${table.fields.map((field) => identifier(field.name)).join(', ')}) SELECT ${values.join(', ')} FROM (${relation.sql}) AS q`,
    bound,
  );
}

async function createView(node: CreateView, ddl: Ddl): Promise<DdlOutcome> {
  const reference = newTable(node.table.path, node.at, ddl);
  const { catalog } = ddl.engine;
  const existing = catalog.findTable(reference);
  if (existing && node.ifNotExists) return outcome('CREATE_VIEW', 'SKIP', reference);
  if (existing && existing.kind !== 'VIEW')
    throw new ApiError('duplicate', `Already Exists: Table ${messageName(reference)}`);
  const columns = tableColumns(compileTopQuery(node.query, ddl.context).columns);
  if (node.columns && node.columns.length !== columns.length)
    throw new SqlError(`View column list has ${node.columns.length} columns, its query ${columns.length}`, node.at);
  const fields = columns.map(({ name, type }, index) =>
    fieldOfType(checkColumnName(node.columns?.[index] ?? name), type),
  );
  await catalog.createTable(
    { reference, kind: 'VIEW', fields, viewQuery: node.text, ...readOptions(node.options).table },
    undefined,
    node.orReplace,
  );
  return outcome('CREATE_VIEW', existing ? 'REPLACE' : 'CREATE', reference);
}

function schemaReference(
  path: readonly string[],
  { defaults }: Ddl,
): { readonly projectId: string; readonly datasetId: string } {
  const [first = '', second] = path;
  return second === undefined
    ? { projectId: defaults.projectId, datasetId: first }
    : { projectId: first, datasetId: second };
}

async function createSchema(node: CreateSchema, ddl: Ddl): Promise<DdlOutcome> {
  const reference = schemaReference(node.path, ddl);
  checkDatasetId(reference.datasetId);
  const { catalog } = ddl.engine;
  if (node.ifNotExists && catalog.findDataset(reference.projectId, reference.datasetId))
    return outcome('CREATE_SCHEMA', 'SKIP', reference);
  const { table, defaultTableExpirationMs, location } = readOptions(node.options);
  await catalog.createDataset({
    ...reference,
    location: location ?? 'US',
    ...(table.description !== undefined && { description: table.description }),
    ...(table.friendlyName !== undefined && { friendlyName: table.friendlyName }),
    ...(table.labels && { labels: table.labels }),
    ...(defaultTableExpirationMs !== undefined && { defaultTableExpirationMs }),
  });
  return outcome('CREATE_SCHEMA', 'CREATE', reference);
}

async function drop(node: Drop, ddl: Ddl): Promise<DdlOutcome> {
  const { catalog } = ddl.engine;
  const type = `DROP_${node.what}`;
  if (node.what === 'SCHEMA') {
    const reference = schemaReference(node.table.path, ddl);
    if (node.ifExists && !catalog.findDataset(reference.projectId, reference.datasetId))
      return outcome(type, 'SKIP', reference);
    await catalog.deleteDataset(reference.projectId, reference.datasetId, node.cascade);
    return outcome(type, 'DROP', reference);
  }
  const reference = resolvePath(node.table.path, ddl.defaults, node.table.at);
  const table = catalog.findTable(reference);
  if (!table && node.ifExists) return outcome(type, 'SKIP', reference);
  if (table && table.kind !== node.what)
    throw new ApiError('invalid', `Cannot drop ${messageName(reference)} as a ${node.what}: it is a ${table.kind}`);
  await catalog.deleteTable(reference);
  return outcome(type, 'DROP', reference);
}

function fieldNamed(table: TableResource, name: string, at: number): TableField {
  const field = table.fields.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
  if (!field) throw new SqlError(`Column ${name} was not found in table ${messageName(table.reference)}`, at);
  return field;
}

interface Altered {
  readonly table: TableResource;
  /** DDL for DuckDB, where the data changes too. */
  readonly sql: string | undefined;
}

function guardColumn(table: TableResource, field: TableField, at: number): void {
  const used = [table.timePartitioning?.field, table.rangePartitioning?.field, ...(table.clustering ?? [])];
  if (used.includes(field.name))
    throw new SqlError(
      `Column ${field.name} is used by partitioning or clustering and cannot be dropped or renamed`,
      at,
    );
}

function alterOnce(table: TableResource, action: AlterAction, ddl: Ddl): Altered {
  switch (action.kind) {
    case 'addColumn': {
      const field = columnToField(action.column, ddl.text);
      const exists = table.fields.some((other) => other.name.toLowerCase() === field.name.toLowerCase());
      if (exists && action.ifNotExists) return { table, sql: undefined };
      if (exists) throw new SqlError(`Column already exists: ${field.name}`, action.column.at);
      if (field.mode === 'REQUIRED')
        throw new SqlError(`Cannot add a REQUIRED column to an existing table: ${field.name}`, action.column.at);
      return {
        table: { ...table, fields: [...table.fields, field] },
        sql: `ALTER TABLE ${storageName(table)} ADD COLUMN ${columnSql(field)}`,
      };
    }
    case 'dropColumn': {
      if (action.ifExists && !table.fields.some((field) => field.name.toLowerCase() === action.name.toLowerCase()))
        return { table, sql: undefined };
      const field = fieldNamed(table, action.name, action.at);
      guardColumn(table, field, action.at);
      if (table.fields.length === 1) throw new SqlError('Cannot drop the only column of a table', action.at);
      return {
        table: { ...table, fields: table.fields.filter((other) => other !== field) },
        sql: `ALTER TABLE ${storageName(table)} DROP COLUMN ${identifier(field.name)}`,
      };
    }
    case 'renameColumn': {
      if (action.ifExists && !table.fields.some((field) => field.name.toLowerCase() === action.from.toLowerCase()))
        return { table, sql: undefined };
      const field = fieldNamed(table, action.from, action.at);
      guardColumn(table, field, action.at);
      const to = checkColumnName(action.to);
      if (table.fields.some((other) => other !== field && other.name.toLowerCase() === to.toLowerCase()))
        throw new SqlError(`Column already exists: ${to}`, action.at);
      return {
        table: { ...table, fields: table.fields.map((other) => (other === field ? { ...other, name: to } : other)) },
        sql: `ALTER TABLE ${storageName(table)} RENAME COLUMN ${identifier(field.name)} TO ${identifier(to)}`,
      };
    }
    case 'dropNotNull': {
      const field = fieldNamed(table, action.name, action.at);
      return {
        table: {
          ...table,
          fields: table.fields.map((other) =>
            other === field && other.mode === 'REQUIRED' ? { ...other, mode: 'NULLABLE' } : other,
          ),
        },
        sql: undefined,
      };
    }
    case 'renameTable':
      return {
        table: { ...table, reference: { ...table.reference, tableId: checkTableId(action.to) } },
        sql: undefined,
      };
    case 'setOptions':
      return { table: { ...table, ...readOptions(action.options).table }, sql: undefined };
  }
}

async function alter(node: AlterTable, ddl: Ddl): Promise<DdlOutcome> {
  const reference = resolvePath(node.table.path, ddl.defaults, node.table.at);
  const { catalog } = ddl.engine;
  if (node.ifExists && !catalog.findTable(reference)) return outcome('ALTER_TABLE', 'SKIP', reference);
  const statements: string[] = [];
  const change = (table: TableResource): TableResource => {
    if (table.kind === 'VIEW') throw new SqlError(`${messageName(reference)} is a view`, node.at);
    return node.actions.reduce((current, action) => {
      const altered = alterOnce(current, action, ddl);
      if (altered.sql !== undefined) statements.push(altered.sql);
      return altered.table;
    }, table);
  };
  await catalog.updateTable(reference, change, async (session) => {
    for (const sql of statements) await session.run(sql);
  });
  return outcome('ALTER_TABLE', 'ALTER', reference);
}

export function executeDdl(node: DdlStatement, ddl: Ddl): Promise<DdlOutcome> {
  switch (node.kind) {
    case 'createTable':
      return createTable(node, ddl);
    case 'createView':
      return createView(node, ddl);
    case 'createSchema':
      return createSchema(node, ddl);
    case 'drop':
      return drop(node, ddl);
    case 'alterTable':
      return alter(node, ddl);
  }
}
