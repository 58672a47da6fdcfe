import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DestroyPorts, destroyCommand, type Inquiry } from '../../functions/cli/destroy-command.ts';
import { NO_COUNTS } from '../../functions/engine/protocol/counts.ts';
import type { PipelineStatus, StageStatus } from '../../functions/operate/status/status.ts';
import type { EpochMillis } from '../../functions/model/time.ts';

const NOON = Date.UTC(2026, 0, 1, 12) as EpochMillis;

function stage(id: string, changes: Partial<StageStatus>): StageStatus {
  return {
    id,
    kind: 'reduce',
    shards: 4,
    inputWatermark: NOON,
    outputWatermark: NOON,
    lag: 0,
    movedAt: NOON,
    backlog: { envelopes: 0, oldest: null },
    cells: 0,
    due: 0,
    holds: { count: 0, earliest: null, key: null },
    parked: 0,
    pausedSince: null,
    pauseStep: null,
    model: null,
    rows: null,
    deadLetters: 0,
    counts: NO_COUNTS,
    ...changes,
  };
}

function status(stages: StageStatus[]): PipelineStatus {
  return {
    pipeline: 'flights',
    now: NOON,
    topology: 1,
    epoch: 1,
    lastSweep: NOON,
    drainingSince: null,
    sources: [],
    stages,
    deadLetters: 2,
    lateRecords: 7,
  };
}

const BUSY: Inquiry = {
  status: status([
    stage('delays', { cells: 300, backlog: { envelopes: 4, oldest: NOON } }),
    stage('departures', { rows: { waiting: 25, flushing: false, since: NOON } }),
  ]),
  backlogs: new Map([['flights', 12]]),
  problem: undefined,
};

let infra: string;
beforeEach(() => {
  infra = mkdtempSync(join(tmpdir(), 'millrace-infra-'));
  for (const module of ['dead-letters', 'firestore', 'push-subscription', 'warehouse'])
    mkdirSync(join(infra, 'modules', module), { recursive: true });
});
afterEach(() => rmSync(infra, { recursive: true, force: true }));

async function destroy(args: string[], inquiry: Inquiry, failing?: string) {
  const out: string[] = [];
  const err: string[] = [];
  const done: string[] = [];
  /** Whether the guards were lifted while terraform destroyed. */
  let lifted = false;
  const ports: DestroyPorts = {
    infra,
    inquire: async () => inquiry,
    shell: {
      run: async (_, words) => {
        done.push(words.join(' ').replace(/-var-file=\S+/, '-var-file=…'));
        if (words[0] === 'destroy') lifted = existsSync(join(infra, 'modules', 'firestore', 'destroy_override.tf'));
        if (words[0] === failing) throw new Error('terraform failed');
        return words[1] === 'list'
          ? 'module.firestore.google_firestore_database.this\nmodule.sweep.google_cloud_scheduler_job.sweep\n'
          : '';
      },
    },
  };
  const io = {
    out: (line: string) => out.push(line),
    err: (line: string) => err.push(line),
    stdin: process.stdin,
    isTerminal: false,
  };
  const command = destroyCommand(io as never, ports).exitOverride();
  const error = await command.parseAsync(['flights', '--project', 'my-project', ...args], { from: 'user' }).then(
    () => undefined,
    (thrown: Error) => thrown.message,
  );
  return { out: out.join('\n'), err: err.join('\n'), done, lifted, error };
}

describe('millrace destroy', () => {
  test('says in figures what would be lost and what stays, and a dry run does no more', async () => {
    const { out, done } = await destroy(['--dry-run'], BUSY);
    expect(out).toBe(
      [
        'lost:',
        '- 4 functions, the sweep, alerts, dashboard and accounts',
        '- 12 messages of topic flights that source flights has not taken yet',
        '- messages that Pub/Sub gave up and that are no dead letters yet',
        'kept (--with-data removes it too):',
        '- Firestore database millrace-flights: 300 keys with open windows, state or timers, 4 envelopes on their way, 25 rows not yet in a table, 0 parked elements, 2 dead letters, 7 late records',
        '- table millrace_flights.departures_by_airport with all its rows',
        '- topic flights, with what others have not read from it',
        '- announcements of dead letters (topic millrace-flights--dead-letters)',
        'it is not drained; `millrace drain` brings to its end what is on its way',
      ].join('\n'),
    );
    expect(done).toEqual([]);
  });

  test('asks; where nobody is there to ask it changes nothing', async () => {
    const { error, done } = await destroy([], BUSY);
    expect(error).toBe('Remove flights from project my-project? Nobody is there to ask; add --yes');
    expect(done).toEqual([]);
  });

  test('keeps data by having terraform forget it, lifts the guards meanwhile, and says how to go on', async () => {
    const { out, done, lifted } = await destroy(['--yes'], BUSY);
    expect(done).toEqual([
      'init -input=false',
      'workspace select -or-create flights',
      'state list',
      'state rm module.firestore.google_firestore_database.this',
      'destroy -var=allow_data_loss=true -var-file=… -auto-approve -input=false',
    ]);
    expect(lifted).toBe(true);
    expect(existsSync(join(infra, 'modules', 'firestore', 'destroy_override.tf'))).toBe(false);
    expect(out).toContain("terraform -chdir=infra import 'module.firestore.google_firestore_database.this'");
  });

  test('with data removes everything', async () => {
    const { out, done } = await destroy(['--yes', '--with-data'], BUSY);
    expect(done.slice(2)).toEqual([
      'apply -target=module.firestore -target=module.warehouse -var=allow_data_loss=true -var-file=… -auto-approve -input=false',
      'destroy -var=allow_data_loss=true -var-file=… -auto-approve -input=false',
    ]);
    expect(out).not.toContain('kept');
  });

  test('sets the guards again when terraform fails', async () => {
    const { error } = await destroy(['--yes'], BUSY, 'destroy');
    expect(error).toBe('terraform failed');
    expect(existsSync(join(infra, 'destroy_override.tf'))).toBe(false);
  });

  test('a pipeline that cannot be asked is told of, and described without figures', async () => {
    const silent: Inquiry = { status: undefined, backlogs: new Map([['flights', null]]), problem: 'no credentials' };
    const { out, err } = await destroy(['--dry-run'], silent);
    expect(err).toBe('the pipeline could not be asked: no credentials');
    expect(out).toContain('- all messages of topic flights that source flights has not taken yet');
    expect(out).toContain('- Firestore database millrace-flights: everything the pipeline remembers');
  });

  test('a drained one is removed without a word about it', async () => {
    const drained: Inquiry = {
      status: status([stage('delays', {})]),
      backlogs: new Map([['flights', 0]]),
      problem: undefined,
    };
    expect((await destroy(['--dry-run'], drained)).out).not.toContain('not drained');
  });

  test('one that was drained, and whose source has got more since, would lose that, and no drain would help', async () => {
    const drained: Inquiry = {
      status: { ...status([stage('delays', {})]), drainingSince: NOON },
      backlogs: new Map([['flights', 12]]),
      problem: undefined,
    };
    const { out } = await destroy(['--dry-run'], drained);
    expect(out).toContain('- 12 messages of topic flights that source flights has not taken yet');
    expect(out).not.toContain('not drained');
  });
});
