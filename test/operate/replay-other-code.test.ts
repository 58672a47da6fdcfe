import { beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { boundedOutOfOrderness, count, fixedWindows, type Pipeline, pipeline } from '../../functions/index.ts';
import { MemoryStore } from '../../functions/local/memory-store.ts';
import type { EpochMillis } from '../../functions/model/time.ts';
import { requireDeployed } from '../../functions/operate/replay/require-deployed.ts';
import { admit } from '../../functions/operate/upgrade.ts';
import { type PlanOptions, plan } from '../../functions/plan/plan.ts';

const Visit = z.object({ page: z.string(), at: z.number() });

const read = (p: Pipeline) =>
  p
    .readPubSub('visits', { schema: Visit, eventTime: ({ at }) => at, watermark: boundedOutOfOrderness('1m') })
    .keyBy('by-page', ({ page }) => page);

const visits = (size: '1h' | '2h', more: 'more' | 'no more' = 'no more', options: PlanOptions = {}) =>
  plan(
    pipeline('visits', (p) => {
      const counts = read(p).window('hours', fixedWindows(size)).combinePerKey('count', count());
      if (more === 'more') counts.keyBy('again', ({ key }) => key).combinePerKey('again-count', count());
    }),
    options,
  );

let store: MemoryStore;
beforeEach(async () => {
  store = new MemoryStore({ strict: true });
});

it('a replay is of the code that is deployed, or of the same shape', async () => {
  await expect(requireDeployed(store, visits('1h'))).resolves.toBeUndefined();
  await admit(store, visits('1h'), 0 as EpochMillis);
  await expect(requireDeployed(store, visits('1h'))).resolves.toBeUndefined();
});

it.each([
  [
    'a window of another size',
    visits('2h'),
    "stage 'count': windows was fixedWindows\\(3600000.* and is fixedWindows\\(",
  ],
  ['a stage more', visits('1h', 'more'), "stage 'again-count' is not deployed"],
  ['other slots', visits('1h', 'no more', { slots: 2 }), 'stages have other inputs, or are in other slots'],
])('one of other code is refused with the difference: %s', async (_, planned, difference) => {
  await admit(store, visits('1h'), 0 as EpochMillis);
  await expect(requireDeployed(store, planned)).rejects.toThrow(
    new RegExp(
      `^the code at hand is not what is deployed of 'visits', and what it sends might be taken by nobody:\\n- ${difference}`,
    ),
  );
});
