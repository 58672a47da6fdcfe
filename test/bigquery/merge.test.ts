import { beforeEach, describe, expect, test } from 'vitest';
import { useLocalServer } from './local-server.ts';
import { type Clauses, mergeModel, mergeSql, type Row, type SourceRow } from './merge-model.ts';
import { Seeded } from './seeded.ts';

const server = useLocalServer();

function stringParameter(name: string, value: string): object {
  return { name, parameterType: { type: 'STRING' }, parameterValue: { value } };
}

function withRows(rows: unknown): object {
  return { queryParameters: [stringParameter('rows', JSON.stringify(rows))], parameterMode: 'NAMED' };
}

async function fill(rows: readonly Row[]): Promise<void> {
  await server.query('CREATE OR REPLACE TABLE d.t (id STRING, v INT64, seq INT64)');
  if (rows.length === 0) return;
  const values = rows.map(({ id, v, seq }) => `(${id === null ? 'NULL' : `'${id}'`}, ${v ?? 'NULL'}, ${seq})`);
  await server.query(`INSERT d.t (id, v, seq) VALUES ${values.join(', ')}`);
}

const contents = async () => (await server.query('SELECT id, v, seq FROM d.t ORDER BY id, v, seq')).rows;

describe('MERGE', () => {
  beforeEach(() => fill([{ id: 'a', v: 1, seq: 1 }]));

  test('updates what matches and inserts what does not', async () => {
    const { body } = await server.post(
      "MERGE d.t T USING UNNEST([STRUCT('a' AS id, 5 AS v), ('b', 6)]) S ON T.id = S.id WHEN MATCHED THEN UPDATE SET v = S.v WHEN NOT MATCHED THEN INSERT (id, v, seq) VALUES (id, v, 9)",
    );
    expect(body.dmlStats).toEqual({ insertedRowCount: '1', updatedRowCount: '1', deletedRowCount: '0' });
    expect(body.numDmlAffectedRows).toBe('2');
    expect(await contents()).toEqual([
      ['a', '5', '1'],
      ['b', '6', '9'],
    ]);
  });

  test('fails whole when two source rows would change one target row', async () => {
    const sql =
      "MERGE d.t T USING UNNEST([STRUCT('a' AS id, 5 AS v), ('a', 6), ('new', 7)]) S ON T.id = S.id WHEN MATCHED THEN UPDATE SET v = S.v WHEN NOT MATCHED THEN INSERT (id, v, seq) VALUES (id, v, 9)";
    const { status, body } = await server.post(sql);
    expect(status).toBe(400);
    expect(body.error.errors[0]).toMatchObject({
      reason: 'invalidQuery',
      message: 'UPDATE/MERGE must match at most one source row for each target row',
    });
    expect(await contents()).toEqual([['a', '1', '1']]);
  });

  test('allows several source rows for a target row when at most one of them acts', async () => {
    await server.query(
      "MERGE d.t T USING UNNEST([STRUCT('a' AS id, 5 AS seq), ('a', 1), ('a', 0)]) S ON T.id = S.id WHEN MATCHED AND S.seq > T.seq THEN UPDATE SET seq = S.seq",
    );
    expect(await contents()).toEqual([['a', '1', '5']]);
  });

  test('inserts both of two equal source rows that match nothing', async () => {
    await server.query(
      "MERGE d.t T USING UNNEST([STRUCT('b' AS id, 5 AS v), ('b', 6)]) S ON T.id = S.id WHEN NOT MATCHED THEN INSERT (id, v, seq) VALUES (id, v, 0)",
    );
    expect(await contents()).toEqual([
      ['a', '1', '1'],
      ['b', '5', '0'],
      ['b', '6', '0'],
    ]);
  });

  test('takes the first clause whose condition holds', async () => {
    await server.query(
      "MERGE d.t T USING UNNEST(['a']) S ON T.id = S WHEN MATCHED AND T.v = 2 THEN DELETE WHEN MATCHED AND T.v = 1 THEN UPDATE SET v = 10 WHEN MATCHED THEN DELETE",
    );
    expect(await contents()).toEqual([['a', '10', '1']]);
  });

  test('never matches NULL keys', async () => {
    await fill([{ id: null, v: 1, seq: 1 }]);
    await server.query(
      'MERGE d.t T USING (SELECT CAST(NULL AS STRING) AS id, 2 AS v) S ON T.id = S.id WHEN MATCHED THEN UPDATE SET v = 99 WHEN NOT MATCHED THEN INSERT (id, v, seq) VALUES (id, v, 0)',
    );
    expect(await contents()).toEqual([
      [null, '1', '1'],
      [null, '2', '0'],
    ]);
  });

  test('inserts a whole row with INSERT ROW, by position', async () => {
    await server.query(
      "MERGE d.t T USING (SELECT 'z' AS first, 3 AS second, 4 AS third) S ON FALSE WHEN NOT MATCHED THEN INSERT ROW",
    );
    expect(await contents()).toEqual([
      ['a', '1', '1'],
      ['z', '3', '4'],
    ]);
  });

  test('replaces a table with ON FALSE', async () => {
    await server.query(
      "MERGE d.t USING (SELECT 'n' AS id) S ON FALSE WHEN NOT MATCHED THEN INSERT (id) VALUES (id) WHEN NOT MATCHED BY SOURCE THEN DELETE",
    );
    expect(await contents()).toEqual([['n', null, null]]);
  });

  test('takes a table, an alias, a parameter and a subquery as its source', async () => {
    await server.query("CREATE OR REPLACE TABLE d.src AS SELECT 'a' AS id, 7 AS v");
    await server.query(
      'MERGE INTO d.t AS target USING d.src AS source ON target.id = source.id WHEN MATCHED THEN UPDATE SET v = source.v + target.v',
    );
    expect(await contents()).toEqual([['a', '8', '1']]);
    const parameter = {
      name: 'rows',
      parameterType: {
        type: 'ARRAY',
        arrayType: {
          type: 'STRUCT',
          structTypes: [
            { name: 'id', type: { type: 'STRING' } },
            { name: 'v', type: { type: 'INT64' } },
          ],
        },
      },
      parameterValue: { arrayValues: [{ structValues: { id: { value: 'a' }, v: { value: '20' } } }] },
    };
    await server.query('MERGE d.t T USING UNNEST(@rows) S ON T.id = S.id WHEN MATCHED THEN UPDATE SET v = S.v', {
      queryParameters: [parameter],
      parameterMode: 'NAMED',
    });
    expect(await contents()).toEqual([['a', '20', '1']]);
  });

  test('refuses a clause that does not fit, and a row of the wrong length', async () => {
    expect(await server.refusal('MERGE d.t T USING d.t S ON FALSE WHEN MATCHED THEN INSERT ROW')).toContain(
      'not allowed in a WHEN MATCHED clause',
    );
    expect(
      await server.refusal('MERGE d.t T USING (SELECT 1 AS x) S ON FALSE WHEN NOT MATCHED THEN INSERT ROW'),
    ).toContain('wrong column count; Has 1, expected 3');
    expect(
      await server.refusal('MERGE d.t T USING (SELECT 1 AS x) S ON T.id = S.x WHEN MATCHED THEN DELETE'),
    ).toContain('operator =');
    expect(
      await server.refusal(
        "MERGE d.t T USING (SELECT 'a' AS id) S ON T.id = S.id WHEN MATCHED THEN UPDATE SET v = 'x'",
      ),
    ).toContain('cannot be assigned to v');
  });
});

