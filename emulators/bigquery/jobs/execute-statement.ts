/** Runs one statement of any kind: parses it, compiles it, hands it to what executes its kind. */
import { invalid } from '../api-error.ts';
import { createTableReader, type Defaults } from '../catalog/table-reader.ts';
import { storageName } from '../catalog/storage-sql.ts';
import type { TableReference, TableResource } from '../catalog/table.ts';
import { createContext } from '../compile/compile.ts';
import type { CompileContext } from '../compile/context.ts';
import type { Statement } from '../googlesql/ast/statement.ts';
import { parseStatement } from '../googlesql/parse/statement.ts';
import type { Session } from '../runtime/database.ts';
import type { Control, Engine } from './engine.ts';
import { executeDdl } from './execute-ddl.ts';
import { executeDml, planDml } from './execute-dml.ts';
import { type Destination, describeQuery, executeQuery } from './execute-query.ts';
import type { StatementOutcome } from './job.ts';
import type { QueryParameters } from './parameters.ts';
import { QueryResult } from './query-result.ts';

export interface StatementRequest {
  readonly sql: string;
  readonly defaults: Defaults;
  readonly parameters: QueryParameters;
  readonly destination?: Destination;
}

const DML_TYPES = {
  insert: 'INSERT',
  update: 'UPDATE',
  delete: 'DELETE',
  merge: 'MERGE',
  truncate: 'TRUNCATE_TABLE',
} as const;

/** A statement that was read and compiled once, to find its mistakes before its job begins. */
export interface CheckedStatement {
  readonly statement: Statement;
  readonly request: StatementRequest;
  /** Where the tables are that it names; undefined when it names none. */
  readonly location: string | undefined;
}

function contextFor(engine: Engine, { defaults, parameters }: StatementRequest): CompileContext {
  return createContext({
    tables: createTableReader(engine.catalog, defaults),
    tablesOf: (view) =>
      createTableReader(engine.catalog, { projectId: view.reference.projectId, datasetId: view.reference.datasetId }),
    parameters: parameters.declared,
    nowMicros: BigInt(Date.now()) * 1000n,
    sessionUser: 'local@bigquery.invalid',
  });
}

/** @throws {SqlError} or {ApiError} when the statement cannot run. */
export function checkStatement(engine: Engine, request: StatementRequest): CheckedStatement {
  const { statement, positionalParameters } = parseStatement(request.sql);
  const given = request.parameters.declared.filter(({ name }) => typeof name === 'number').length;
  if (positionalParameters > given)
    throw invalid(
      `Query parameter number ${given + 1} not found: the query has ${positionalParameters} positional parameters`,
      'q',
    );
  const context = contextFor(engine, request);
  if (statement.kind === 'query') describeQuery(statement, context);
  else if (statement.kind in DML_TYPES) planDml(statement as Parameters<typeof planDml>[0], context);
  const [table] = context.reads.values();
  const { projectId = '', datasetId = '' } = table?.reference ?? {};
  return { statement, request, location: engine.catalog.findDataset(projectId, datasetId)?.location };
}

/** About what a table's rows would count in BigQuery: 8 bytes a value, more for text. An estimate, for orders of magnitude. */
function rowWidth(table: TableResource): bigint {
  return table.fields.reduce(
    (sum, field) =>
      sum + (['STRING', 'BYTES', 'JSON', 'STRUCT'].includes(field.type.kind) || field.mode === 'REPEATED' ? 24n : 8n),
    0n,
  );
}

async function bytesRead(engine: Engine, tables: readonly TableResource[]): Promise<bigint> {
  if (tables.length === 0) return 0n;
  return engine.database.session(async (session) => {
    let bytes = 0n;
    for (const table of tables) {
      if (!engine.catalog.findTable(table.reference)) continue;
      bytes += BigInt(String(await session.value(`SELECT count(*) FROM ${storageName(table)}`))) * rowWidth(table);
    }
    return bytes;
  });
}

function referenced(context: CompileContext): TableReference[] {
  return [...context.reads.values()].map((table) => table.reference);
}

/** What the statement would answer, for a dry run. */
export async function describeStatement(
  engine: Engine,
  { statement, request }: CheckedStatement,
): Promise<StatementOutcome> {
  const context = contextFor(engine, request);
  const isQuery = statement.kind === 'query';
  const result = isQuery ? describeQuery(statement, context) : undefined;
  const statementType = isQuery
    ? 'SELECT'
    : statement.kind in DML_TYPES
      ? DML_TYPES[statement.kind as keyof typeof DML_TYPES]
      : statement.kind.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
  const totalBytesProcessed = await bytesRead(engine, [...context.reads.values()]);
  return { statementType, totalBytesProcessed, referencedTables: referenced(context), ...(result && { result }) };
}

/** `record` writes the job's outcome; for DML inside the statement's own transaction. */
export async function runStatement(
  engine: Engine,
  { statement, request }: CheckedStatement,
  control: Control,
  record: (session: Session, outcome: StatementOutcome) => Promise<void>,
): Promise<StatementOutcome> {
  const context = contextFor(engine, request);
  const { bound } = request.parameters;
  if (statement.kind === 'query') {
    const result = await executeQuery(engine, statement, context, bound, control, request.destination);
    const totalBytesProcessed = await bytesRead(engine, [...context.reads.values()]);
    return { statementType: 'SELECT', result, totalBytesProcessed, referencedTables: referenced(context) };
  }
  if (
    statement.kind === 'insert' ||
    statement.kind === 'update' ||
    statement.kind === 'delete' ||
    statement.kind === 'merge' ||
    statement.kind === 'truncate'
  ) {
    const plan = planDml(statement, context);
    const totalBytesProcessed = await bytesRead(engine, [...context.reads.values()]);
    const base = {
      statementType: DML_TYPES[statement.kind],
      totalBytesProcessed,
      referencedTables: referenced(context),
      result: new QueryResult([], []),
    };
    const dml = await executeDml(engine, plan, bound, control, (session, counts) =>
      record(session, { ...base, dml: counts }),
    );
    return { ...base, dml };
  }
  const done = await executeDdl(statement, { engine, defaults: request.defaults, context, bound, text: request.sql });
  return { ...done, totalBytesProcessed: 0n, referencedTables: referenced(context), result: new QueryResult([], []) };
}
