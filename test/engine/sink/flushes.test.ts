import { BigQuery } from '@google-cloud/bigquery';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningBigQuery, startBigQuery } from '../../../emulators/bigquery/start.ts';
import { BigQueryWarehouse } from '../../../functions/cloud/bigquery/warehouse.ts';
import { MemoryWarehouse } from '../../../functions/local/memory-warehouse.ts';
import { SYSTEM_CLOCK } from '../../../functions/local/system.ts';
import { type CallFault, Died, type LookedInto, pane, SinkWorld } from './sink-world.ts';

let server: RunningBigQuery;
let project = 0;
beforeAll(async () => {
  server = await startBigQuery();
});
afterAll(() => server.stop());

function inMemory(): LookedInto {
  const warehouse = new MemoryWarehouse();
  return { warehouse, rows: async (table) => [...warehouse.rows(table)] };
}

/** The real client, a project of its own, and the local server. */
function onLocalServer(): LookedInto {
  project += 1;
  const options = { projectId: `p${project}`, apiEndpoint: server.url };
  return {
    warehouse: new BigQueryWarehouse({ ...options, dataset: 'd', clock: SYSTEM_CLOCK }),
    rows: async (table) => (await new BigQuery(options).query(`SELECT * FROM d.${table}`))[0],
  };
}

describe.each([
  ['in memory', inMemory],
  ['on the local server', onLocalServer],
])('%s', { timeout: 60_000 }, (_, open) => {
  /** The keyed table's row of Bonn, and how often each pane is in the plain table. */
  async function tables({ rows }: LookedInto): Promise<{ totals: string[]; log: number[] }> {
    const totals = await rows('totals');
    const log = await rows('log');
    return {
      totals: totals.map((row) => `${row['place']} ${row['amount']} of pane ${row['pane_sequence']}`),
      log: log.map((row) => Number(row['sequence'])).sort((a, b) => a - b),
    };
  }

  it('panes delivered 2, 1, 2, 0, each in a flush of its own: pane 2, once', async () => {
    const into = open();
    const process = await new SinkWorld(into.warehouse).process();
    for (const sequence of [2, 1, 2, 0]) {
      await process.feed([pane('Bonn', sequence)]);
      await process.flush();
    }
    expect(await tables(into)).toEqual({ totals: ['Bonn 2.5 of pane 2'], log: [0, 1, 2, 2] });
  });

  it.each<[string, CallFault[]]>([
    ['whose answer is lost', ['answer lost']],
    ['that does not arrive, then loses its answer', ['never arrives', 'answer lost']],
    ['that meets contention, then loses its answer', ['contention', 'answer lost']],
  ])('panes 2, 1, 2, 0, each by a MERGE %s: pane 2, once', async (_name, faults) => {
    const into = open();
    const world = new SinkWorld(into.warehouse);
    // The same again for every call: both tables' flushes of all four panes.
    const process = await world.process({ calls: Array.from({ length: 8 }, () => [...faults, undefined]).flat() });
    for (const sequence of [2, 1, 2, 0]) {
      await process.feed([pane('Bonn', sequence)]);
      await process.flush();
    }
    expect(await tables(into)).toEqual({ totals: ['Bonn 2.5 of pane 2'], log: [0, 1, 2, 2] });
    expect(world.waiting).toBe(0);
  });

  it('a process that dies before or after any commit or call of a flush: everything is written once', async () => {
    let points = 0;
    for (const applied of [false, true])
      for (let commit = 1; ; commit++) {
        const into = open();
        const world = new SinkWorld(into.warehouse);
        const process = await world.process({ dieAtCommit: commit, applied });
        await process.feed([pane('Bonn', 2), pane('Bonn', 1), pane('Rome', 0)]);
        const died = await process.flush().then(
          () => false,
          (error: unknown) => error instanceof Died,
        );
        if (!died) break;
        points += 1;
        await world.recover();
        expect(await tables(into), `commit ${commit}`).toEqual({
          totals: ['Bonn 2.5 of pane 2', 'Rome 0.5 of pane 0'],
          log: [0, 1, 2],
        });
        expect(world.waiting).toBe(0);
      }
    // A claim and a settlement of each table, before and after.
    expect(points).toBe(8);
    for (const fault of ['dies before', 'dies after'] as const)
      for (const call of [0, 1]) {
        const into = open();
        const world = new SinkWorld(into.warehouse);
        const process = await world.process({ calls: [...Array.from({ length: call }, () => undefined), fault] });
        await process.feed([pane('Bonn', 2), pane('Bonn', 1)]);
        await expect(process.flush()).rejects.toThrow(Died);
        await world.recover();
        expect(await tables(into)).toEqual({ totals: ['Bonn 2.5 of pane 2'], log: [1, 2] });
      }
  });

  it('two sinks at once: nothing twice, nothing lost', async () => {
    const into = open();
    const world = new SinkWorld(into.warehouse);
    const [first, second] = [await world.process(), await world.process()];
    for (let sequence = 0; sequence < 10; sequence++) {
      await first.feed([pane('Bonn', sequence), pane('Rome', sequence)]);
      await Promise.all([first.flush(), second.flush(), first.flush()]);
    }
    await world.recover();
    expect(await tables(into)).toEqual({
      totals: ['Bonn 9.5 of pane 9', 'Rome 9.5 of pane 9'],
      log: Array.from({ length: 20 }, (__, i) => i >> 1),
    });
  });

  it('a sink that freezes in its call until another has taken its flush over: once, and its late answer changes nothing', async () => {
    const into = open();
    const world = new SinkWorld(into.warehouse);
    const frozen = await world.process({ calls: ['hangs after'] });
    await frozen.feed([pane('Bonn', 1)]);
    const flush = frozen.flush();
    await until(async () => (await into.rows('totals')).length === 1);
    await world.recover();
    await world.process().then(async (next) => {
      await next.feed([pane('Bonn', 2)]);
      await next.flush();
    });
    frozen.release();
    await flush;
    expect(await tables(into)).toEqual({ totals: ['Bonn 2.5 of pane 2'], log: [1, 2] });
    expect(world.waiting).toBe(0);
  });
});

