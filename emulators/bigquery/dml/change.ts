/** Runs an UPDATE, DELETE or MERGE inside an open transaction: first what changes, then the changes. */
import { CHANGES, type ChangePlan, SOURCE } from '../compile/dml/plan.ts';
import { datetimeLiteral } from '../compile/sql-text.ts';
import { messageName } from '../catalog/table.ts';
import { storageName } from '../catalog/storage-sql.ts';
import { ApiError } from '../api-error.ts';
import type { BoundValues, Session } from '../runtime/database.ts';

export interface RowCounts {
  readonly inserted: bigint;
  readonly updated: bigint;
  readonly deleted: bigint;
}

/** What a statement is going to change, worked out from the table as it was when the transaction began. */
export interface PreparedChange {
  /** Partitions of the rows to be updated or deleted. */
  readonly partitions: ReadonlySet<string>;
}

async function count(session: Session, sql: string): Promise<bigint> {
  return BigInt(String((await session.value(sql)) ?? 0));
}

/**
 * Works out the changes into `~changes`.
 * @throws {ApiError} when a row would be changed twice, or lies in the streaming buffer.
 */
export async function prepareChange(
  session: Session,
  plan: ChangePlan,
  bound: BoundValues,
  bufferedSince: bigint,
): Promise<PreparedChange> {
  if (plan.source !== undefined) await session.run(`CREATE OR REPLACE TEMP TABLE ${SOURCE} AS ${plan.source}`, bound);
  await session.run(`CREATE OR REPLACE TEMP TABLE ${CHANGES} AS ${plan.changes}`, bound);
  if (plan.unmatchedTarget !== undefined) await session.run(`INSERT INTO ${CHANGES} ${plan.unmatchedTarget}`, bound);
  const twice = await session.value(
    `SELECT 1 FROM ${CHANGES} WHERE action IS NOT NULL GROUP BY rid HAVING count(*) > 1 LIMIT 1`,
  );
  if (twice !== null)
    throw new ApiError('invalidQuery', 'UPDATE/MERGE must match at most one source row for each target row');
  const buffered = await session.value(
    `SELECT 1 FROM ${CHANGES} WHERE action IS NOT NULL AND streamed > ${datetimeLiteral(bufferedSince)} LIMIT 1`,
  );
  if (buffered !== null) {
    throw new ApiError(
      'invalidQuery',
      `${plan.statement} statement over table ${messageName(plan.table.reference)} would affect rows in the streaming buffer, which is not supported`,
    );
  }
  const partitions = new Set<string>();
  for (const chunk of await session.run(`SELECT DISTINCT part FROM ${CHANGES} WHERE action IS NOT NULL`)) {
    const vector = chunk.getColumnVector(0);
    for (let row = 0; row < chunk.rowCount; row++) partitions.add(String(vector.getItem(row)));
  }
  return { partitions };
}

/** Makes the prepared changes and takes the work tables away. */
export async function applyChange(session: Session, plan: ChangePlan, bound: BoundValues): Promise<RowCounts> {
  const target = storageName(plan.table);
  let inserted = 0n;
  for (const { columns, select } of plan.inserts) {
    const [chunk] = await session.run(`INSERT INTO ${target} (${columns.join(', ')}) ${select}`, bound);
    inserted += BigInt(String(chunk?.getColumnVector(0).getItem(0) ?? 0));
  }
  const updated =
    plan.updated.length > 0 ? await count(session, `SELECT count(*) FROM ${CHANGES} WHERE action = 'update'`) : 0n;
  if (updated > 0n) {
    const values = plan.updated.map((column, index) => `${column} = c.v${index}`).join(', ');
    await session.run(
      `UPDATE ${target} AS t SET ${values} FROM ${CHANGES} AS c WHERE t.rowid = c.rid AND c.action = 'update'`,
    );
  }
  const deleted = await count(session, `SELECT count(*) FROM ${CHANGES} WHERE action = 'delete'`);
  if (deleted > 0n)
    await session.run(`DELETE FROM ${target} WHERE rowid IN (SELECT rid FROM ${CHANGES} WHERE action = 'delete')`);
  await session.run(`DROP TABLE ${CHANGES}`);
  if (plan.source !== undefined) await session.run(`DROP TABLE ${SOURCE}`);
  return { inserted, updated, deleted };
}
