/** The partition that a row lies in, as a text: equal for rows of one partition. */
import { PARTITION_TIME_COLUMN } from '../catalog/storage-sql.ts';
import type { TableResource } from '../catalog/table.ts';
import { identifier } from './sql-text.ts';

/** SQL over the table's columns under an alias. A table without partitions is one. */
export function partitionSql({ timePartitioning, rangePartitioning }: TableResource, alias: string): string {
  if (timePartitioning) {
    const value = `${alias}.${identifier(timePartitioning.field ?? PARTITION_TIME_COLUMN)}`;
    return `coalesce(CAST(date_trunc('${timePartitioning.type.toLowerCase()}', ${value}) AS VARCHAR), '__NULL__')`;
  }
  if (rangePartitioning) {
    const { field, range } = rangePartitioning;
    const value = `${alias}.${identifier(field)}`;
    const inside = `${value} >= ${BigInt(range.start)} AND ${value} < ${BigInt(range.end)}`;
    return `CASE WHEN ${value} IS NULL THEN '__NULL__' WHEN ${inside} THEN CAST((${value} - ${BigInt(range.start)}) // ${BigInt(range.interval)} AS VARCHAR) ELSE '__UNPARTITIONED__' END`;
  }
  return "''";
}
