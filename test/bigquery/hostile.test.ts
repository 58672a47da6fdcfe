import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { useLocalServer } from './local-server.ts';
import { CASES } from './queries/everyday.ts';
import { Seeded } from './seeded.ts';

const server = useLocalServer();
const P = '/bigquery/v2/projects/p';

/** The answer must be a refusal in BigQuery's shape. */
async function refused(sql: string, more: object = {}): Promise<string> {
  const { status, body } = await server.post(sql, more);
  expect(status).toBe(400);
  expect(body.error).toMatchObject({
    code: 400,
    status: 'INVALID_ARGUMENT',
    errors: [{ domain: 'global', message: body.error.message }],
  });
  return body.error.message;
}

afterAll(async () => {
  expect((await server.query('SELECT 1')).rows).toEqual([['1']]);
});

describe('queries too large or too deep', () => {
  test('more than a million characters are refused', async () => {
    expect(await refused(`SELECT '${'x'.repeat(1024 * 1024)}'`)).toContain(
      'The query is too large. The maximum standard SQL query length is 1024.00K characters',
    );
  });

  test.each([
    ['parentheses', `SELECT ${'('.repeat(50_000)}1${')'.repeat(50_000)}`],
    ['subqueries', `${'SELECT * FROM ('.repeat(5_000)}SELECT 1${')'.repeat(5_000)}`],
    ['scalar subqueries', `SELECT ${'(SELECT '.repeat(5_000)}1${')'.repeat(5_000)}`],
    ['functions', `SELECT ${'ABS('.repeat(20_000)}1${')'.repeat(20_000)}`],
    ['CASE', `SELECT ${'CASE WHEN TRUE THEN '.repeat(5_000)}1${' END'.repeat(5_000)}`],
    ['NOT', `SELECT ${'NOT '.repeat(100_000)}TRUE`],
    ['minus signs', `SELECT ${'- '.repeat(100_000)}1`],
    ['arrays', `SELECT ${'['.repeat(20_000)}1${']'.repeat(20_000)}`],
    ['types', `SELECT CAST(NULL AS ${'ARRAY<STRUCT<a '.repeat(5_000)}INT64${'>>'.repeat(5_000)})`],
    ['additions', `SELECT ${'1 + '.repeat(100_000)}1`],
    ['dots', `SELECT a${'.b'.repeat(100_000)}`],
    ['joins', `SELECT 1 FROM UNNEST([1]) ${', UNNEST([1]) '.repeat(5_000)}`],
    ['unions of unions', `${'('.repeat(3_000)}SELECT 1${' UNION ALL SELECT 1)'.repeat(3_000)}`],
    ['WITH inside WITH', `${'WITH a AS ('.repeat(3_000)}SELECT 1${') SELECT * FROM a'.repeat(3_000)}`],
    ['division, whose operands would be repeated', `SELECT ${'1 / ('.repeat(5_000)}1${')'.repeat(5_000)}`],
  ])('deep nesting of %s is refused, not followed', async (_, sql) => {
    await refused(sql);
  });

  test.each([
    ['OR', `SELECT ${Array.from({ length: 5_000 }, (_, index) => `1 = ${index}`).join(' OR ')}`, 'true'],
    ['IN', `SELECT 4999 IN (${Array.from({ length: 5_000 }, (_, index) => index).join(', ')})`, 'true'],
    [
      'UNION ALL',
      `SELECT COUNT(*) FROM (${Array.from({ length: 500 }, (_, index) => `SELECT ${index}`).join(' UNION ALL ')})`,
      '500',
    ],
    ['an array', `SELECT ARRAY_LENGTH([${Array.from({ length: 10_000 }, (_, index) => index).join(', ')}])`, '10000'],
    [
      'CASE branches',
      `SELECT CASE 999 ${Array.from({ length: 1_000 }, (_, index) => `WHEN ${index} THEN ${index * 2}`).join(' ')} END`,
      '1998',
    ],
  ])('long but flat %s is no trouble', async (_, sql, expected) => {
    expect((await server.query(sql)).rows).toEqual([[expected]]);
  });

  test('results that would fill memory are refused', async () => {
    expect(await refused('SELECT GENERATE_ARRAY(1, 1000000000)')).toContain('too many elements');
    expect(await refused("SELECT REPEAT('x', 1000000000)")).toContain('exceeds');
    expect(await refused("SELECT LPAD('x', 1000000000)")).toContain('exceeds');
    expect(await refused("SELECT FORMAT('%1000000000d', 1)")).toContain('width');
    expect(await refused("SELECT GENERATE_DATE_ARRAY('0001-01-01', '9999-12-31', INTERVAL 0 DAY)")).toContain(
      'cannot be 0',
    );
  });
});

