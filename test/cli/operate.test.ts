import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { main } from '../../functions/cli/main.ts';
import { saveSnapshot } from '../../functions/local/snapshot.ts';
import { admit } from '../../functions/operate/upgrade.ts';
import { Driven } from '../operate/driven.ts';
import * as json from './json-schemas.ts';
import visits from './visits-pipeline.ts';

const NOON = Date.UTC(2026, 0, 1, 12);
const HOUR = 3_600_000;
const PIPELINE = new URL('./visits-pipeline.ts', import.meta.url).pathname;

interface Called {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function millrace(args: readonly string[], { stdin = '', isTerminal = false } = {}): Promise<Called> {
  const out: string[] = [];
  const err: string[] = [];
  const io = {
    out: (line: string) => out.push(line),
    err: (line: string) => err.push(line),
    stdin: Readable.from([stdin]),
    isTerminal,
  };
  return { code: await main(args, io), out: out.join('\n'), err: err.join('\n') };
}

let state: string;
beforeEach(async () => {
  state = await mkdtemp(join(tmpdir(), 'millrace-operate-'));
  const driven = await new Driven(visits).start();
  await driven.feed('visits', [
    { page: 'home', at: NOON },
    { page: 'about', at: NOON + 1_000 },
    { page: 7, at: NOON },
    '{"page":',
  ]);
  await admit(driven.store, driven.plan, driven.clock.now());
  const note = { form: 1, pipeline: 'visits', at: driven.clock.now() } as const;
  await saveSnapshot(state, { note, store: driven.store, warehouse: driven.warehouse });
});
afterEach(() => rm(state, { recursive: true }));

/** A command's JSON, through its schema. */
async function read<S extends z.ZodType>(schema: S, ...args: string[]): Promise<z.infer<S>> {
  const { out } = await millrace([...args, '--state', state, '--pipeline', PIPELINE, '--json']);
  return schema.parse(JSON.parse(out));
}

describe('--json', () => {
  it('of status', async () => {
    const status = await read(json.STATUS, 'status');
    expect(status).toMatchObject({ pipeline: 'visits', topology: 1, deadLetters: 2, lateRecords: 0 });
    expect(status.stages.map(({ id, cells, holds }) => [id, cells, holds.count, holds.earliest])).toEqual([
      ['count', 2, 2, NOON + HOUR - 1],
      ['counts', 0, 0, null],
    ]);
  });

  it('of status, with what each stage has counted until now', async () => {
    const none = { elements: 0, duplicates: 0, late: 0, deadLetters: 0, panes: { EARLY: 0, ON_TIME: 0, LATE: 0 } };
    const before = await read(json.STATUS, 'status');
    expect(before.stages.map(({ counts }) => counts)).toEqual([{ ...none, elements: 2 }, none]);
    const patch = join(state, 'mend.ts');
    await writeFile(patch, `export default () => ({ page: 'home', at: ${NOON} });`);
    await read(json.REPLAY, 'dead-letters', 'replay', '--patch', patch, '--yes');
    const { out } = await millrace(['status', '--state', state, '--pipeline', PIPELINE]);
    expect(out).toMatch(/^COUNTED +ELEMENTS +REPEATED +TOO LATE +FAILED +EARLY PANES +ON TIME +LATE PANES$/m);
    expect(out).toMatch(/^count +4 +0 +0 +0 +0 +0 +0$/m);
  });

  it('of why, without a stage of the one that is furthest behind', async () => {
    const { out } = await millrace(['why', '--state', state, '--pipeline', PIPELINE]);
    expect(out).toMatch(/^'count' stands at 2023-11-16T\S+\n/);
    expect(await read(json.WHY, 'why')).toMatchObject({ stage: 'count', path: ['count'], culprit: { kind: 'source' } });
  });

  it('of why', async () => {
    expect(await read(json.WHY, 'why', 'counts')).toMatchObject({
      stage: 'counts',
      path: ['counts', 'count'],
      culprit: { kind: 'source' },
    });
  });

  it('of dead-letters list, show and export', async () => {
    const { causes, letters, total } = await read(json.LETTERS, 'dead-letters', 'list');
    expect([total, causes.map(({ code, letters: many }) => [code, many])]).toEqual([
      2,
      [
        ['DECODE', 1],
        ['DECODE', 1],
      ],
    ]);
    expect(await read(json.LETTER, 'dead-letters', 'show', letters[0]!.id)).toEqual(letters[0]);
    const { out } = await millrace(['dead-letters', 'export', '--state', state]);
    expect(
      out
        .split('\n')
        .map((line) => json.LETTER.parse(JSON.parse(line)).id)
        .sort(),
    ).toEqual(letters.map(({ id }) => id).sort());
    expect((await read(json.LETTERS, 'dead-letters', 'list', '--text', 'No json')).letters).toMatchObject([
      { unparsed: true },
    ]);
    expect((await read(json.LETTERS, 'dead-letters', 'list', '--code', 'ROW_REFUSED')).total).toBe(0);
  });

  it('of state get, timers list and batches list', async () => {
    expect(await read(json.STATE, 'state', 'get', 'count', 'home')).toMatchObject({
      key: 'home',
      hold: NOON + HOUR - 1,
      eventDue: NOON + HOUR,
    });
    const { timers } = await read(json.TIMERS, 'timers', 'list', 'count');
    expect(timers.map(({ key, clock, at }) => [key, clock, at]).sort()).toEqual([
      ['about', 'event', NOON + HOUR],
      ['home', 'event', NOON + HOUR],
    ]);
    expect(await read(json.BATCHES, 'batches', 'list')).toEqual({ pipeline: 'visits', batches: [] });
    expect(await read(json.FLUSHED, 'batches', 'flush')).toEqual({ pipeline: 'visits', before: [], after: [] });
  });

  it('of doctor', async () => {
    const { diagnoses } = await read(json.DOCTOR, 'doctor');
    expect(diagnoses.filter(({ severity }) => severity === 'error')).toEqual([]);
  });
});

describe('dead letters, from the command line', () => {
  it('are listed where no more is said, with what to do next', async () => {
    const target = ['--state', state, '--pipeline', PIPELINE];
    const { out } = await millrace(['dead-letters', ...target]);
    expect(out).toBe((await millrace(['dead-letters', 'list', ...target])).out);
    const lines = out.split('\n').slice(-2);
    const where = `--pipeline ${PIPELINE} --state ${state}`;
    expect(lines).toEqual([
      expect.stringMatching(/^one of them whole: {5}millrace dead-letters show --pipeline \S+ --state \S+ visits~\S+$/),
      `what a replay would do: millrace dead-letters replay ${where} --dry-run`,
    ]);
    const show = lines[0]!.split('millrace ')[1]!.split(' ');
    expect((await millrace(show)).out).toContain('code: DECODE');
  });

  it('are replayed once they are mended, each item with its outcome', async () => {
    const patch = join(state, 'mend.ts');
    await writeFile(
      patch,
      `export default (value) => typeof value === 'string' ? { page: 'home', at: ${NOON} } : { ...value, page: String(value.page) };`,
    );
    const dry = await read(json.REPLAY, 'dead-letters', 'replay', '--patch', patch, '--dry-run');
    expect(dry).toMatchObject({ dryRun: true, replayed: 2, failed: 0, skipped: 0, late: 0 });
    expect((await read(json.LETTERS, 'dead-letters', 'list')).total).toBe(2);
    const done = await read(json.REPLAY, 'dead-letters', 'replay', '--patch', patch, '--yes');
    expect(done).toMatchObject({ dryRun: false, replayed: 2 });
    expect((await read(json.LETTERS, 'dead-letters', 'list')).total).toBe(0);
    expect((await read(json.STATUS, 'status')).stages[0]).toMatchObject({ cells: 3, backlog: { envelopes: 0 } });
    expect(await read(json.REPLAY, 'dead-letters', 'replay', '--patch', patch, '--yes')).toMatchObject({
      replayed: 0,
      outcomes: [],
    });
  });

  it('named twice are replayed once, or discarded once', async () => {
    const patch = join(state, 'mend.ts');
    await writeFile(patch, `export default () => ({ page: 'home', at: ${NOON} });`);
    const { letters } = await read(json.LETTERS, 'dead-letters', 'list');
    const [one, other] = letters.map(({ id }) => id) as [string, string];
    const replay = ['dead-letters', 'replay', one, one, '--patch', patch];
    expect(await read(json.REPLAY, ...replay, '--dry-run')).toMatchObject({ replayed: 1 });
    expect(await read(json.REPLAY, ...replay, '--yes')).toMatchObject({ replayed: 1, skipped: 0, unknown: [] });
    expect((await read(json.STATUS, 'status')).stages[0]?.counts.elements).toBe(3);
    expect(await read(json.REPLAY, ...replay, '--yes')).toMatchObject({ replayed: 0, unknown: [one] });
    const discard = ['dead-letters', 'discard', other, other, '--yes', '--state', state];
    expect(await millrace(discard)).toEqual({ code: 0, out: '1 discarded', err: '' });
    const shown = await millrace(['dead-letters', 'show', other, '--state', state]);
    expect(shown.out).toMatch(/^ {2}ended: at 20\d\d-\S+Z by millrace dead-letters discard$/m);
  });

  it('that fail again make the command fail', async () => {
    const { code, out, err } = await millrace([
      'dead-letters',
      'replay',
      '--state',
      state,
      '--pipeline',
      PIPELINE,
      '--yes',
    ]);
    expect(code).toBe(1);
    expect(out).toContain('replayed 0, failed again 2, skipped 0, too late 0');
    expect(err).toBe('millrace: 2 of 2 letters did not go');
  });

  it('are discarded when somebody says so, and not when nobody does', async () => {
    const { letters } = await read(json.LETTERS, 'dead-letters', 'list');
    const args = ['dead-letters', 'discard', letters[0]!.id, '--state', state];
    expect(await millrace(args)).toMatchObject({
      code: 1,
      err: "millrace: Discard 1 dead letters of 'visits'? Nobody is there to ask; add --yes",
    });
    expect(await millrace(args, { isTerminal: true, stdin: 'n\n' })).toMatchObject({
      code: 1,
      err: expect.stringContaining('nothing was changed'),
    });
    expect(await millrace(args, { isTerminal: true, stdin: 'y\n' })).toMatchObject({ code: 0, out: '1 discarded' });
    expect(await read(json.DISCARD, 'dead-letters', 'discard', letters[1]!.id, '--yes')).toMatchObject({
      discarded: 1,
    });
    expect((await read(json.LETTERS, 'dead-letters', 'list', '--status', 'discarded')).total).toBe(2);
    const again = await millrace(['dead-letters', 'discard', letters[1]!.id, '--yes', '--state', state]);
    expect(again).toMatchObject({
      code: 1,
      out: '0 discarded',
      err: 'millrace: 1 of the letters are not dead any more, or were never there',
    });
  });
});

describe('what is wrong is said in one sentence', () => {
  const COMMANDS: readonly (readonly string[])[] = [
    ['status'],
    ['why', 'count'],
    ['dead-letters', 'list'],
    ['state', 'get', 'count', 'home'],
    ['timers', 'list', 'count'],
    ['batches', 'list'],
    ['pause', 'count', '--yes'],
    ['resume', 'count'],
    ['drain', '--yes'],
    ['restart', '--yes'],
    ['doctor'],
  ];

  it.each(COMMANDS.map((args) => [args]))('%j in a directory without state', async (args) => {
    const { code, err } = await millrace([...args, '--state', join(state, 'none')]);
    expect(code).toBe(1);
    expect(err).toBe(
      `millrace: there is no pipeline's state in '${state}/none'; write one with: millrace run PIPELINE --state ${state}/none`,
    );
  });

  it.each([
    [
      ['dead-letters', 'list', '--since', '1h', '--until', '2h'],
      /^millrace: --until: expected a time after --since \(\S+Z\), got '2h'$/,
    ],
    [
      ['state', 'get', 'count', '7'],
      /^millrace: stage 'count' \(reduce\) holds nothing of key 7; if the key is a text, type it as '"7"'$/,
    ],
    [['state', 'get', 'counts', 'home'], /^millrace: stage 'counts' \(writeBigQuery\) holds nothing of key "home"$/],
  ])('%j, which finds nothing', async (args, message) => {
    expect(await millrace([...args, '--state', state])).toMatchObject({ code: 1, err: expect.stringMatching(message) });
  });

  it.each([
    ['why', 'nowhere'],
    ['state', 'get', 'nowhere', 'home'],
    ['timers', 'list', 'nowhere'],
    ['dead-letters', 'list', '--stage', 'nowhere'],
    ['dead-letters', 'export', '--stage', 'nowhere'],
    ['dead-letters', 'replay', '--stage', 'nowhere', '--pipeline', PIPELINE],
    ['dead-letters', 'discard', '--stage', 'nowhere', '--yes'],
    ['pause', 'nowhere', '--yes'],
    ['resume', 'nowhere'],
  ])('%s %s of a stage that there is not', async (...args) => {
    const { code, err } = await millrace([...args.filter((arg) => arg !== undefined), '--state', state]);
    expect(code).toBe(1);
    expect(err).toBe("millrace: pipeline 'visits' has no stage 'nowhere'; its stages are count, counts");
  });

  it.each(COMMANDS.map((args) => [args]))(
    '%j on an emulator that does not answer',
    async (args) => {
      const before = { ...process.env };
      Object.assign(process.env, { FIRESTORE_EMULATOR_HOST: '127.0.0.1:1', PUBSUB_EMULATOR_HOST: '127.0.0.1:1' });
      try {
        const { code, err } = await millrace([...args, '--emulators', '--pipeline', 'visits']);
        expect(code).toBe(1);
        expect(err).toMatch(
          /^millrace: the Firestore emulator at 127\.0\.0\.1:1 does not answer \(.*\); is it running, and is its address right\?$/,
        );
      } finally {
        process.env = before;
      }
    },
    30_000,
  );

  it.each([
    [
      ['admit', '--state', 'nowhere', '--pipeline', 'visits'],
      'millrace: --state: a run on kept state admits its version by itself',
    ],
    [
      ['status'],
      'millrace: which pipeline? Name it with --pipeline, or with $MILLRACE_PIPELINE; or name the state of a local run with --state',
    ],
    [
      ['status', '--pipeline', 'visits'],
      'millrace: where is it? Name a project with --project (or $GOOGLE_CLOUD_PROJECT), --emulators, or the state of a local run with --state',
    ],
  ])('%j without saying where', async (args, message) => {
    expect(await millrace(args)).toMatchObject({ code: 1, err: message });
  });
});
