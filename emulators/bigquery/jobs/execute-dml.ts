/** Runs INSERT, UPDATE, DELETE, TRUNCATE and MERGE: all of a statement or nothing, and by BigQuery's rules of concurrency. */
import { ApiError, notSerialized, toApiError } from '../api-error.ts';
import { storageName } from '../catalog/storage-sql.ts';
import { fullName, messageName } from '../catalog/table.ts';
import { planInsert, planTruncate } from '../compile/dml/insert.ts';
import { planMerge } from '../compile/dml/merge.ts';
import type { ChangePlan, DmlPlan } from '../compile/dml/plan.ts';
import { planUpdate } from '../compile/dml/update.ts';
import type { CompileContext } from '../compile/context.ts';
import { datetimeLiteral } from '../compile/sql-text.ts';
import { STREAMED_COLUMN } from '../catalog/storage-sql.ts';
import { identifier } from '../compile/sql-text.ts';
import { applyChange, prepareChange, type RowCounts } from '../dml/change.ts';
import type { DmlStatement } from '../googlesql/ast/statement.ts';
import type { BoundValues, Session } from '../runtime/database.ts';
import { type Control, type Engine, sleep } from './engine.ts';

/** Writes the job's record inside the statement's own transaction, so that either both are there or neither. */
export type RecordJob = (session: Session, counts: RowCounts) => Promise<void>;

export function planDml(statement: DmlStatement, context: CompileContext): DmlPlan {
  switch (statement.kind) {
    case 'insert':
      return planInsert(statement, context);
    case 'update':
    case 'delete':
      return planUpdate(statement, context);
    case 'merge':
      return planMerge(statement, context);
    case 'truncate':
      return planTruncate(statement.table, context);
  }
}

const NO_ROWS: RowCounts = { inserted: 0n, updated: 0n, deleted: 0n };

function bufferedSince(engine: Engine): bigint {
  return BigInt(Date.now() - engine.troubles.streamingBufferMillis) * 1000n;
}

async function inTransaction<T>(engine: Engine, control: Control, work: (session: Session) => Promise<T>): Promise<T> {
  return engine.database.session(async (session) => {
    control.running(() => session.interrupt());
    await session.run('BEGIN TRANSACTION');
    const result = await work(session);
    control.running(undefined);
    return result;
  });
}

async function insert(
  engine: Engine,
  plan: DmlPlan & { kind: 'insert' },
  bound: BoundValues,
  control: Control,
  record: RecordJob,
): Promise<RowCounts> {
  const { columns, select } = plan.insert;
  return inTransaction(engine, control, async (session) => {
    const [chunk] = await session.run(
      `INSERT INTO ${storageName(plan.table)} (${columns.join(', ')}) ${select}`,
      bound,
    );
    const counts = { ...NO_ROWS, inserted: BigInt(String(chunk?.getColumnVector(0).getItem(0) ?? 0)) };
    await hold(engine, control);
    await record(session, counts);
    await session.run('COMMIT');
    engine.commits.record(fullName(plan.table.reference), new Set());
    return counts;
  });
}

/** A slow job waits here: it has read, and has not committed. */
async function hold(engine: Engine, control: Control): Promise<void> {
  const delay = engine.troubles.delay();
  if (delay > 0) await sleep(delay);
  control.check();
}

/** One try of a statement that changes rows. @throws {ApiError} `notSerialized` when another changed a partition meanwhile. */
async function change(
  engine: Engine,
  plan: ChangePlan,
  bound: BoundValues,
  control: Control,
  record: RecordJob,
): Promise<RowCounts> {
  const table = fullName(plan.table.reference);
  const token = engine.commits.begin();
  try {
    return await inTransaction(engine, control, async (session) => {
      const { partitions } = await prepareChange(session, plan, bound, bufferedSince(engine));
      await hold(engine, control);
      if (engine.troubles.strikes('notSerialized')) throw notSerialized(messageName(plan.table.reference));
      return engine.commits.exclusively(async () => {
        if (engine.commits.conflicts(token, table, partitions)) throw notSerialized(messageName(plan.table.reference));
        const counts = await applyChange(session, plan, bound);
        await record(session, counts);
        await session.run('COMMIT');
        engine.commits.record(table, partitions);
        return counts;
      });
    });
  } finally {
    engine.commits.end(token);
  }
}

function isContention(error: unknown): boolean {
  return toApiError(error).message.startsWith('Could not serialize access');
}

async function changeWithReruns(
  engine: Engine,
  plan: ChangePlan,
  bound: BoundValues,
  control: Control,
  record: RecordJob,
): Promise<RowCounts> {
  for (let run = 0; ; run++) {
    try {
      return await change(engine, plan, bound, control, record);
    } catch (error) {
      if (!isContention(error)) throw error;
      if (run >= engine.troubles.conflictReruns) throw notSerialized(messageName(plan.table.reference));
    }
  }
}

async function truncate(
  engine: Engine,
  plan: DmlPlan & { kind: 'truncate' },
  control: Control,
  record: RecordJob,
): Promise<RowCounts> {
  const table = storageName(plan.table);
  return inTransaction(engine, control, async (session) => {
    const buffered = await session.value(
      `SELECT 1 FROM ${table} WHERE ${identifier(STREAMED_COLUMN)} > ${datetimeLiteral(bufferedSince(engine))} LIMIT 1`,
    );
    if (buffered !== null)
      throw new ApiError(
        'invalidQuery',
        `TRUNCATE statement over table ${messageName(plan.table.reference)} would affect rows in the streaming buffer, which is not supported`,
      );
    const deleted = BigInt(String((await session.value(`SELECT count(*) FROM ${table}`)) ?? 0));
    await session.run(`DELETE FROM ${table}`);
    const counts = { ...NO_ROWS, deleted };
    await record(session, counts);
    await session.run('COMMIT');
    return counts;
  });
}

export async function executeDml(
  engine: Engine,
  plan: DmlPlan,
  bound: BoundValues,
  control: Control,
  record: RecordJob,
): Promise<RowCounts> {
  control.check();
  const table = messageName(plan.table.reference);
  engine.rate.count(table, engine.troubles.dmlPerTenSeconds);
  if (plan.kind === 'insert')
    return engine.inserts.run(table, async () => {
      control.check();
      return insert(engine, plan, bound, control, record);
    });
  return engine.queue.run(table, async () => {
    control.check();
    return plan.kind === 'truncate'
      ? truncate(engine, plan, control, record)
      : changeWithReruns(engine, plan, bound, control, record);
  });
}
