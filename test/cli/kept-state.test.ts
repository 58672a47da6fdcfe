import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startVertex } from '../../emulators/vertex/server.ts';
import { main } from '../../functions/cli/main.ts';
import * as json from './json-schemas.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const SCORED = new URL('./scored-pipeline.ts', import.meta.url).pathname;

let folder: string;
let state: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-kept-'));
  state = join(folder, 'state');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

async function millrace(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const io = {
    out: (line: string) => out.push(line),
    err: (line: string) => err.push(line),
    stdin: Readable.from(['']),
    isTerminal: false,
  };
  return { code: await main(args, io), out: out.join('\n'), err: err.join('\n') };
}

async function run(visits: readonly object[], pipeline = SCORED) {
  const input = join(folder, 'visits.jsonl');
  await writeFile(input, visits.map((visit) => `${JSON.stringify(visit)}\n`).join(''));
  return millrace('run', pipeline, '--input', `visits=${input}`, '--state', state, '--json');
}

async function table(): Promise<unknown[]> {
  const lines = (await readFile(join(state, 'tables.jsonl'), 'utf8')).trim().split('\n');
  const rows = lines.map((line) => JSON.parse(line)).filter((line) => 'row' in line);
  return rows.map(({ row }) => [row.page, row.score, row.pane_epoch]).sort();
}

const visit = (page: string, at = NOON): object => ({ page, at });
/** 249 that the model knows, and one that it does not. */
const VISITS = [
  ...Array.from({ length: 249 }, (_, n) => visit(n % 2 === 0 ? 'home' : 'about', NOON + n)),
  visit('bad'),
];

describe('the kept state of a pipeline that asks a model', () => {
  it('takes one bad instance of 250 again once the model is mended; the other 249 had arrived', async () => {
    const { code, out, err } = await run(VISITS);
    expect([code, err, json.RUN.parse(JSON.parse(out))]).toMatchObject([0, '', { events: 250, deadLettered: 1 }]);
    expect(await table()).toEqual([
      ['about', 5 * 124, 1],
      ['home', 4 * 125, 1],
    ]);
    const list = await millrace('dead-letters', 'list', '--state', state, '--pipeline', SCORED, '--json');
    const { letters } = json.LETTERS.parse(JSON.parse(list.out));
    expect(letters).toMatchObject([
      { step: 'score', value: { page: 'bad' }, message: expect.stringContaining("no score for 'bad'") },
    ]);
    const replay = ['dead-letters', 'replay', '--state', state, '--pipeline', SCORED, '--yes', '--json'];
    vi.stubEnv('TEST_MODEL_MENDED', '1');
    const first = await millrace(...replay);
    expect([first.code, first.err]).toEqual([0, '']);
    expect(json.REPLAY.parse(JSON.parse(first.out))).toMatchObject({ replayed: 1, failed: 0 });
    const after = await millrace('batches', 'list', '--state', state, '--json');
    expect(json.BATCHES.parse(JSON.parse(after.out)).batches).toEqual([]);
    const second = await millrace(...replay);
    expect(json.REPLAY.parse(JSON.parse(second.out))).toMatchObject({ replayed: 0, outcomes: [] });
    // The input has ended, so what comes now is late, whatever the lateness: it ends as a late record.
    const late = await millrace('dead-letters', 'list', '--state', state, '--kind', 'late', '--json');
    expect(json.LETTERS.parse(JSON.parse(late.out))).toMatchObject({ total: 1, letters: [{ key: 'bad' }] });
  });

  it('asks what stands in Vertex AI’s place where the module has no model of its own', async () => {
    const vertex = await startVertex({ models: { predict: { scores: () => 7 } } });
    try {
      await run(VISITS);
      const without = join(folder, 'without.ts');
      await writeFile(without, `export { default } from ${JSON.stringify(SCORED)};`);
      const replay = ['dead-letters', 'replay', '--state', state, '--pipeline', without, '--yes'];
      vi.stubEnv('GOOGLE_CLOUD_PROJECT', undefined);
      expect(await millrace(...replay)).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^millrace: 'score' asks endpoint scores, and there is nobody to ask: /),
      });
      vi.stubEnv('MILLRACE_VERTEX', vertex.url);
      expect(await millrace(...replay)).toMatchObject({ code: 0, err: '' });
      expect(vertex.counters()).toMatchObject({ calls: 1, instances: 1 });
    } finally {
      await vertex.stop();
    }
  });
});

describe('a run on the state of a run before', () => {
  it('starts afresh: nothing is late, and its panes are newer than those that the tables have', async () => {
    await run([visit('home'), visit('home'), visit('about')]);
    expect(await table()).toEqual([
      ['about', 5, 1],
      ['home', 8, 1],
    ]);
    const again = await run([visit('home')]);
    expect([again.code, again.err, JSON.parse(again.out)]).toMatchObject([
      0,
      '',
      { events: 1, late: 0, deadLettered: 0 },
    ]);
    expect(await table()).toEqual([
      ['about', 5, 1],
      ['home', 4, 2],
    ]);
    const status = await millrace('status', '--state', state, '--pipeline', SCORED, '--json');
    expect(json.STATUS.parse(JSON.parse(status.out))).toMatchObject({ topology: 2, lateRecords: 0 });
    await run([visit('bad')]);
    expect((await table()).filter((row) => (row as unknown[])[0] === 'home')).toEqual([['home', 4, 2]]);
  });

  it('is refused when it is of another pipeline', async () => {
    await run([visit('home')]);
    const other = new URL('./visits-pipeline.ts', import.meta.url).pathname;
    expect(await run([visit('home')], other)).toMatchObject({
      code: 1,
      err: `millrace: --state: '${state}' holds the state of pipeline 'scored'; name another directory, or remove it`,
    });
  });
});
