import { describe, expect, test } from 'vitest';
import {
  accountName,
  bucketSuffix,
  databaseName,
  datasetName,
  functionName,
  sourceSubscription,
  stageTopic,
} from '../../functions/plan/resource-names.ts';

const LONG = 'a-pipeline-with-a-name-of-sixty-characters-as-long-as-may-be';

describe('resource names', () => {
  test('say what they are of', () => {
    expect(stageTopic('flights', 'delays', 3)).toBe('millrace-flights--delays--3');
    expect(sourceSubscription('flights', 'flights')).toBe('millrace-flights--ingest--flights');
    expect(functionName('flights', 'delays--0')).toBe('millrace-flights--delays--0');
    expect(accountName('flights', 'sweep')).toBe('millrace-flights--sweep');
    expect(databaseName('flights')).toBe('millrace-flights');
    expect(datasetName('card-activity')).toBe('millrace_card_activity');
  });

  test('stay inside what Google Cloud allows, however long the pipeline’s and stage’s names are', () => {
    expect(LONG).toHaveLength(60);
    expect(functionName(LONG, `${LONG}--0`)).toMatch(/^[a-z][a-z0-9-]{0,47}[a-z0-9]$/);
    expect(accountName(LONG, `${LONG}--0`)).toMatch(/^[a-z][a-z0-9-]{4,28}[a-z0-9]$/);
    expect(databaseName(LONG)).toMatch(/^[a-z][a-z0-9-]{2,61}[a-z0-9]$/);
    expect(`project-id-of-thirty-characters-${bucketSuffix(LONG)}`.length).toBeLessThanOrEqual(64);
    expect(stageTopic(LONG, LONG, 999).length).toBeLessThanOrEqual(255);
  });

  test('two that are cut to the same beginning stay apart', () => {
    const first = functionName(LONG, 'one-stage--0');
    const second = functionName(LONG, 'one-stage--1');
    expect(first).not.toBe(second);
    expect(first.slice(0, 40)).toBe(second.slice(0, 40));
  });

  test('pipelines whose names run together do not share a topic', () => {
    expect(stageTopic('a-b', 'c', 0)).not.toBe(stageTopic('a', 'b-c', 0));
  });

  test('a stage that is called like one of our own topics does not share it', () => {
    expect(stageTopic('p', 'dead-letters', 0)).toBe('millrace-p--dead-letters--0');
    expect(sourceSubscription('p', 'dead-letters')).toBe('millrace-p--ingest--dead-letters');
  });
});
