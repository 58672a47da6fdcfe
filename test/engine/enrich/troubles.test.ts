import { describe, expect, it } from 'vitest';
import { BadInstanceError } from '../../../emulators/vertex/models.ts';
import { idsOf, Loaded, double, events, range, START } from './loaded.ts';

const bad = (id: number) => (instance: unknown) => {
  if ((instance as { id: number }).id === id) throw new BadInstanceError(`cannot take ${id}`);
  return double(instance);
};

describe('a batch with one bad instance of 250', () => {
  it('is halved until that one stands alone and is a dead letter; its neighbours are enriched, once each', async () => {
    const loaded = await new Loaded(
      { batch: { maxInstances: 250 } },
      { models: { predict: { '*': bad(117) } } },
    ).start();
    await loaded.feed(events(0, 250));
    await loaded.pass(20_000);
    expect(loaded.state).toMatchObject({ waiting: [], batches: [], counters: { halved: 8, dead: 1 } });
    // One call for the whole, and two for each halving.
    expect(loaded.model.vertex.counters()).toMatchObject({ calls: 17, byStatus: { '200': 8, '400': 9 } });
    expect(idsOf(await loaded.scores())).toEqual(range(0, 250).filter((id) => id !== 117));
    const [letter, ...others] = await loaded.letters();
    expect(others).toEqual([]);
    expect(letter).toMatchObject({
      kind: 'element',
      stage: 'score',
      step: 'score',
      code: 'MODEL_REFUSED',
      message: expect.stringMatching(/^the model refused the instance: 400: /),
      answer: { error: { code: 400, status: 'INVALID_ARGUMENT' } },
      value: { id: 117, card: 'a', at: START },
      timestamp: START,
    });
    await loaded.sweep();
    expect(loaded.embedded.watermarks.output['score']).toBe(START);
  });

  it('takes a token for each of its tries, whatever becomes of them', async () => {
    const loaded = await new Loaded(
      { requestsPerMinute: 60, batch: { maxInstances: 64 } },
      { models: { predict: { '*': bad(3) } } },
    ).start();
    await loaded.feed(events(0, 64));
    for (let i = 0; i < 12; i++) {
      await loaded.pass(5_000);
      await loaded.sweep();
    }
    expect(loaded.model.vertex.counters()).toMatchObject({ calls: 13 });
    expect(loaded.model.vertex.counters().mostInAnyMinute).toBeLessThanOrEqual(72);
    expect(idsOf(await loaded.scores())).toEqual(range(0, 64).filter((id) => id !== 3));
  });
});

describe('an answer with fewer predictions than instances', () => {
  it('is used for none of them; the halves are asked again', async () => {
    const faults = [{ fault: { kind: 'partial', keep: 0.5 } as const, calls: { from: 1, to: 1 } }];
    const loaded = await new Loaded({ batch: { maxInstances: 8 } }, { faults }).start();
    await loaded.feed(events(0, 8));
    await loaded.pass(10_000);
    expect(loaded.model.vertex.counters()).toMatchObject({ calls: 3, partial: 1 });
    expect(loaded.state.counters).toMatchObject({ halved: 1, dead: 0 });
    const rows = await loaded.scores();
    expect(idsOf(rows)).toEqual(range(0, 8));
    expect(rows.every(({ id, score }) => score === 2 * id)).toBe(true);
  });

  it('makes a dead letter of the one that never gets any', async () => {
    const faults = [{ fault: { kind: 'partial', keep: 0 } as const }];
    const loaded = await new Loaded({ batch: { maxInstances: 2 } }, { faults }).start();
    await loaded.feed(events(0, 1));
    await loaded.passUntilEmpty(600_000);
    expect(await loaded.letters()).toMatchObject([
      {
        code: 'PREDICTION_MISFIT',
        message: 'the model gave no prediction for the instance, 5 times',
        value: { id: 0 },
      },
    ]);
    expect(loaded.model.vertex.counters().calls).toBe(5);
  });
});

describe('an answer that does not fit the schema', () => {
  it('is a dead letter with the answer in it, and the others of the batch go on', async () => {
    const model = (instance: unknown) => {
      const { id } = instance as { id: number };
      return id === 4 ? { id, score: 'high' } : double(instance);
    };
    const loaded = await new Loaded({ batch: { maxInstances: 10 } }, { models: { predict: { '*': model } } }).start();
    await loaded.feed(events(0, 10));
    await loaded.pass(10_000);
    expect(await loaded.letters()).toMatchObject([
      {
        code: 'PREDICTION_MISFIT',
        message: "the model's answer does not fit the schema: score: Invalid input: expected number, received string",
        answer: { id: 4, score: 'high' },
        value: { id: 4 },
      },
    ]);
    expect(idsOf(await loaded.scores())).toEqual(range(0, 10).filter((id) => id !== 4));
  });
});

