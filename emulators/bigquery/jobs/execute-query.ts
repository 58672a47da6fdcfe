/** Runs queries. */
import { ApiError } from '../api-error.ts';
import { fieldOfType } from '../catalog/field-schema.ts';
import { storageName } from '../catalog/storage-sql.ts';
import type { TableReference } from '../catalog/table.ts';
import { identifier } from '../compile/sql-text.ts';
import { compileTopQuery } from '../compile/compile.ts';
import type { CompileContext, Relation } from '../compile/context.ts';
import type { Query } from '../googlesql/ast/query.ts';
import type { BoundValues, Session } from '../runtime/database.ts';
import { type Control, type Engine, sleep } from './engine.ts';
import { QueryResult, resultColumns, tableColumns } from './query-result.ts';
import { storeSql } from '../compile/store.ts';
import { column } from '../compile/typed.ts';

/** Where a query's rows go when not to an answer only. */
export interface Destination {
  readonly table: TableReference;
  readonly write: 'WRITE_EMPTY' | 'WRITE_APPEND' | 'WRITE_TRUNCATE';
  readonly create: 'CREATE_IF_NEEDED' | 'CREATE_NEVER';
}

async function rowsOf(engine: Engine, relation: Relation, bound: BoundValues, control: Control): Promise<QueryResult> {
  const columns = resultColumns(relation.columns);
  return engine.database.session(async (session) => {
    control.running(() => session.interrupt());
    const chunks = await session.run(relation.sql, bound);
    control.running(undefined);
    return new QueryResult(columns, chunks);
  });
}

/** Writes the rows of a relation into a table that is there. */
async function append(
  session: Session,
  engine: Engine,
  relation: Relation,
  bound: BoundValues,
  table: TableReference,
): Promise<void> {
  const target = engine.catalog.table(table);
  const columns = tableColumns(relation.columns);
  const values = columns.map(({ name }, index) => {
    const field = target.fields.find((candidate) => candidate.name.toLowerCase() === name.toLowerCase());
    const output = relation.columns[index];
    if (!field || !output)
      throw new ApiError(
        'invalid',
        `Provided Schema does not match Table ${table.projectId}:${table.datasetId}.${table.tableId}. Cannot add field ${name}`,
      );
    return { name: identifier(field.name), sql: storeSql(column(`q.${output.sql}`, output.type), field) };
  });
  const names = values.map((value) => value.name).join(', ');
  await session.run(
    `INSERT INTO ${storageName(target)} (${names}) SELECT ${values.map((value) => value.sql).join(', ')} FROM (${relation.sql}) AS q`,
    bound,
  );
}

async function writeTo(
  engine: Engine,
  relation: Relation,
  bound: BoundValues,
  destination: Destination,
): Promise<void> {
  const { catalog } = engine;
  const existing = catalog.findTable(destination.table);
  if (!existing && destination.create === 'CREATE_NEVER') catalog.table(destination.table);
  if (existing && destination.write === 'WRITE_EMPTY') {
    throw new ApiError(
      'duplicate',
      `Already Exists: Table ${destination.table.projectId}:${destination.table.datasetId}.${destination.table.tableId}`,
    );
  }
  if (existing && destination.write === 'WRITE_APPEND') {
    await catalog.change((session) => append(session, engine, relation, bound, destination.table));
    return;
  }
  const columns = tableColumns(relation.columns);
  const fields = columns.map(({ name, type }) => fieldOfType(name, type));
  await catalog.createTable(
    { reference: destination.table, kind: 'TABLE', fields },
    async (session, table) => {
      const list = relation.columns.map((item, index) =>
        storeSql(column(`q.${item.sql}`, item.type), table.fields[index] as (typeof fields)[number]),
      );
      await session.run(
        `INSERT INTO ${storageName(table)} (${fields.map((field) => identifier(field.name)).join(', ')}) SELECT ${list.join(', ')} FROM (${relation.sql}) AS q`,
        bound,
      );
    },
    true,
  );
}

export async function executeQuery(
  engine: Engine,
  query: Query,
  context: CompileContext,
  bound: BoundValues,
  control: Control,
  destination?: Destination,
): Promise<QueryResult> {
  const relation = compileTopQuery(query, context);
  if (destination) tableColumns(relation.columns);
  const delay = engine.troubles.delay();
  if (delay > 0) await sleep(delay);
  control.check();
  const result = await rowsOf(engine, relation, bound, control);
  if (destination) await writeTo(engine, relation, bound, destination);
  return result;
}

/** The columns a query would have, without running it. */
export function describeQuery(query: Query, context: CompileContext): QueryResult {
  return new QueryResult(resultColumns(compileTopQuery(query, context).columns), []);
}
