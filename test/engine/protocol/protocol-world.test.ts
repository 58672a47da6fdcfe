import { describe, expect, it } from 'vitest';
import { type Mistake, runProtocolWorld } from './world/protocol-world.ts';

const SEEDS = Array.from({ length: 60 }, (_, i) => i + 1);

describe('the protocol, in seeded worlds', () => {
  const happened: Record<string, number> = {};

  it('takes every element once, and no watermark passes one', { timeout: 120_000 }, async () => {
    for (const seed of SEEDS) {
      const outcome = await runProtocolWorld(seed);
      expect(outcome.wrong, `seed ${seed}`).toBeUndefined();
      for (const what in outcome.happened) happened[what] = (happened[what] ?? 0) + outcome.happened[what]!;
    }
  });

  it('has seen every kind of trouble in them', () => {
    for (const what of [
      'message lost',
      'old envelope',
      'answer lost',
      'store down',
      'instance died',
      'instance frozen',
      'root retired',
      'envelope sent again',
    ])
      expect(happened[what], what).toBeGreaterThan(100);
  });

  it.each<Mistake>(['staleSnapshot', 'noFence', 'goneTooEarly', 'settledTooEarly', 'outboxEarly'])(
    'would notice the mistake %s',
    { timeout: 60_000 },
    async (mistake) => {
      for (const seed of SEEDS) if ((await runProtocolWorld(seed, mistake)).wrong !== undefined) return;
      expect.unreachable('no world noticed');
    },
  );
});
