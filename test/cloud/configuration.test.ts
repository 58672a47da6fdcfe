import { describe, expect, it } from 'vitest';
import { readConfiguration } from '../../functions/cloud/configuration.ts';
import { ConfigurationErrors } from '../../functions/model/errors.ts';

const CLOUD = {
  MILLRACE_PIPELINE: 'flights',
  MILLRACE_SERVES: 'stage:delays,sweep,undelivered',
  MILLRACE_SLOT: '1',
  MILLRACE_SHARDS: '8',
  MILLRACE_SLOTS: '2',
  MILLRACE_TOPOLOGY: '3',
  MILLRACE_EPOCH: '2',
  GOOGLE_CLOUD_PROJECT: 'my-project',
  MILLRACE_DATABASE: 'millrace-flights',
  MILLRACE_DATASET: 'millrace_flights',
  MILLRACE_PUSH_AUDIENCE: 'https://delays.example',
  MILLRACE_PUSH_ACCOUNTS: 'push@p.iam.gserviceaccount.com,scheduler@p.iam.gserviceaccount.com',
  K_SERVICE: 'millrace-flights--delays--1',
  CLOUD_RUN_TIMEOUT_SECONDS: '540',
};

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfiguration(env);
  } catch (error) {
    if (error instanceof ConfigurationErrors) return error.problems;
    throw error;
  }
  return [];
}

describe('a function is told by its environment', () => {
  it('everything that the manifest and terraform set', () => {
    expect(readConfiguration(CLOUD)).toEqual({
      pipeline: 'flights',
      serves: [
        { kind: 'stage', id: 'delays' },
        { kind: 'sweep', id: 'sweep' },
        { kind: 'undelivered', id: 'undelivered' },
      ],
      slot: 1,
      shards: 8,
      slots: 2,
      topology: 3,
      epoch: 2,
      projectId: 'my-project',
      databaseId: 'millrace-flights',
      dataset: 'millrace_flights',
      identity: {
        mode: 'iam',
        audiences: ['https://delays.example'],
        accounts: ['push@p.iam.gserviceaccount.com', 'scheduler@p.iam.gserviceaccount.com'],
      },
      firestoreHost: undefined,
      pubsubHost: undefined,
      monitoringUrl: undefined,
      vertexUrl: undefined,
      region: 'us-central1',
      tables: undefined,
      answerWithin: 530_000,
      tuning: {
        commitEvery: 700,
        sweepEvery: 5_000,
        republishAfter: 60_000,
        retireAfter: 600_000,
        slice: 10_000,
        idleAfter: 60_000,
        flushEvery: 0,
      },
    });
  });

  it('by signatures who calls, outside Cloud Run', () => {
    expect(readConfiguration({ ...CLOUD, K_SERVICE: '' }).identity.mode).toBe('oidc');
  });

  it('that anybody may call, only in so many words', () => {
    expect(readConfiguration({ ...CLOUD, MILLRACE_IDENTITY: 'none' }).identity).toEqual({ mode: 'none' });
  });

  it('to answer within nine tenths of a short timeout, and within two minutes when none is set', () => {
    expect(readConfiguration({ ...CLOUD, CLOUD_RUN_TIMEOUT_SECONDS: '60' }).answerWithin).toBe(54_000);
    expect(readConfiguration({ ...CLOUD, CLOUD_RUN_TIMEOUT_SECONDS: '' }).answerWithin).toBe(110_000);
  });

  it('to be quicker than usual, for tests', () => {
    expect(readConfiguration({ ...CLOUD, MILLRACE_TUNING: '{"commitEvery":50,"flushEvery":1000}' }).tuning).toEqual({
      commitEvery: 50,
      sweepEvery: 5_000,
      republishAfter: 60_000,
      retireAfter: 600_000,
      slice: 10_000,
      idleAfter: 60_000,
      flushEvery: 1_000,
    });
  });

  it.each(['{', '5', 'null', '{"commitevery":5}', '{"commitEvery":"5"}', '{"commitEvery":-1}'])(
    'nothing by a tuning of %s',
    (text) => {
      expect(problemsOf({ ...CLOUD, MILLRACE_TUNING: text })).toEqual([
        `MILLRACE_TUNING: expected a JSON object of whole milliseconds (commitEvery, sweepEvery, republishAfter, retireAfter, slice, idleAfter, flushEvery), got '${text}'`,
      ]);
    },
  );

  it('slot 0 when it has none', () => {
    const { MILLRACE_SLOT, ...rest } = CLOUD;
    expect(readConfiguration(rest).slot).toBe(0);
  });

  it('all that is missing at once', () => {
    expect(problemsOf({})).toEqual([
      'MILLRACE_PIPELINE is not set',
      "MILLRACE_SERVES is not set; expected such as 'stage:delays,sweep'",
      'MILLRACE_SHARDS is not set',
      'MILLRACE_SLOTS is not set',
      'MILLRACE_TOPOLOGY is not set',
      'GOOGLE_CLOUD_PROJECT is not set',
    ]);
  });

  it('all that is wrong at once', () => {
    const wrong = {
      MILLRACE_SERVES: 'stage,sweep:x,topic:t,sweep',
      MILLRACE_SLOT: '-1',
      MILLRACE_SHARDS: '0',
      MILLRACE_SLOTS: '1.5',
      MILLRACE_TOPOLOGY: '1e3',
      MILLRACE_EPOCH: '0',
      MILLRACE_IDENTITY: 'off',
    };
    expect(problemsOf({ ...CLOUD, ...wrong })).toEqual([
      "MILLRACE_SERVES: expected 'source:{name}', 'stage:{name}', 'sweep' or 'undelivered', got 'stage'",
      "MILLRACE_SERVES: expected 'source:{name}', 'stage:{name}', 'sweep' or 'undelivered', got 'sweep:x'",
      "MILLRACE_SERVES: expected 'source:{name}', 'stage:{name}', 'sweep' or 'undelivered', got 'topic:t'",
      "MILLRACE_SLOT: expected a whole number from 0 up, got '-1'",
      "MILLRACE_SHARDS: expected a whole number from 1 up, got '0'",
      "MILLRACE_SLOTS: expected a whole number from 1 up, got '1.5'",
      "MILLRACE_TOPOLOGY: expected a whole number from 1 up, got '1e3'",
      "MILLRACE_EPOCH: expected a whole number from 1 up, got '0'",
      "MILLRACE_IDENTITY: expected 'oidc', 'iam' or 'none', got 'off'",
    ]);
  });
});
