import { describe, expect, it } from 'vitest';
import { markOf } from '../../../functions/engine/ingest/source-message.ts';
import { elementId } from '../../../functions/engine/ids/element-id.ts';
import { ingestRootId } from '../../../functions/engine/protocol/names.ts';
import { newRoot } from '../../../functions/engine/protocol/root.ts';
import { RetryableError } from '../../../functions/model/errors.ts';
import { type EpochMillis, plus } from '../../../functions/model/time.ts';
import type { Store } from '../../../functions/ports/store.ts';
import { elementsOf, type Event, ingestHarness, message, START } from './ingest-harness.ts';

const event = (key: string, more: Partial<Event> = {}): Event => ({ key, at: START - 5_000, ...more });

/** A store whose commits go wrong as a list says, in turn: the answer is lost, or the batch never arrives. */
function troubled(troubles: ('answerLost' | 'neverArrives' | 'fine')[], reads: 'fine' | 'fail' = 'fine') {
  return (store: Store): Store => {
    let last: string | undefined;
    return {
      get: async (collection, ids) => {
        if (reads === 'fail' && last !== undefined && last !== 'fine') {
          last = undefined;
          throw new RetryableError('the store cannot be reached');
        }
        return store.get(collection, ids);
      },
      query: (...call) => store.query(...call),
      roots: () => store.roots(),
      raise: (...call) => store.raise(...call),
      commit: async (batch) => {
        last = troubles.shift() ?? 'fine';
        if (last === 'neverArrives') throw new RetryableError('the store cannot be reached');
        const result = await store.commit(batch);
        if (last === 'answerLost') throw new RetryableError('the answer was lost');
        return result;
      },
    };
  };
}

describe('taking in messages', () => {
  it('makes one bundle, and one commit, of all that is offered in one turn', async () => {
    const harness = ingestHarness();
    const ingest = harness.start();
    await Promise.all(['a', 'b', 'c'].map((id) => ingest.offer(message(id, event(id)))));
    expect(harness.store.counts.commits).toBe(1);
    expect(harness.roots()).toHaveLength(1);
    expect(elementsOf(harness.envelopes()).map(({ key }) => key)).toEqual(['a', 'b', 'c']);
    expect(harness.counted).toMatchObject([{ elements: 3, duplicates: 0, deadLetters: 0 }]);
  });

  it('writes the root and one outbox document, reads before its first commit whether an epoch has begun, reading has ended or a root was retired, and answers only after that', async () => {
    const harness = ingestHarness();
    const ingest = harness.start();
    let answered = false;
    const offered = ingest.offer(message('a', event('a'))).then(() => {
      answered = harness.store.size('outbox') === 1;
    });
    await offered;
    expect(answered).toBe(true);
    expect(harness.store.counts).toMatchObject({ reads: 3, writes: 2, deletes: 0, commits: 1 });
  });

  it('takes what comes under load in commits of 700 milliseconds, and at once when it was quiet', async () => {
    const harness = ingestHarness({ cadence: 700 });
    const ingest = harness.start();
    await ingest.offer(message('a', event('a')));
    const later = [ingest.offer(message('b', event('b'))), ingest.offer(message('c', event('c')))];
    await new Promise(setImmediate);
    expect(harness.store.counts.commits).toBe(1);
    harness.clock.advanceTo(plus(START, 699));
    await new Promise(setImmediate);
    expect(harness.store.counts.commits).toBe(1);
    harness.clock.advanceTo(plus(START, 700));
    await Promise.all(later);
    expect(harness.store.counts.commits).toBe(2);
    harness.clock.advanceTo(plus(START, 1_400));
    await ingest.offer(message('d', event('d')));
    expect(harness.store.counts.commits).toBe(3);
  });

  it('takes at most 1,000 messages a bundle', async () => {
    const harness = ingestHarness();
    const ingest = harness.start();
    await Promise.all(Array.from({ length: 2_100 }, (_, i) => ingest.offer(message(String(i), event('a')))));
    expect(harness.counted.map(({ elements }) => elements)).toEqual([1_000, 1_000, 100]);
  });

  it('names elements by message and output, under their publish time, with a mark of what was published', async () => {
    const harness = ingestHarness();
    const sent = message('77', event('a', { times: 3 }), 40);
    await harness.start().offer(sent);
    const mark = markOf(sent);
    expect(elementsOf(harness.envelopes()).map(({ id }) => id)).toEqual([
      `@gjdgyw.0#${mark}~77`,
      `@gjdgyw.1#${mark}~77`,
      `@gjdgyw.2#${mark}~77`,
    ]);
    // Of the message and of its copy on a dead-letter topic it is the same; of every other message another.
    const added = { CloudPubSubDeadLetterSourceDeliveryCount: '100' };
    expect(markOf({ ...sent, id: '99', attributes: { ...sent.attributes, ...added } })).toBe(mark);
    for (const other of [{ data: 1 }, { publishTime: 41 as EpochMillis }, { attributes: { a: '1' } }])
      expect(markOf({ ...sent, ...other })).not.toBe(mark);
  });

  it('names elements as their author does, under their event time', async () => {
    const harness = ingestHarness({ source: { id: ({ order }) => order! } });
    await harness.start().offer(message('77', event('a', { order: 'o-1' })));
    expect(elementsOf(harness.envelopes()).map(({ id }) => id)).toEqual([
      elementId('o-1', (START - 5_000) as EpochMillis),
    ]);
  });

  it('hands authors a message’s attributes', async () => {
    const harness = ingestHarness({
      source: {
        id: (_, { attributes }) => attributes['order']!,
        eventTime: (_, { attributes }) => Number(attributes['at']),
      },
    });
    await harness.start().offer({ ...message('77', event('a')), attributes: { order: 'o-2', at: '5000' } });
    expect(elementsOf(harness.envelopes())).toMatchObject([
      { id: elementId('o-2', 5_000 as EpochMillis), timestamp: 5_000 },
    ]);
  });

  it('gives no ids where the author asks for at least once', async () => {
    const harness = ingestHarness({ source: { delivery: 'atLeastOnce' } });
    await harness.start().offer(message('77', event('a')));
    expect(elementsOf(harness.envelopes()).map(({ id }) => id)).toEqual([undefined]);
  });

  it('leaves out a message that comes twice in a bundle, and answers both', async () => {
    const harness = ingestHarness();
    const ingest = harness.start();
    await Promise.all([ingest.offer(message('a', event('a'))), ingest.offer(message('a', event('a')))]);
    expect(elementsOf(harness.envelopes())).toHaveLength(1);
    expect(harness.counted).toMatchObject([{ elements: 2, duplicates: 1 }]);
  });

  it('keeps the largest event time of each publish-time slice, clamped to a minute after publishing', async () => {
    const harness = ingestHarness();
    await harness.start().offer(message('a', event('a', { at: START + 3_600_000 })));
    expect(harness.roots()[0]!.extra).toEqual({
      slices: [{ from: START, to: START + 10_000, largest: START + 60_000 }],
      active: START,
    });
  });
});