describe('SQL in names', () => {
  const NAMES = [
    'x"; DROP TABLE "p.d"."t"; --',
    "x'; DROP TABLE t; --",
    'a`b',
    'a\\b',
    'a;b',
    'x"y',
    '../../etc',
    'x\u0000y',
    '~streamed',
    '~catalog',
  ];

  test.each(NAMES)('%j as a table, column or dataset is refused or means just itself', async (name) => {
    const answers = await Promise.all([
      server.send('POST', `${P}/datasets`, { datasetReference: { datasetId: name } }),
      server.send('POST', `${P}/datasets/d/tables`, {
        tableReference: { tableId: name },
        schema: { fields: [{ name: 'a', type: 'STRING' }] },
      }),
      server.send('POST', `${P}/datasets/d/tables`, {
        tableReference: { tableId: 'with_odd_column' },
        schema: { fields: [{ name, type: 'STRING' }] },
      }),
      server.send('GET', `${P}/datasets/d/tables/${encodeURIComponent(name)}`),
      server.send('GET', `${P}/jobs/${encodeURIComponent(name)}`),
    ]);
    for (const { status, body } of answers) {
      expect([400, 404]).toContain(status);
      expect(body.error.errors[0].message).toBe(body.error.message);
    }
    for (const sql of [
      `SELECT * FROM \`${name.replaceAll('`', '')}\``,
      `SELECT \`${name.replaceAll('`', '')}\` FROM UNNEST([1])`,
    ]) {
      expect([400, 404]).toContain((await server.post(sql)).status);
    }
  });

  test('odd but legal names are quoted', async () => {
    await server.query('CREATE TABLE d.`select` (`from` INT64, `a b` STRING, `größe` INT64)');
    await server.query("INSERT d.`select` (`from`, `a b`) VALUES (1, 'it''s'), (2, 'x')".replace("''", "\\'"));
    expect((await server.query('SELECT `from`, `a b`, `größe` FROM d.`select` ORDER BY `from`')).rows).toEqual([
      ['1', "it's", null],
      ['2', 'x', null],
    ]);
    expect(await server.query('SELECT 1 AS `it\'s "odd"; DROP TABLE x`')).toMatchObject({
      names: ['it\'s "odd"; DROP TABLE x'],
    });
  });

  test('hidden columns and the catalog are out of reach', async () => {
    await server.query('CREATE OR REPLACE TABLE d.hidden (x INT64)');
    expect(await refused('SELECT `~streamed` FROM d.hidden')).toContain('Unrecognized name');
    expect((await server.post('SELECT * FROM `~catalog`.tables')).status).toBe(404);
    expect((await server.post('SELECT * FROM duckdb_tables')).status).toBe(400);
    expect((await server.post("SELECT * FROM d.`read_csv('x')`")).status).toBe(404);
    expect(await refused("SELECT read_text('x')")).toContain('Function not found');
  });
});

describe('values', () => {
  test.each([
    "'",
    "''",
    '\\',
    "'; DROP TABLE d.t; --",
    '$1',
    '$p0',
    '\u0000',
    '"',
    '`',
    '🙂',
    '\ud800',
    '%s',
    '$' + '{x}',
  ])('%j passes through literals and parameters unharmed', async (text) => {
    const expected = text.toWellFormed();
    const literal = JSON.stringify(expected);
    expect((await server.query(`SELECT ${literal}, LENGTH(${literal})`)).rows[0]?.[0]).toBe(expected);
    const parameter = { name: 'v', parameterType: { type: 'STRING' }, parameterValue: { value: text } };
    expect((await server.query('SELECT @v', { queryParameters: [parameter] })).rows).toEqual([[expected]]);
  });
});