describe('one bad row of 500, through a pipeline into the local server', { timeout: 60_000 }, () => {
  it.each([
    ['a string too long for its type', { note: 'too long' }, /note/i],
    ['a NUMERIC out of range', { amount: '1e40' }, /numeric/i],
  ])('%s: 499 are written once, one is a dead letter with the reason', async (_, bad, reason) => {
    const into = onLocalServer();
    const client = new BigQuery({ projectId: `p${project}`, apiEndpoint: server.url });
    await client.createDataset('d');
    await client.query(
      'CREATE TABLE d.totals (place STRING NOT NULL, amount NUMERIC NOT NULL, note STRING(5), pane_epoch INT64 NOT NULL, pane_sequence INT64 NOT NULL) CLUSTER BY place',
    );
    const world = new SinkWorld(into.warehouse);
    const process = await world.process();
    const panes = Array.from({ length: 500 }, (__, i) => pane(`place ${i}`, i, { note: 'fine', amount: '1' }));
    panes[321] = { ...panes[321]!, ...bad };
    await process.feed(panes);
    await process.flush();
    const places = (await into.rows('totals')).map(({ place }) => place as string).sort();
    expect(places).toEqual(
      panes
        .map(({ place }) => place)
        .filter((place) => place !== 'place 321')
        .sort(),
    );
    expect(await world.letters()).toMatchObject([{ code: 'ROW_REFUSED', message: expect.stringMatching(reason) }]);
  });

  it('a NULL in a REQUIRED column: the table that asks for more than the pipeline gives is refused before a row is sent', async () => {
    const into = onLocalServer();
    const client = new BigQuery({ projectId: `p${project}`, apiEndpoint: server.url });
    await client.createDataset('d');
    await client.query(
      'CREATE TABLE d.totals (place STRING NOT NULL, amount NUMERIC NOT NULL, note STRING NOT NULL, pane_epoch INT64 NOT NULL, pane_sequence INT64 NOT NULL) CLUSTER BY place',
    );
    const process = await new SinkWorld(into.warehouse).process();
    await process.feed([pane('Bonn', 1)]);
    await expect(process.flush()).rejects.toThrow("column 'note' is REQUIRED, but the pipeline admits NULL");
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds().catch(() => false))) await new Promise((resolve) => setTimeout(resolve, 10));
}