describe('messages that fail', () => {
  it('become dead letters named by source and message when they do not decode', async () => {
    const harness = ingestHarness();
    const ingest = harness.start();
    await Promise.all([ingest.offer(message('8', 'no event')), ingest.offer(message('9', event('a')))]);
    expect(harness.letters()).toMatchObject([
      { id: 'events~8', kind: 'source', code: 'DECODE', value: 'no event', messageId: '8', stage: 'events' },
    ]);
    expect(elementsOf(harness.envelopes())).toHaveLength(1);
    expect(harness.counted).toMatchObject([{ elements: 2, duplicates: 0, deadLetters: 1 }]);
  });

  it('are written once, however often and wherever they come, and hold up nothing else', async () => {
    const harness = ingestHarness();
    const [one, other] = [harness.start(), harness.start()];
    await one.offer(message('8', 'no event'));
    await Promise.all([other.offer(message('8', 'no event')), other.offer(message('9', event('a')))]);
    await Promise.all([one.offer(message('8', 'no event')), one.offer(message('10', event('poison')))]);
    await other.offer(message('10', event('poison')));
    expect(harness.letters().map(({ id }) => id)).toEqual(['events~8', 'events~10~check~1']);
    expect(harness.told.map(({ id }) => id)).toEqual(['events~8', 'events~10~check~1']);
    expect(harness.counted.map(({ deadLetters }) => deadLetters)).toEqual([1, 0, 1, 0]);
    expect(harness.roots()).toHaveLength(2);
    expect(elementsOf(harness.envelopes())).toHaveLength(1);
  });

  it('are one dead letter for each output that fails, with the id that its author gives', async () => {
    const harness = ingestHarness({ source: { id: ({ order }) => order! } });
    await harness.start().offer(message('11', event('poison', { times: 2, order: 'o 1/2' })));
    expect(harness.letters()).toMatchObject([{ messageId: 'o 1/2' }, { messageId: 'o 1/2' }]);
    expect(harness.letters().map(({ id }) => id.split('~').slice(2))).toEqual([
      ['check', '1'],
      ['check', '2'],
    ]);
  });

  it('are dead letters when their id is empty', async () => {
    const harness = ingestHarness({ source: { id: () => '' } });
    await harness.start().offer(message('12', event('a')));
    expect(harness.letters()).toMatchObject([{ id: 'events~12', message: expect.stringContaining('id gave') }]);
  });

  it('alone are too large: a bundle that does not fit one commit is taken in halves', async () => {
    const harness = ingestHarness();
    const ingest = harness.start();
    const huge = message('huge', event('a', { times: 40, order: 'x'.repeat(60_000) }));
    const large = message('large', event('b', { times: 8, order: 'x'.repeat(60_000) }));
    const other = message('other', event('b', { times: 8, order: 'x'.repeat(60_000) }));
    await Promise.all([ingest.offer(huge), ingest.offer(large), ingest.offer(other)]);
    expect(harness.letters()).toMatchObject([{ id: 'events~huge', code: 'TOO_LARGE' }]);
    expect(harness.letters()[0]!.message).toMatch(/what message 'huge' of source 'events' becomes has \d+ bytes/);
    expect(elementsOf(harness.envelopes())).toHaveLength(16);
  });
});