describe('MERGE of panes that carry a version', () => {
  const MERGE_PANES = `MERGE \`p.d.panes\` T USING (
    SELECT JSON_VALUE(r, '$.airport') AS airport, CAST(JSON_VALUE(r, '$.total') AS NUMERIC) AS total,
      TIMESTAMP(JSON_VALUE(r, '$.window_start')) AS window_start, CAST(JSON_VALUE(r, '$.pane_epoch') AS INT64) AS pane_epoch,
      CAST(JSON_VALUE(r, '$.pane_sequence') AS INT64) AS pane_sequence
    FROM UNNEST(JSON_QUERY_ARRAY(@rows)) r) S
  ON T.airport = S.airport AND T.window_start = S.window_start AND T.window_start BETWEEN @lo AND @hi
  WHEN MATCHED AND (S.pane_epoch > T.pane_epoch OR (S.pane_epoch = T.pane_epoch AND S.pane_sequence > T.pane_sequence))
    THEN UPDATE SET total = S.total, pane_epoch = S.pane_epoch, pane_sequence = S.pane_sequence
  WHEN NOT MATCHED THEN INSERT ROW`;

  function pane(sequence: number, total: string | number, epoch = 1): object {
    return {
      airport: 'ATL',
      total,
      window_start: '2020-01-01T10:00:00.123456Z',
      pane_epoch: epoch,
      pane_sequence: sequence,
    };
  }

  async function merge(rows: readonly object[]): Promise<void> {
    const bound = (name: string, value: string) => ({
      name,
      parameterType: { type: 'TIMESTAMP' },
      parameterValue: { value },
    });
    await server.query(MERGE_PANES, {
      parameterMode: 'NAMED',
      queryParameters: [
        stringParameter('rows', JSON.stringify(rows)),
        bound('lo', '2020-01-01T00:00:00Z'),
        bound('hi', '2020-01-02T00:00:00Z'),
      ],
    });
  }

  beforeEach(async () => {
    await server.query(
      'CREATE OR REPLACE TABLE d.panes (airport STRING NOT NULL, total NUMERIC, window_start TIMESTAMP, pane_epoch INT64, pane_sequence INT64) PARTITION BY DATE(window_start) CLUSTER BY airport',
    );
  });

  test('delivered 2, 1, 2, 0, the table holds pane 2 once', async () => {
    for (const sequence of [2, 1, 2, 0]) await merge([pane(sequence, `${sequence}.5`)]);
    expect((await server.query('SELECT airport, total, window_start, pane_sequence FROM d.panes')).rows).toEqual([
      ['ATL', '2.5', '1577872800123456', '2'],
    ]);
  });

  test('a later epoch replaces a higher sequence of an earlier one', async () => {
    await merge([pane(9, '1')]);
    await merge([pane(0, '2', 2)]);
    await merge([pane(10, '3', 1)]);
    expect((await server.query('SELECT total, pane_epoch, pane_sequence FROM d.panes')).rows).toEqual([
      ['2', '2', '0'],
    ]);
  });

  test('NUMERIC keeps every digit, written as a string or as a number', async () => {
    await merge([pane(0, '12345678901234567890123456789.123456789')]);
    expect((await server.query('SELECT total FROM d.panes')).rows).toEqual([
      ['12345678901234567890123456789.123456789'],
    ]);
    await server.query('TRUNCATE TABLE d.panes');
    const json =
      '[{"airport":"ATL","total":1234567890123456789.25,"window_start":"2020-01-01 10:00:00","pane_epoch":1,"pane_sequence":0}]';
    const bound = (name: string, value: string) => ({
      name,
      parameterType: { type: 'TIMESTAMP' },
      parameterValue: { value },
    });
    await server.query(MERGE_PANES, {
      parameterMode: 'NAMED',
      queryParameters: [
        stringParameter('rows', json),
        bound('lo', '2020-01-01T00:00:00Z'),
        bound('hi', '2020-01-02T00:00:00Z'),
      ],
    });
    expect((await server.query('SELECT total FROM d.panes')).rows).toEqual([['1234567890123456789.25']]);
  });

  test('members that are missing, null, nested or escaped read as JSON_VALUE reads them', async () => {
    const json = String.raw`[{"a":"x\"\u00e9\n","b":null,"c":[1],"d":{"e":1},"f":true,"g":1.50,"a.b":"dot","h/i~j":"odd"},{"a":""},7]`;
    const sql = `SELECT JSON_VALUE(r, '$.a'), JSON_VALUE(r, '$.b'), JSON_VALUE(r, '$.c'), JSON_VALUE(r, '$.d'), JSON_VALUE(r, '$.f'), JSON_VALUE(r, '$.g'), JSON_VALUE(r, '$."a.b"'), JSON_VALUE(r, '$."h/i~j"'), JSON_VALUE(r, '$.d.e'), JSON_VALUE(r, '$.c[0]') FROM UNNEST(JSON_QUERY_ARRAY(@rows)) AS r`;
    const { rows } = await server.query(sql, {
      parameterMode: 'NAMED',
      queryParameters: [stringParameter('rows', json)],
    });
    expect(rows).toEqual([
      ['x"é\n', null, null, null, 'true', '1.50', 'dot', 'odd', '1', '1'],
      ['', null, null, null, null, null, null, null, null, null],
      [null, null, null, null, null, null, null, null, null, null],
    ]);
  });
});

