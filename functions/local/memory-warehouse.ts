/** Tables in memory, by the warehouse port's rules. */
import type { MergeJob, MergeOutcome, Row, TableSpec, Warehouse } from '../ports/warehouse.ts';

interface Table {
  readonly spec: TableSpec;
  /** By the text of its key; where there is none, by its number. */
  readonly rows: Map<string, Row>;
}

export class MemoryWarehouse implements Warehouse {
  /** Called for each row of each merge, whether it replaces another or not. */
  onRow: ((table: string, row: Row) => void) | undefined;
  readonly #tables = new Map<string, Table>();
  readonly #jobs = new Map<string, MergeOutcome>();

  async prepare(spec: TableSpec): Promise<void> {
    if (!this.#tables.has(spec.table)) this.#tables.set(spec.table, { spec, rows: new Map() });
  }

  async merge(job: MergeJob): Promise<MergeOutcome> {
    const known = this.#jobs.get(job.id);
    if (known !== undefined) return known;
    await this.prepare(job.table);
    const { rows } = this.#tables.get(job.table.table)!;
    for (const row of job.rows) {
      this.onRow?.(job.table.table, row);
      const place = placeOf(job.table, row) ?? String(rows.size);
      const stored = rows.get(place);
      if (stored === undefined || isNewer(row, stored)) rows.set(place, row);
    }
    const outcome: MergeOutcome = { state: 'done', refused: [] };
    this.#jobs.set(job.id, outcome);
    return outcome;
  }

  get tables(): readonly string[] {
    return [...this.#tables.keys()];
  }

  /** What tables are like, by name. */
  spec(table: string): TableSpec | undefined {
    return this.#tables.get(table)?.spec;
  }

  /** Takes in the rows of a table that another warehouse has written. */
  restore(spec: TableSpec, rows: Iterable<Row>): void {
    const kept = new Map<string, Row>();
    for (const row of rows) kept.set(placeOf(spec, row) ?? String(kept.size), row);
    this.#tables.set(spec.table, { spec, rows: kept });
  }

  rows(table: string): Iterable<Row> {
    return this.#tables.get(table)?.rows.values() ?? [];
  }
}

function placeOf({ key }: TableSpec, row: Row): string | undefined {
  return key.length === 0 ? undefined : JSON.stringify(key.map((column) => row[column]));
}

function isNewer(row: Row, stored: Row): boolean {
  const epoch = (row['pane_epoch'] as number) - (stored['pane_epoch'] as number);
  return epoch > 0 || (epoch === 0 && (row['pane_sequence'] as number) > (stored['pane_sequence'] as number));
}