describe('trouble that passes', () => {
  it('of seconds is waited for inside the call, as long as Retry-After says', async () => {
    const faults = [
      { fault: { kind: 'status', status: 503, retryAfterSeconds: 2 } as const, calls: { from: 1, to: 1 } },
    ];
    const loaded = await new Loaded({ batch: { maxInstances: 5 } }, { faults }).start();
    await loaded.feed(events(0, 5));
    await loaded.pass(1_999);
    expect(loaded.model.vertex.counters().calls).toBe(1);
    await loaded.pass(500);
    expect(loaded.model.vertex.counters().calls).toBe(2);
    await loaded.pass(1_000);
    expect(loaded.state).toMatchObject({ batches: [], counters: { calls: 2, retries: 1, throttled: 0 } });
  });

  it('of longer is parked, so that nothing is held open for it', async () => {
    const faults = [
      { fault: { kind: 'status', status: 503, retryAfterSeconds: 40 } as const, calls: { from: 1, to: 1 } },
    ];
    const loaded = await new Loaded({ batch: { maxInstances: 5 } }, { faults }).start();
    await loaded.feed(events(0, 5));
    await loaded.pass(1_000);
    expect(loaded.state.batches).toMatchObject([
      { count: 5, failures: 1, due: START + 40_000, reason: expect.stringContaining('503') },
    ]);
    expect(loaded.state.batches[0]).not.toHaveProperty('claim');
    await loaded.sweep();
    expect(loaded.embedded.watermarks.output['score']).toBe(START);
    expect(loaded.root?.processingDue).toBe(START + 40_000);
    await loaded.pass(39_500);
    await loaded.sweep();
    await loaded.pass(1_000);
    expect(loaded.state.batches).toEqual([]);
    expect(idsOf(await loaded.scores())).toEqual(range(0, 5));
  });

  it.each([408, 429, 500, 502, 503, 504])('%i is tried again, and loses and repeats nothing', async (status) => {
    const faults = [{ fault: { kind: 'status', status } as const, calls: { from: 1, to: 7 } }];
    const loaded = await new Loaded({ batch: { maxInstances: 5 } }, { faults }).start();
    await loaded.feed(events(0, 12));
    await loaded.passUntilEmpty(300_000);
    expect(idsOf(await loaded.scores())).toEqual(range(0, 12));
    expect(await loaded.letters()).toEqual([]);
  });

  it('an answer that was lost is asked for again under the same key', async () => {
    const faults = [{ fault: { kind: 'lost' } as const, calls: { from: 1, to: 1 } }];
    const loaded = await new Loaded({ batch: { maxInstances: 5 } }, { faults }).start();
    await loaded.feed(events(0, 5));
    await loaded.passUntilEmpty(60_000);
    const { byKey, calls } = loaded.model.vertex.counters();
    expect(calls).toBe(2);
    expect(Object.entries(byKey)).toEqual([['millrace-scores-1-score~0-1', { calls: 2, served: 2 }]]);
    expect(idsOf(await loaded.scores())).toEqual(range(0, 5));
  });

  it('a call that takes longer than the author allows is given up, and its late answer is not used', async () => {
    const faults = [{ fault: { kind: 'slow', millis: 60_000 } as const, calls: { from: 1, to: 1 } }];
    const loaded = await new Loaded({ batch: { maxInstances: 5 }, timeout: '5s' }, { faults }).start();
    await loaded.feed(events(0, 5));
    await loaded.pass(4_999);
    expect(loaded.state.batches).toMatchObject([{ claim: {} }]);
    await loaded.pass(2);
    expect(loaded.state.batches[0]).toMatchObject({ reason: 'endpoint doubler gave no answer within 5000 ms' });
    await loaded.passUntilEmpty(120_000);
    expect(idsOf(await loaded.scores())).toEqual(range(0, 5));
    expect(loaded.model.vertex.counters().served).toBe(2);
  });

  it('that lasts longer than the author wants to wait makes dead letters', async () => {
    const faults = [{ fault: { kind: 'status', status: 503 } as const }];
    const loaded = await new Loaded({ batch: { maxInstances: 5 }, giveUpAfter: '2m' }, { faults }).start();
    await loaded.feed(events(0, 3));
    expect(await loaded.passUntilEmpty(600_000)).toBeLessThan(200_000);
    const letters = await loaded.letters();
    expect(letters.map(({ code, value }) => [code, (value as { id: number }).id])).toEqual([
      ['MODEL_UNAVAILABLE', 0],
      ['MODEL_UNAVAILABLE', 1],
      ['MODEL_UNAVAILABLE', 2],
    ]);
    expect(letters[0]!.attempts).toBeGreaterThan(3);
    expect(letters[0]!.message).toMatch(/^'score' was given up after \d+ claims: 503: /);
  });
});

describe('an instance that freezes with a batch claimed', () => {
  it('is followed by another, after its lease, under the same key; what the first one brings too late is dropped', async () => {
    const loaded = await new Loaded({ batch: { maxInstances: 5 } }).start();
    loaded.freeze();
    await loaded.feed(events(0, 5));
    await loaded.pass(10_000);
    const other = await loaded.another().start();
    await loaded.pass(49_000);
    await other.sweep();
    expect(other.state.batches).toMatchObject([{ number: 1, claim: { lease: START + 60_000 } }]);
    await loaded.pass(1_500);
    await other.sweep();
    await loaded.pass(5_000);
    expect(other.state).toMatchObject({ batches: [], counters: { calls: 1 } });
    await loaded.thaw();
    await loaded.pass(5_000);
    expect(other.state).toMatchObject({ batches: [], counters: { calls: 2, dead: 0 } });
    expect(loaded.model.vertex.counters().byKey).toEqual({ 'millrace-scores-1-score~0-1': { calls: 2, served: 2 } });
    expect(idsOf(await other.scores())).toEqual(range(0, 5));
  });
});
