import { beforeAll, describe, expect, it } from 'vitest';
import type { DeadLetter } from '../../functions/engine/dead-letter.ts';
import { SeededIds } from '../../functions/local/virtual-clock.ts';
import { testPipeline } from '../../functions/local/testing.ts';
import cardActivity, { localModel } from '../../functions/pipelines/card-activity.ts';
import type { OutsideMessage } from '../../functions/ports/bus.ts';
import type { Row } from '../../functions/ports/warehouse.ts';
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

  interface Given {
    readonly rows: (table: string) => Promise<readonly Row[]> | readonly Row[];
    readonly letters: readonly DeadLetter[];
    readonly published: readonly OutsideMessage[];
    readonly late: number;
    readonly left: readonly string[];
  }

  async function expectTruth(transactions: readonly unknown[], trouble: Trouble): Promise<void> {
    const inputs = { transactions, 'fx-rates': input.fxRates };
    await compare(await runEmbedded(cardActivity, inputs, { ...trouble, model: localModel }));
  }

  async function compare({ rows, letters, published, late, left }: Given): Promise<void> {
    const { truth } = input;
    const spend = (await rows('card_spend')).map((row) => [
      `${row['card']} ${row['category']} ${row['window_start']}`,
      `${row['transactions']} ${row['usd']}`,
    ]);
    const sessions = (await rows('sessions')).map((row) => [
      `${row['card']} ${row['started']}`,
      `${row['ended']} ${row['transactions']} ${row['usd']}`,
    ]);
    expect(late).toBe(0);
    expect(Object.fromEntries(spend)).toEqual(truth.spend);
    expect(Object.fromEntries(sessions)).toEqual(truth.sessions);
    expect([...new Set(published.map(({ attributes }) => attributes['id']))].sort()).toEqual(truth.alerts);
    const codes = Map.groupBy(letters, ({ code }) => code);
    expect(Object.fromEntries([...codes].map(([code, { length }]) => [code, length]))).toEqual({
      DECODE: truth.malformed,
      POISON: truth.unknownCurrency,
      MODEL_REFUSED: truth.refusedByModel,
    });
    // Ids are remembered for 24 hours of event time, and the input ends before that.
    expect(left.filter((name) => !name.includes('each-once~'))).toEqual([]);
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
  it('with the answer of each third commit lost, and a store that is down now and then', () =>
    expectTruth(input.transactions, { store: { answerLost: 0.3, down: 0.1, contention: 0.05 } }));
  it('with a crash after each commit', async () => {
    const options = { watch: [], model: localModel, troubles: { crashAfterCommits: true } };
    const test = await testPipeline(cardActivity, options);
    await test.send('fx-rates', ...input.fxRates);
    for (let from = 0; from < input.transactions.length; from += 60) {
      await test.send('transactions', ...input.transactions.slice(from, from + 60));
      await test.advanceProcessingTime('1m');
    }
    await test.drain();
    await compare({
      rows: (table) => test.rows(table),
      letters: test.deadLetters(),
      published: test.messages('card-alerts'),
      late: test.late().length,
      left: test.remains(),
    });
  }, 60_000);
  it.each([1, 16])('with %i shards', (shards) => expectTruth(input.transactions, { shards }));
});
