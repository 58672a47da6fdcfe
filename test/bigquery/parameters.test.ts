import { describe, expect, test } from 'vitest';
import { useLocalServer } from './local-server.ts';

const server = useLocalServer();

function scalar(type: string, value: string | null, name?: string): object {
  return { parameterType: { type }, parameterValue: { value }, ...(name !== undefined && { name }) };
}

describe('query parameters', () => {
  test.each([
    ['INT64', '9223372036854775807', '9223372036854775807'],
    ['FLOAT64', '1.5', '1.5'],
    ['FLOAT64', 'NaN', 'NaN'],
    ['NUMERIC', '12345678901234567890123456789.123456789', '12345678901234567890123456789.123456789'],
    ['BIGNUMERIC', '1.000000000000000001', '1.000000000000000001'],
    ['STRING', 'it\'s \u0000 "odd" \\ 🙂', 'it\'s \u0000 "odd" \\ 🙂'],
    ['BYTES', 'AP8=', 'AP8='],
    ['BOOL', 'true', 'true'],
    ['DATE', '2020-02-29', '2020-02-29'],
    ['DATETIME', '2020-02-29T10:11:12.123456', '2020-02-29T10:11:12.123456'],
    ['TIME', '10:11:12.5', '10:11:12.500'],
    ['TIMESTAMP', '2020-01-01T00:00:00.123456789Z', '1577836800123456'],
    ['TIMESTAMP', '2020-01-01 02:00:00+02:00', '1577836800000000'],
    ['JSON', '{"b": 1, "a": [true, null]}', '{"a":[true,null],"b":1}'],
    ['INTERVAL', '1-2 3 4:5:6', '1-2 3 4:5:6'],
  ])('of type %s, named and positional: %s', async (type, value, expected) => {
    const named = await server.query('SELECT @value AS v', {
      parameterMode: 'NAMED',
      queryParameters: [scalar(type, value, 'value')],
    });
    expect(named).toEqual({ names: ['v'], types: [type], rows: [[expected]] });
    const positional = await server.query('SELECT ? AS v', {
      parameterMode: 'POSITIONAL',
      queryParameters: [scalar(type, value)],
    });
    expect(positional.rows).toEqual([[expected]]);
    const nothing = await server.query('SELECT @value AS v', {
      parameterMode: 'NAMED',
      queryParameters: [scalar(type, null, 'value')],
    });
    expect(nothing).toEqual({ names: ['v'], types: [type], rows: [[null]] });
  });

  test('of types ARRAY and STRUCT, nested', async () => {
    const struct = {
      type: 'STRUCT',
      structTypes: [
        { name: 'k', type: { type: 'STRING' } },
        { name: 'n', type: { type: 'NUMERIC' } },
        { name: 'tags', type: { type: 'ARRAY', arrayType: { type: 'STRING' } } },
      ],
    };
    const value = (k: string, n: string | null, tags: readonly string[]) => ({
      structValues: { k: { value: k }, n: { value: n }, tags: { arrayValues: tags.map((tag) => ({ value: tag })) } },
    });
    const parameter = {
      name: 'rows',
      parameterType: { type: 'ARRAY', arrayType: struct },
      parameterValue: { arrayValues: [value('a', '1.5', ['x', 'y']), value('b', null, [])] },
    };
    const { rows } = await server.query(
      'SELECT r.k, r.n, ARRAY_LENGTH(r.tags), @rows[OFFSET(0)].tags[OFFSET(1)] FROM UNNEST(@rows) r ORDER BY k',
      { parameterMode: 'NAMED', queryParameters: [parameter] },
    );
    expect(rows).toEqual([
      ['a', '1.5', '2', 'y'],
      ['b', null, '0', 'y'],
    ]);
  });

  test('an empty ARRAY is empty, not NULL', async () => {
    const parameter = {
      name: 'list',
      parameterType: { type: 'ARRAY', arrayType: { type: 'INT64' } },
      parameterValue: {},
    };
    expect(
      (await server.query('SELECT ARRAY_LENGTH(@list), 1 IN UNNEST(@list)', { queryParameters: [parameter] })).rows,
    ).toEqual([['0', 'false']]);
  });

  test('names are found in any case, several times in a query, and positions in order', async () => {
    expect((await server.query('SELECT @A + @a', { queryParameters: [scalar('INT64', '2', 'a')] })).rows).toEqual([
      ['4'],
    ]);
    expect(
      (await server.query('SELECT ?, ?', { queryParameters: [scalar('INT64', '1'), scalar('STRING', 'x')] })).rows,
    ).toEqual([['1', 'x']]);
  });

  test('a STRING becomes a date or time where one is needed, and limits and windows take parameters', async () => {
    const parameters = [scalar('STRING', '2020-01-02', 'day'), scalar('INT64', '2', 'n')];
    expect(
      (
        await server.query(
          'SELECT d FROM UNNEST(GENERATE_DATE_ARRAY("2020-01-01", "2020-01-09")) d WHERE d >= @day ORDER BY d LIMIT @n',
          { queryParameters: parameters },
        )
      ).rows,
    ).toEqual([['2020-01-02'], ['2020-01-03']]);
  });

  test('that are missing, wrong or doubled are refused', async () => {
    expect(await server.refusal('SELECT @nope')).toContain("Query parameter 'nope' not found");
    expect(await server.refusal('SELECT ?, ?', { queryParameters: [scalar('INT64', '1')] })).toContain(
      'Query parameter number 2 not found',
    );
    expect(await server.refusal('SELECT @v', { queryParameters: [scalar('INT64', 'x', 'v')] })).toContain(
      'Invalid value for parameter of type INT64',
    );
    expect(await server.refusal('SELECT @v', { queryParameters: [scalar('DATE', '2020-02-30', 'v')] })).toContain(
      'Invalid value for parameter of type DATE',
    );
    expect(await server.refusal('SELECT @v', { queryParameters: [scalar('WHAT', '1', 'v')] })).toContain(
      'type "WHAT" is not supported',
    );
    expect(
      await server.refusal('SELECT @v', { queryParameters: [scalar('INT64', '1', 'v'), scalar('INT64', '1', 'V')] }),
    ).toContain('Duplicate parameter name');
    expect(
      await server.refusal('SELECT 1', { queryParameters: Array.from({ length: 10_001 }, () => scalar('INT64', '1')) }),
    ).toContain('Too many query parameters');
    expect(await server.refusal('SELECT * FROM @table')).toContain('cannot be used in place of table names');
  });
});