describe('MERGE against the model', () => {
  const IDS = ['a', 'b', 'c', 'd', null] as const;

  function scenario(seed: number): { readonly target: Row[]; readonly source: SourceRow[]; readonly clauses: Clauses } {
    const random = new Seeded(seed);
    const value = () => (random.chance(15) ? null : random.below(100));
    // Most targets have unique ids; some do not, which MERGE allows.
    const target = Array.from({ length: random.below(7) }, () => ({
      id: random.pick(IDS),
      v: value(),
      seq: random.below(5),
    }));
    const source = Array.from({ length: random.below(6) }, () => ({
      id: random.pick(IDS),
      v: value(),
      seq: random.below(5),
      gone: random.chance(20),
    }));
    const clauses: Clauses = {
      deleteGone: random.chance(50),
      updateNewer: random.chance(80),
      insert: random.chance(80),
      insertOnlyPositive: random.chance(30),
      bySource: random.pick(['nothing', 'delete large', 'reset'] as const),
    };
    return {
      target,
      source,
      clauses: clauses.deleteGone || clauses.updateNewer || clauses.insert ? clauses : { ...clauses, insert: true },
    };
  }

  const sorted = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).sort();

  test.each(Array.from({ length: 120 }, (_, index) => index + 1))('seed %i', async (seed) => {
    const { target, source, clauses } = scenario(seed);
    await fill(target);
    const expected = mergeModel(target, source, clauses);
    const { status, body } = await server.post(mergeSql(clauses), withRows(source));
    if ('error' in expected) {
      expect(status).toBe(400);
      expect(sorted(await contents())).toEqual(
        sorted(target.map(({ id, v, seq }) => [id, v === null ? null : String(v), String(seq)])),
      );
      return;
    }
    expect(status).toBe(200);
    expect(sorted(await contents())).toEqual(
      sorted(expected.rows.map(({ id, v, seq }) => [id, v === null ? null : String(v), String(seq)])),
    );
    expect(body.dmlStats).toEqual({
      insertedRowCount: String(expected.inserted),
      updatedRowCount: String(expected.updated),
      deletedRowCount: String(expected.deleted),
    });
  });
});
