import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { main } from '../../functions/cli/main.ts';

interface Called {
  readonly code: number;
  readonly out: readonly string[];
  readonly err: readonly string[];
}

async function millrace(args: readonly string[], stdin = ''): Promise<Called> {
  const out: string[] = [];
  const err: string[] = [];
  const io = {
    out: (line: string) => out.push(line),
    err: (line: string) => err.push(line),
    stdin: Readable.from([stdin]),
    isTerminal: false,
  };
  return { code: await main(args, io), out, err };
}

describe('millrace', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-cli-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each([['--help'], ['run', '--help'], ['conform', '--help']])('%s %s prints its usage', async (...args) => {
    const { code, out } = await millrace(args.filter((arg) => arg !== undefined));
    expect(code).toBe(0);
    expect(out.join('\n')).toContain('Usage: millrace');
  });

  it('refuses a word that it does not know', async () => {
    const { code, err } = await millrace(['fly']);
    expect(code).toBe(2);
    expect(err.join('\n')).toContain("unknown command 'fly'");
  });

  it.each([
    [['run', 'flights', '--nope'], "error: unknown option '--nope'", '(try millrace run --help)'],
    [
      ['state', '--state', 'kept', 'totals', 'ORD'],
      "error: unknown option '--state'",
      '(try millrace state get <stage> <key>, millrace state --help)',
    ],
    [
      ['batches', '--all'],
      "error: unknown option '--all'",
      '(try millrace batches list, millrace batches flush, millrace batches --help)',
    ],
    [['state', 'get'], "error: missing required argument 'stage'", '(try millrace state get --help)'],
  ])('says what to type instead of %j', async (words, error, hint) => {
    const { code, err } = await millrace(words);
    expect([code, ...err.join('\n').split('\n')]).toEqual([2, error, hint]);
  });

  it('shows no default for what is given once a source', async () => {
    const { out } = await millrace(['run', '--help']);
    expect(out.join('\n')).not.toContain('default: {}');
  });

  it('warns of a pipeline that writes nothing, and runs it', async () => {
    const path = join(folder, 'silent.mjs');
    const index = new URL('../../functions/index.ts', import.meta.url).href;
    await writeFile(
      path,
      `import { pipeline } from '${index}';
       export default pipeline('silent', (p) => { p.readFile('lines', { schema: { parse: String } }).map('upper', (line) => line.toUpperCase()); });`,
    );
    const lines = join(folder, 'lines.jsonl');
    await writeFile(lines, '"a"\n');
    const { code, out, err } = await millrace(['run', path, '--input', `lines=${lines}`]);
    expect(code).toBe(0);
    expect(err[0]).toMatch(/^warning: pipeline 'silent' writes nothing: what 'upper' gives goes nowhere/);
    expect(out[0]).toMatch(/^silent: 1 event in /);
  });

  it('names the pipelines that there are', async () => {
    const { code, err } = await millrace(['run', 'nowhere']);
    expect(code).toBe(1);
    expect(err[0]).toMatch(/^millrace: there is no pipeline 'nowhere'; known are .*flights/);
  });

  it('names the line at which a module of a pipeline cannot be loaded', async () => {
    const path = join(folder, 'broken.mjs');
    await writeFile(path, "\nthrow new Error('no schema');\n");
    const { code, err } = await millrace(['plan', path]);
    expect([code, err[0]]).toEqual([1, `millrace: ${path} cannot be loaded (${path}:2): no schema`]);
  });

  it.each([
    [[], "source 'flights' of pipeline 'flights' has no input; add --input flights=FILE"],
    [['--input', 'flights=missing.jsonl'], 'there is no file missing.jsonl; give --input source=file'],
    [['--input', 'flights'], "--input: expected source=file, got 'flights'"],
    [
      ['--input', 'trains=package.json'],
      "pipeline 'flights' has no source 'trains' for package.json; its sources are flights",
    ],
    [['--input', 'flights=README.md'], "README.md ends in '.md'; known are .jsonl, .ndjson, .csv, .json, .parquet"],
  ])('run flights %j is refused', async (args, message) => {
    const { code, err } = await millrace(['run', 'flights', ...args]);
    expect(code).toBe(1);
    expect(err[0]).toContain(message);
  });

  it('refuses a folder of results that cannot be made before anything is read', async () => {
    const file = join(folder, 'flights.jsonl');
    await writeFile(file, '');
    const { code, err } = await millrace(['run', 'flights', '--input', 'flights=nothing.jsonl', '--out', file]);
    expect([code, err[0]]).toEqual([1, expect.stringContaining(`--out: '${file}' cannot be made a folder: EEXIST`)]);
  });

  it('tells why there are dead letters, the most frequent reason first', async () => {
    const file = join(folder, 'flights.jsonl');
    await writeFile(file, ['{"date": 1}', 'nothing', '{"date": 2}'].join('\n'));
    const { out } = await millrace(['run', 'flights', '--input', `flights=${file}`]);
    const at = out.indexOf('late records: 0, dead letters: 3');
    expect(out.slice(at + 1, at + 3)).toEqual([
      expect.stringMatching(/^ {2}2 × 'flights' DECODE: source 'flights': delay: /),
      expect.stringMatching(/^ {2}1 × 'flights' DECODE: .*line 2 is no JSON/),
    ]);
    expect(out).toContain('to look at the dead letters and replay them, run with --state DIR');
    const state = join(folder, 'state');
    const kept = await millrace(['run', 'flights', '--input', `flights=${file}`, '--state', state]);
    const [line] = kept.out.filter((each) => each.startsWith('look at the dead letters with: '));
    const list = await millrace(line!.split('millrace ')[1]!.split(' '));
    expect(list.out.join('\n')).toMatch(/^2 +source +flights +DECODE /m);
  });

  it('makes dead letters of lines that are no JSON, or do not fit, and takes the rest', async () => {
    const file = join(folder, 'flights.jsonl');
    const good = { date: '2001-01-01T00:01:00Z', delay: 5, distance: 100, origin: 'LAX', destination: 'SFO' };
    await writeFile(
      file,
      [
        JSON.stringify(good),
        '{"date": ',
        JSON.stringify({ ...good, delay: 'late' }),
        '',
        JSON.stringify({ ...good, date: 'soon' }),
      ].join('\n'),
    );
    const { code, out } = await millrace([
      'run',
      'flights',
      '--input',
      `flights=${file}`,
      '--out',
      join(folder, 'out'),
      '--json',
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(out.at(-1)!)).toMatchObject({ pipeline: 'flights', events: 4, late: 0, deadLettered: 3 });
    const letters = (await readFile(join(folder, 'out', 'dead-letters.jsonl'), 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(letters.map(({ code: kind, step }) => [kind, step])).toEqual([
      ['DECODE', 'flights'],
      ['DECODE', 'flights'],
      ['DECODE', 'flights'],
    ]);
    expect(letters[0].message).toContain('line 2 is no JSON');
    expect(letters[1].message).toContain('delay');
    expect(letters[2].message).toContain('eventTime gave NaN, which is no instant');
    expect(await readFile(join(folder, 'out', 'late.jsonl'), 'utf8')).toBe('');
  });

  it('ends well on empty input', async () => {
    const file = join(folder, 'empty.jsonl');
    await writeFile(file, '');
    const { code, out } = await millrace([
      'run',
      'flights',
      '--input',
      `flights=${file}`,
      '--out',
      join(folder, 'none'),
      '--json',
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(out.at(-1)!)).toMatchObject({ events: 0, panes: { EARLY: 0, ON_TIME: 0, LATE: 0 } });
  });

  it('says which folder it cannot make', async () => {
    const file = join(folder, 'a-file.jsonl');
    await writeFile(file, '');
    const { code, err } = await millrace(['run', 'flights', '--input', `flights=${file}`, '--out', file]);
    expect(code).toBe(1);
    expect(err[0]).toContain(`millrace: --out: '${file}' cannot be made a folder: EEXIST`);
  });

  it('reads CSV and Parquet as it reads JSON Lines', async () => {
    const file = join(folder, 'flights.csv');
    await writeFile(
      file,
      'date,delay,distance,origin,destination\n2001-01-01 00:01:00,5,100,LAX,SFO\n2001-01-01 00:02:00,7,100,LAX,SFO\n',
    );
    const { code, out } = await millrace([
      'run',
      'flights',
      '--input',
      `flights=${file}`,
      '--out',
      join(folder, 'csv'),
      '--json',
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(out.at(-1)!)).toMatchObject({ events: 2, deadLettered: 0 });
    const rows = (await readFile(join(folder, 'csv', 'departures_by_airport.jsonl'), 'utf8')).trim().split('\n');
    expect(rows.map((row) => JSON.parse(row))).toMatchObject([
      {
        airport: 'LAX',
        window_start: '2001-01-01T00:00:00.000Z',
        flights: 2,
        mean_delay: 6,
        max_delay: 7,
        pane_epoch: 1,
      },
    ]);
  });

  it('runs conformance cases from standard input', async () => {
    const { code, out } = await millrace(['conform'], '{"id":"x","window":{"type":"fixed","size":10}}\nnot json\n');
    expect(code).toBe(0);
    expect(out).toHaveLength(2);
    expect(JSON.parse(out[0]!)).toMatchObject({ id: 'x', error: { name: expect.any(String) } });
    expect(JSON.parse(out[1]!)).toMatchObject({ id: null, error: { name: expect.any(String) } });
  });
});
