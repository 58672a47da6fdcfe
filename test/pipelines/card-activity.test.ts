import { beforeAll, describe, expect, it } from 'vitest';
import { SeededIds } from '../../functions/local/virtual-clock.ts';
import cardActivity, { localModel } from '../../functions/pipelines/card-activity.ts';
import { runEmbedded, type Trouble } from '../local/run-embedded.ts';
import { type CardActivityInput, cardActivityInput } from './card-activity-input.ts';

describe('card-activity gives what the truth says', () => {
  let input: CardActivityInput;

  beforeAll(async () => {
    input = await cardActivityInput(3, 900);
    // The truth must have something to say about everything.
    expect(input.truth.alerts.length).toBeGreaterThan(0);
    expect(input.truth.unknownCurrency).toBeGreaterThan(0);
    expect(input.truth.refusedByModel).toBeGreaterThan(0);
    expect(Object.keys(input.truth.sessions).length).toBeGreaterThan(20);
  });

  async function expectTruth(transactions: readonly unknown[], trouble: Trouble): Promise<void> {
    const { truth, fxRates } = input;
    const outcome = await runEmbedded(
      cardActivity,
      { transactions, 'fx-rates': fxRates },
      { ...trouble, model: localModel },
    );
    const spend = outcome
      .rows('card_spend')
      .map((row) => [
        `${row['card']} ${row['category']} ${row['window_start']}`,
        `${row['transactions']} ${row['usd']}`,
      ]);
    const sessions = outcome
      .rows('sessions')
      .map((row) => [`${row['card']} ${row['started']}`, `${row['ended']} ${row['transactions']} ${row['usd']}`]);
    expect(outcome.late).toBe(0);
    expect(Object.fromEntries(spend)).toEqual(truth.spend);
    expect(Object.fromEntries(sessions)).toEqual(truth.sessions);
    expect([...new Set(outcome.published.map(({ attributes }) => attributes['id']))].sort()).toEqual(truth.alerts);
    const codes = Map.groupBy(outcome.letters, ({ code }) => code);
    expect(Object.fromEntries([...codes].map(([code, letters]) => [code, letters.length]))).toEqual({
      DECODE: truth.malformed,
      POISON: truth.unknownCurrency,
      MODEL_REFUSED: truth.refusedByModel,
    });
    // Ids are remembered for 24 hours of event time, and the input ends before that.
    expect(outcome.left.filter((name) => !name.includes('each-once~'))).toEqual([]);
  }

  it('in order', () => expectTruth(input.transactions, {}));

  it('shuffled inside the bound', () => {
    const random = new SeededIds(11);
    const shuffled = (input.transactions as { at?: string; arrived?: string }[])
      .map((record) =>
        record?.arrived === undefined
          ? record
          : { ...record, arrived: new Date(Date.parse(record.at!) + random.random() * 9 * 60_000).toISOString() },
      )
      .sort((a, b) => (a?.arrived ?? '').localeCompare(b?.arrived ?? ''));
    return expectTruth(shuffled, {});
  });

  it('with every envelope twice, in any order', () =>
    expectTruth(input.transactions, { bus: { twice: 1, shuffled: true } }));
  it('with a tenth of the envelopes lost', () => expectTruth(input.transactions, { bus: { lost: 0.1 } }));
  it('with a crash after each third commit, and a store that is down now and then', () =>
    expectTruth(input.transactions, { store: { answerLost: 0.3, down: 0.1, contention: 0.05 } }));
  it.each([1, 16])('with %i shards', (shards) => expectTruth(input.transactions, { shards }));
});
