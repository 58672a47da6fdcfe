/** The whole pattern book, as it is deployed: what comes out is what the truth file says. */
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { BadInstanceError, startVertex, type VertexServer } from '../../emulators/vertex/server.ts';
import cardActivity, { localModel } from '../../functions/pipelines/card-activity.ts';
import { cardActivityInput } from '../pipelines/card-activity-input.ts';
import { type Deployed, deploy, letters, publish, until, useEmulators } from './deployed.ts';

const module = fileURLToPath(new URL('../../functions/pipelines/card-activity.ts', import.meta.url));
const LAST = 'card-last';

useEmulators();
let cloud: Deployed | undefined;
let vertex: VertexServer | undefined;
afterEach(async () => {
  await cloud?.stop();
  await vertex?.stop();
  cloud = undefined;
});

async function alertsOf(deployed: Deployed, subscription: string): Promise<string[]> {
  const [{ receivedMessages }] = await deployed.clients.subscriber.pull({ subscription, maxMessages: 1_000 });
  return (receivedMessages ?? []).map(({ message }) => message?.attributes?.['id'] ?? '');
}

/** The sum of a table's transactions, from rows whose text has their number before the dollars. */
function transactionsIn(rows: Readonly<Record<string, string>>): number {
  return Object.values(rows).reduce((sum, text) => sum + Number(text.split(' ').at(-2)), 0);
}

it('card-activity gives what the truth says, through Pub/Sub, Firestore, a model and functions', async () => {
  const { transactions, fxRates, truth } = await cardActivityInput(3, 600);
  const category = (instance: unknown): unknown => {
    try {
      return localModel(instance);
    } catch (error) {
      throw new BadInstanceError((error as Error).message);
    }
  };
  vertex = await startVertex({ models: { predict: { 'merchant-category': category } } });
  cloud = await deploy({ graph: cardActivity, module, shape: 'services', shards: 2, vertexUrl: vertex.url });
  const there = cloud;
  const subscription = `projects/${there.projectId}/subscriptions/alerts`;
  const topic = `projects/${there.projectId}/topics/card-alerts`;
  await there.clients.subscriber.createSubscription({ name: subscription, topic, ackDeadlineSeconds: 600 });

  await publish(there, 'fx-rates', fxRates);
  await publish(there, 'transactions', transactions);
  await until(
    'all were taken in',
    () =>
      there.relay
        .stats()
        .slice(0, 2)
        .reduce((sum, { acknowledged }) => sum + acknowledged, 0),
    (taken) => taken === fxRates.length + transactions.length,
  );
  // Days later, so that every window and session of the others is over.
  const at = '2026-10-02T10:00:00.000Z';
  await publish(there, 'transactions', [
    { id: LAST, card: LAST, at, arrived: at, amount: '1.00', currency: 'USD', merchant: 'Quay Books' },
  ]);

  const spend = () =>
    Object.fromEntries(
      there.tables
        .rows('card_spend')
        .filter(({ card }) => card !== LAST)
        .map((row) => [
          `${row['card']} ${row['category']} ${row['window_start']}`,
          `${row['transactions']} ${row['usd']}`,
        ]),
    );
  const sessions = () =>
    Object.fromEntries(
      there.tables
        .rows('sessions')
        .filter(({ card }) => card !== LAST)
        .map((row) => [`${row['card']} ${row['started']}`, `${row['ended']} ${row['transactions']} ${row['usd']}`]),
    );
  const seen = () => ({ spend: transactionsIn(spend()), sessions: transactionsIn(sessions()) });
  const expected = { spend: transactionsIn(truth.spend), sessions: transactionsIn(truth.sessions) };
  await until(
    `the tables hold ${JSON.stringify(expected)} transactions`,
    seen,
    (now) => now.spend >= expected.spend && now.sessions >= expected.sessions,
    150,
  );
  await until('nothing is pushed any more', () => there.relay.stats().every(({ held }) => held === 0), Boolean);

  expect(spend()).toEqual(truth.spend);
  expect(sessions()).toEqual(truth.sessions);
  const codes = Map.groupBy(await letters(there), ({ code }) => code);
  expect(Object.fromEntries([...codes].map(([code, some]) => [code, some.length]))).toEqual({
    DECODE: truth.malformed,
    POISON: truth.unknownCurrency,
    MODEL_REFUSED: truth.refusedByModel,
  });
  expect([...new Set(await alertsOf(there, subscription))].sort()).toEqual(truth.alerts);
}, 280_000);
