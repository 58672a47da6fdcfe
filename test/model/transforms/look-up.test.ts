import { describe, expect, it } from 'vitest';
import { PoisonError, RetryableError } from '../../../functions/model/errors.ts';
import { pipeline } from '../../../functions/model/pipeline.ts';
import { lookUp, type LookUpClient, type LookUpOptions } from '../../../functions/model/transforms/look-up.ts';
import { plan } from '../../../functions/plan/plan.ts';
import { capture, Harness, source } from '../../engine/views/harness.ts';

type Answer = number | Error | undefined;

/** A store that notes what it was asked for. */
class Numbers implements LookUpClient<string, number> {
  readonly asked: (readonly string[])[] = [];
  closed = 0;
  readonly #answer: (key: string) => Answer;

  constructor(answer: (key: string) => Answer) {
    this.#answer = answer;
  }

  async get(keys: readonly string[]): Promise<readonly Answer[]> {
    this.asked.push(keys);
    return keys.map(this.#answer);
  }

  close(): void {
    this.closed += 1;
  }
}

type Options = Partial<LookUpOptions<string, string, number>>;

async function start(client: LookUpClient<string, number>, options: Options = {}): Promise<Harness> {
  return await Harness.start(
    pipeline('looking-up', (p) => {
      const found = lookUp('find', source<string>(p, 'main'), {
        key: (value) => value,
        client: () => client,
        ...options,
      });
      capture(found);
    }),
  );
}

const elements = (...values: string[]) => values.map((value) => ({ at: 1, value }));
const length = (key: string): number => key.length;

describe('lookUp', () => {
  it('gives each element what the store has for its key, and asks for each key of a batch once', async () => {
    const store = new Numbers(length);
    const harness = await start(store);
    await harness.send('main', ...elements('a', 'bb', 'a'));
    expect(harness.values()).toEqual([
      { value: 'a', found: 1 },
      { value: 'a', found: 1 },
      { value: 'bb', found: 2 },
    ]);
    expect(store.asked).toEqual([['a', 'bb']]);
  });

  it('asks in batches, and for the rest at the end of the bundle', async () => {
    const store = new Numbers(length);
    const harness = await start(store, { batch: 2 });
    await harness.send('main', ...elements('a', 'b', 'c', 'd', 'e'));
    expect(store.asked).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    expect(harness.values()).toHaveLength(5);
  });

  it('keeps answers for as long as they are good, and the lack of one for less', async () => {
    const store = new Numbers((key) => (key === 'none' ? undefined : 7));
    const harness = await start(store, { cache: { ttl: '10s', negativeTtl: '2s' } });
    const both = elements('some', 'none');
    await harness.send('main', ...both);
    await harness.advance(1_999);
    await harness.send('main', ...both);
    expect(store.asked).toEqual([['some', 'none']]);
    await harness.advance(1);
    await harness.send('main', ...both);
    expect(store.asked).toEqual([['some', 'none'], ['none']]);
    await harness.advance(8_000);
    await harness.send('main', ...elements('some'));
    expect(store.asked).toEqual([['some', 'none'], ['none'], ['some']]);
    expect(harness.values()).toEqual([
      ...[
        { value: 'some', found: 7 },
        { value: 'none', found: null },
      ],
      ...[
        { value: 'some', found: 7 },
        { value: 'none', found: null },
      ],
      ...[
        { value: 'some', found: 7 },
        { value: 'none', found: null },
      ],
      { value: 'some', found: 7 },
    ]);
  });

  it('keeps so many answers as it may, those used last', async () => {
    const store = new Numbers(length);
    const harness = await start(store, { cache: { entries: 2 } });
    await harness.send('main', ...elements('a', 'b'));
    await harness.send('main', ...elements('a'));
    await harness.send('main', ...elements('c'));
    await harness.send('main', ...elements('a', 'b'));
    expect(store.asked).toEqual([['a', 'b'], ['c'], ['b']]);
  });

  it('a bad answer ends what asked for it, and nothing else', async () => {
    const refused = new PoisonError('the merchant is closed');
    const store = new Numbers((key) => (key === 'bad' ? refused : 1));
    const harness = await start(store, {
      schema: {
        parse: (answer) => {
          if (answer !== 1) throw new Error('expected 1');
          return 1;
        },
      },
    });
    await harness.send('main', ...elements('good', 'bad', 'bad'));
    expect(harness.values()).toEqual([{ value: 'good', found: 1 }]);
    expect(harness.deadLetters().map(({ step, code, message, value }) => [step, code, message, value])).toEqual([
      ['find', 'POISON', 'the merchant is closed', 'bad'],
      ['find', 'POISON', 'the merchant is closed', 'bad'],
    ]);
  });

  it('an answer that the schema refuses is a bad one', async () => {
    const harness = await start(new Numbers(length), {
      schema: {
        parse: (answer) => {
          throw new Error(`${answer} is no merchant`);
        },
      },
    });
    await harness.send('main', ...elements('abc'));
    expect(harness.deadLetters()).toMatchObject([
      {
        step: 'find',
        code: 'BAD_ANSWER',
        message: `'find': the answer for "abc" is bad: 3 is no merchant`,
        value: 'abc',
      },
    ]);
  });

  it('when a batch is refused, each key is asked for alone, and only what is refused again ends', async () => {
    const asked: (readonly string[])[] = [];
    const harness = await start({
      get: async (keys) => {
        asked.push(keys);
        if (keys.includes('bad')) throw new PoisonError('bad is no key');
        return keys.map(length);
      },
    });
    await harness.send('main', ...elements('a', 'bad', 'b'));
    expect(asked).toEqual([['a', 'bad', 'b'], ['a'], ['bad'], ['b']]);
    expect(harness.values()).toEqual([
      { value: 'a', found: 1 },
      { value: 'b', found: 1 },
    ]);
    expect(harness.deadLetters().map(({ message, value }) => [message, value])).toEqual([['bad is no key', 'bad']]);
  });

  it('a client that gives too few answers is told so', async () => {
    const harness = await start({ get: async () => [] });
    await harness.send('main', ...elements('a'));
    expect(harness.deadLetters().map(({ message }) => message)).toEqual([
      "'find': the client gave 0 answers for 1 keys; it must give one for each, in their order",
    ]);
  });

  it('while the store is down nothing is lost: the bundle runs again', async () => {
    let down = 3;
    const store = new Numbers((key) => {
      if (down-- > 0) throw new RetryableError('the store is down');
      return key.length;
    });
    const harness = await start(store);
    const sent = harness.send('main', ...elements('abc'));
    harness.wakeSleepers(sent);
    await sent;
    expect(store.asked).toEqual([['abc'], ['abc'], ['abc'], ['abc']]);
    expect(harness.values()).toEqual([{ value: 'abc', found: 3 }]);
    expect(harness.deadLetters()).toEqual([]);
  });

  it('what could not be had now is asked for again, and what is known is not', async () => {
    let busy = 3;
    const store = new Numbers((key) => (key === 'b' && busy-- > 0 ? new RetryableError('busy') : key.length));
    const harness = await start(store);
    const sent = harness.send('main', ...elements('a', 'b', 'cc'));
    harness.wakeSleepers(sent);
    await sent;
    expect(store.asked).toEqual([['a', 'b', 'cc'], ['b'], ['b'], ['b']]);
    expect(harness.values()).toEqual([
      { value: 'a', found: 1 },
      { value: 'cc', found: 2 },
      { value: 'b', found: 1 },
    ]);
    expect(harness.deadLetters()).toEqual([]);
  });

  it('the client is made once for each chain of steps, and closed at the end', async () => {
    const store = new Numbers(length);
    const harness = await start(store);
    await harness.finish('main');
    expect(store.closed).toBe(1);
  });

  it('behind a source that delivers at least once, the plan tells repetitions apart before', () => {
    const graph = pipeline('repeated', (p) => {
      const orders = p.readPubSub('orders', { schema: { parse: (value) => value as string } });
      capture(lookUp('find', orders, { key: (order) => order, client: () => new Numbers(length) }));
    });
    expect(plan(graph).stages.map(({ id, steps }) => [id, steps])).toEqual([['find-once', ['find', 'out']]]);
  });

  it('refuses options that are out of range', () => {
    const build = (options: object) => () =>
      pipeline('refused', (p) => {
        lookUp('find', source<string>(p, 'main'), {
          key: (v: string) => v,
          client: () => new Numbers(length),
          ...options,
        });
      });
    expect(build({ batch: 0 })).toThrow("lookUp 'find' batch: expected a whole number from 1 to 1000, got 0");
    expect(build({ cache: { entries: -1 } })).toThrow("lookUp 'find' cache.entries: expected a whole number from 0");
    expect(build({ cache: { ttl: '1w' } })).toThrow("lookUp 'find' cache.ttl: expected whole milliseconds");
    expect(build({ client: new Numbers(length) })).toThrow(
      "lookUp 'find' client: expected a function that makes a client, got object",
    );
  });
});