describe('the root of an instance', () => {
  it('is not made where its name is taken: the next name is', async () => {
    const harness = ingestHarness();
    // Seeded names: the first is the root's incarnation's.
    const taken = ingestRootId('events', 'n2');
    const body = newRoot(taken, 1);
    await harness.store.commit({ preconditions: [], sets: [{ collection: 'roots', id: taken, body }], deletes: [] });
    await harness.start().offer(message('a', event('a')));
    expect(harness.roots().map(({ id }) => id)).toEqual([taken, 'ingest~events~n4']);
    expect(harness.envelopes().map(({ sender }) => sender)).toEqual(['ingest~events~n4']);
  });

  it('that was retired is followed by a new one, which knows nothing of the old', async () => {
    const harness = ingestHarness();
    const ingest = harness.start();
    await ingest.offer(message('a', event('a')));
    const [old] = harness.roots();
    await harness.store.commit({ preconditions: [], sets: [], deletes: [{ collection: 'roots', id: old!.id }] });
    harness.clock.advanceTo(plus(START, 3_600_000));
    await ingest.offer(message('b', event('b'), 3_600_000));
    const [next] = harness.roots();
    expect(next!.id).not.toBe(old!.id);
    expect(next!.given).toEqual({ 'counts~0': 1 });
    expect(next!.extra).toMatchObject({ slices: [{ from: START + 3_600_000 }] });
  });

  it('is the same after a commit whose answer was lost', async () => {
    const harness = ingestHarness({ around: troubled(['answerLost', 'answerLost']) });
    const ingest = harness.start();
    await ingest.offer(message('a', event('a')));
    await ingest.offer(message('b', event('b')));
    expect(harness.roots()).toMatchObject([{ given: { 'counts~0': 2 } }]);
    expect(harness.envelopes().map(({ number }) => number)).toEqual([1, 2]);
  });

  it.each(['answerLost', 'neverArrives'] as const)(
    'is the same after a commit of which nothing could be known for a while (%s)',
    async (trouble) => {
      const harness = ingestHarness({ around: troubled([trouble, 'fine'], 'fail') });
      const ingest = harness.start();
      const offered = ingest.offer(message('a', event('a')));
      await new Promise(setImmediate);
      harness.clock.advanceTo(plus(START, 10_000));
      await offered;
      expect(harness.roots()).toMatchObject([{ given: { 'counts~0': 1 } }]);
      expect(elementsOf(harness.envelopes())).toHaveLength(1);
    },
  );

  it('is given up when nothing can be known of its commit, and the message comes again', async () => {
    const harness = ingestHarness({ around: troubled(Array.from({ length: 8 }, () => 'neverArrives')) });
    const ingest = harness.start();
    const offered = ingest.offer(message('a', event('a')));
    const refused = expect(offered).rejects.toBeInstanceOf(RetryableError);
    for (let second = 1; second <= 30; second++) {
      await new Promise(setImmediate);
      harness.clock.advanceTo(plus(START, second * 1_000));
    }
    await refused;
    expect(harness.envelopes()).toEqual([]);
    await ingest.offer(message('a', event('a')));
    expect(elementsOf(harness.envelopes())).toHaveLength(1);
  });

  it('drops what sweeps have found to be taken, and asks for it at most every five seconds', async () => {
    const harness = ingestHarness();
    const ingest = harness.start();
    await ingest.offer(message('a', event('a')));
    const [root] = harness.roots();
    expect(Object.keys(root!.open)).toEqual(['counts~0']);
    const body = { settled: { 'counts~0': [[1, 1]] }, counted: START + 10_000 };
    await harness.store.commit({
      preconditions: [],
      sets: [{ collection: 'settled', id: root!.id, body }],
      deletes: [],
    });
    const before = harness.store.counts.reads;
    await ingest.offer(message('b', event('b'), 20_000));
    expect(harness.store.counts.reads).toBe(before + 1);
    expect(harness.roots()[0]!.open).toMatchObject({ 'counts~0': [{ from: 2, to: 2 }] });
    expect(harness.store.all('outbox').map(({ id }) => id)).toEqual([`${root!.id}~2`]);
    await ingest.offer(message('c', event('c')));
    expect(harness.store.counts.reads).toBe(before + 1);
    harness.clock.advanceTo(plus(START, 5_000));
    await ingest.offer(message('d', event('d')));
    expect(harness.store.counts.reads).toBe(before + 2);
  });

  it('that somebody else has written is left to them', async () => {
    const harness = ingestHarness();
    const ingest = harness.start();
    await ingest.offer(message('a', event('a')));
    const [root] = harness.roots();
    const stranger = { ...root!, nonce: 'stranger' };
    await harness.store.commit({
      preconditions: [],
      sets: [{ collection: 'roots', id: root!.id, body: stranger }],
      deletes: [],
    });
    await ingest.offer(message('b', event('b')));
    expect(harness.roots()).toHaveLength(2);
    expect(harness.roots()[0]).toMatchObject({ nonce: 'stranger' });
  });
});
