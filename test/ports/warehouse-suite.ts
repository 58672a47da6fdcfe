import { beforeEach, describe, expect, it } from 'vitest';
import type { MergeJob, Row, TableSpec, Warehouse } from '../../functions/ports/warehouse.ts';

export interface WarehouseUnderTest {
  readonly warehouse: Warehouse;
  rows(table: string): Promise<readonly Row[]>;
}

const TOTALS: TableSpec = {
  table: 'totals',
  columns: [
    { name: 'place', type: 'STRING', nullable: false },
    { name: 'start', type: 'TIMESTAMP', nullable: false },
    { name: 'amount', type: 'NUMERIC', nullable: true },
    { name: 'pane_epoch', type: 'INT64', nullable: false },
    { name: 'pane_sequence', type: 'INT64', nullable: false },
  ],
  key: ['place', 'start'],
  partitionBy: 'start',
  clusterBy: ['place'],
};

const PLAIN: TableSpec = {
  table: 'plain',
  columns: [
    { name: 'n', type: 'INT64', nullable: false },
    { name: 'note', type: 'STRING', nullable: true },
  ],
  key: [],
  clusterBy: [],
};

const START = '2001-01-01T00:00:00.000Z';

function pane(sequence: number, amount: string | null, epoch = 1, place = 'Bonn', start = START): Row {
  return { place, start, amount, pane_epoch: epoch, pane_sequence: sequence };
}

function job(id: string, rows: readonly Row[], table: TableSpec): MergeJob {
  return { id, table, rows };
}

/** The same behaviour of every adapter of the warehouse port. */
export function warehouseSuite(name: string, open: () => Promise<WarehouseUnderTest>): void {
  describe(`the warehouse ${name}`, () => {
    let under: WarehouseUnderTest;
    // Job ids are used once, also where the adapters of several tests share a server.
    let test = 0;
    const merge = (id: string, rows: readonly Row[], table = TOTALS) =>
      under.warehouse.merge(job(`suite-${test}-${id}`, rows, table));
    const amounts = async () =>
      (await under.rows('totals')).map(({ place, amount, pane_sequence }) => [place, amount, pane_sequence]);

    beforeEach(async () => {
      test += 1;
      under = await open();
      await under.warehouse.prepare(TOTALS);
      await under.warehouse.prepare(PLAIN);
    });

    it('keeps pane 2 once, when panes come 2, 1, 2, 0', async () => {
      for (const [i, sequence] of [2, 1, 2, 0].entries())
        expect(await merge(`job-${i}`, [pane(sequence, `${sequence}.5`)])).toEqual({ state: 'done', refused: [] });
      expect(await amounts()).toEqual([['Bonn', '2.5', 2]]);
    });

    it('lets a newer epoch replace whatever an older one has left', async () => {
      await merge('a', [pane(7, '7')]);
      await merge('b', [pane(0, '1', 2)]);
      await merge('c', [pane(8, '8', 1)]);
      expect(await amounts()).toEqual([['Bonn', '1', 0]]);
    });

    it('does nothing when a job is sent again', async () => {
      await merge('same', [{ n: 1, note: 'once' }], PLAIN);
      expect(await merge('same', [{ n: 1, note: 'once' }], PLAIN)).toEqual({ state: 'done', refused: [] });
      expect(await under.rows('plain')).toEqual([{ n: 1, note: 'once' }]);
    });

    it('appends plain rows, equal ones too', async () => {
      await merge(
        'a',
        [
          { n: 1, note: null },
          { n: 1, note: null },
        ],
        PLAIN,
      );
      await merge('b', [{ n: 1, note: null }], PLAIN);
      expect(await under.rows('plain')).toHaveLength(3);
    });

    it('keeps rows of one key in several windows apart, and those of odd names', async () => {
      const places = ["O'Brien", '"quoted"', 'back`tick', 'ü🚀', "'; DROP TABLE totals; --", ''];
      await merge(
        'a',
        places.map((place, i) => pane(0, String(i), 1, place)),
      );
      await merge('b', [pane(0, '9', 1, "O'Brien", '2001-01-02T00:00:00.000Z')]);
      expect((await under.rows('totals')).map(({ place, start, amount }) => [place, start, amount]).sort()).toEqual(
        [...places.map((place, i) => [place, START, String(i)]), ["O'Brien", '2001-01-02T00:00:00.000Z', '9']].sort(),
      );
    });

    it('carries exact decimals and NULL', async () => {
      await merge('a', [pane(0, '12345678901234567890123456789.123456789'), pane(0, null, 1, 'Celle')]);
      expect((await amounts()).sort()).toEqual([
        ['Bonn', '12345678901234567890123456789.123456789', 0],
        ['Celle', null, 0],
      ]);
    });

    it('makes a table once, however often it is asked to', async () => {
      await under.warehouse.prepare(TOTALS);
      await merge('a', [pane(0, '1')]);
      await under.warehouse.prepare(TOTALS);
      expect(await amounts()).toEqual([['Bonn', '1', 0]]);
    });
  });
}