describe('requests', () => {
  test.each([
    ['no JSON', '{"query": '],
    ['a list', '[1]'],
    ['a number', '5'],
    ['deep JSON', `{"query":"SELECT 1","x":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
    ['no query', '{}'],
    ['a query that is a number', '{"query": 5}'],
    ['parameters that are none', '{"query": "SELECT 1", "queryParameters": 5}'],
    ['a parameter without a type', '{"query": "SELECT 1", "queryParameters": [{"name": "x"}]}'],
    [
      'a deep parameter type',
      `{"query": "SELECT 1", "queryParameters": [{"parameterType": ${'{"type":"ARRAY","arrayType":{"type":"STRUCT","structTypes":[{"name":"a","type":'.repeat(20)}{"type":"INT64"}${'}]}}'.repeat(20)}}]}`,
    ],
    ['a negative page', '{"query": "SELECT 1", "maxResults": -1}'],
    ['legacy SQL', '{"query": "SELECT 1", "useLegacySql": true}'],
    ['a prototype', '{"__proto__": {"query": "SELECT 1"}, "constructor": 1}'],
  ])('with %s are refused', async (_, body) => {
    const answer = await server.send('POST', `${P}/queries`, body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.errors[0].reason).toMatch(/^(invalid|required|invalidQuery)$/);
  });

  test('above 10 MiB are refused, packed or not', async () => {
    const body = JSON.stringify({
      query: 'SELECT @v',
      queryParameters: [
        { name: 'v', parameterType: { type: 'STRING' }, parameterValue: { value: 'x'.repeat(11_000_000) } },
      ],
    });
    const answer = await server.send('POST', `${P}/queries`, body);
    expect([answer.status, answer.body.error.message]).toEqual([
      413,
      'Request payload size exceeds the limit: 10485760 bytes.',
    ]);
    const packed = await fetch(`${server.url}${P}/queries`, {
      method: 'POST',
      headers: { 'content-encoding': 'gzip' },
      body: gzipSync(body),
    });
    expect([packed.status, await packed.text()]).toEqual([413, expect.stringContaining('exceeds the limit')]);
  });

  test('packed with gzip are read', async () => {
    const packed = await fetch(`${server.url}${P}/queries`, {
      method: 'POST',
      headers: { 'content-encoding': 'gzip' },
      body: gzipSync(JSON.stringify({ query: 'SELECT 7' })),
    });
    expect((await packed.json()) as object).toMatchObject({ rows: [{ f: [{ v: '7' }] }] });
  });

  test('that break off, or are no HTTP, leave the server up', async () => {
    const { hostname, port } = new URL(server.url);
    for (const text of [
      'POST /projects/p/queries HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{"que',
      'nonsense\r\n\r\n',
      'GET / HTTP/1.1\r\nhost: \u0000\r\n\r\n',
      'GET //\\x HTTP/1.1\r\nhost: a b\r\n\r\n',
    ]) {
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => {
          socket.write(text);
          setTimeout(() => socket.destroy(), 30);
        });
        socket.on('close', () => resolve());
        socket.on('error', () => resolve());
      });
    }
    expect((await server.query('SELECT 1')).rows).toEqual([['1']]);
  });
});

describe('queries broken at random', () => {
  const WORDS = CASES.flatMap(({ sql }) => sql.split(/(\s+|[(),.[\]])/)).filter((word) => word.trim() !== '');

  /** A query with some words dropped, doubled, swapped or replaced. */
  function broken(random: Seeded): string {
    const words = random.pick(CASES).sql.split(/(\s+)/);
    for (let changes = 1 + random.below(4); changes > 0; changes--) {
      const at = random.below(words.length);
      const kind = random.below(4);
      if (kind === 0) words.splice(at, 1);
      else if (kind === 1) words.splice(at, 0, words[at] ?? '');
      else if (kind === 2) words[at] = random.pick(WORDS);
      else [words[at], words[random.below(words.length)]] = [words[random.below(words.length)] ?? '', words[at] ?? ''];
    }
    return words.join('');
  }

  test.each(Array.from({ length: 10 }, (_, index) => index + 1))(
    'are answered or refused, never an internal error (seed %i)',
    async (seed) => {
      const random = new Seeded(seed);
      for (let count = 0; count < 60; count++) {
        const sql = broken(random);
        const { status, body } = await server.post(sql);
        expect([200, 400, 404], `${sql}\n${JSON.stringify(body)}`).toContain(status);
      }
    },
  );
});
