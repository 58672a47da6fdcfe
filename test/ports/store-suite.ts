/** What every store must hold; run over each adapter. */
import { beforeEach, describe, expect, it } from 'vitest';
import { ContentionError } from '../../functions/model/errors.ts';
import type { EpochMillis } from '../../functions/model/time.ts';
import { CELLS_BY_EVENT_DUE, CELLS_BY_PROCESSING_DUE, DEAD_LETTERS_BY_TIME } from '../../functions/ports/queries.ts';
import type { Batch, Document, IndexFields, ListingStore, StoreCounts } from '../../functions/ports/store.ts';

export type CountingStore = ListingStore & { readonly counts: StoreCounts };

/** @param empty gives a store of a pipeline without documents */
export function storeSuite(name: string, empty: () => Promise<CountingStore>): void {
  describe(name, () => {
    let store: CountingStore;
    beforeEach(async () => {
      store = await empty();
    });

    const commit = (batch: Partial<Batch>) => store.commit({ preconditions: [], sets: [], deletes: [], ...batch });
    const root = (id: string, body: unknown): Document => ({ collection: 'roots', id, body });
    const cell = (id: string, index: IndexFields): Document => ({ collection: 'cells', id, body: { id }, index });
    const bodies = async (ids: readonly string[]) => (await store.get('roots', ids)).map((found) => found?.body);

    it('lists what a collection holds, some at a time', async () => {
      expect(await store.list('outbox', 10)).toEqual([]);
      const outbox = (id: string): Document => ({ collection: 'outbox', id, body: '[]' });
      await commit({ sets: [outbox('a~0~1'), outbox('b/~%'), outbox('c'), root('d', 1)] });
      expect([...(await store.list('outbox', 10))].sort()).toEqual(['a~0~1', 'b/~%', 'c']);
      expect(await store.list('outbox', 2)).toHaveLength(2);
      await commit({ deletes: [{ collection: 'outbox', id: 'c' }] });
      expect([...(await store.list('outbox', 10))].sort()).toEqual(['a~0~1', 'b/~%']);
    });

    describe('documents', () => {
      it('come back as they were written, and are undefined where there is none', async () => {
        const body = {
          a: [1, 2.5, -0.125, null, true, 'x', { 'odd key.`~/': [] }],
          big: 8.64e15,
          text: 'é\u0000\u{1f600}',
        };
        await commit({ sets: [root('a~0', body)] });
        const [there, missing] = await store.get('roots', ['a~0', 'a~1']);
        expect(there?.id).toBe('a~0');
        expect(there?.body).toEqual(body);
        expect(missing).toBeUndefined();
      });

      it('may have a text, a list or null as body', async () => {
        await commit({ sets: [root('a', 'text'), root('b', [1]), root('c', null)] });
        expect(await bodies(['a', 'b', 'c'])).toEqual(['text', [1], null]);
      });

      it('are replaced whole, index fields included', async () => {
        await commit({ sets: [cell('c', { shard: 'a~0', eventDue: 5, processingDue: 7 })] });
        await commit({
          sets: [{ collection: 'cells', id: 'c', body: { new: 1 }, index: { shard: 'a~0', eventDue: 6 } }],
        });
        const byEvent = await store.query(CELLS_BY_EVENT_DUE, { shard: 'a~0' }, { limit: 5 });
        const byProcessing = await store.query(CELLS_BY_PROCESSING_DUE, { shard: 'a~0' }, { limit: 5 });
        expect(byEvent.documents.map(({ body }) => body)).toEqual([{ new: 1 }]);
        expect(byProcessing.documents).toEqual([]);
      });

      it('are read in the order that was asked for, the same one twice too', async () => {
        await commit({ sets: [root('a', 1), root('b', 2)] });
        expect(await bodies(['b', 'x', 'a', 'b'])).toEqual([2, undefined, 1, 2]);
      });

      it('of one id in two collections are two documents', async () => {
        await commit({ sets: [root('a', 1), { collection: 'outbox', id: 'a', body: 2 }] });
        expect(await bodies(['a'])).toEqual([1]);
        expect((await store.get('outbox', ['a']))[0]?.body).toBe(2);
      });

      it('may be named by anything an engine or a source can think of', async () => {
        const ids = ['a~0~1', 'a/b', 'a%2Fb', '.', '..', '__x__', 'é \u{1f600}', 'projects/p/x#1?y', 'x'.repeat(1_000)];
        await commit({ sets: ids.map((id) => root(id, { id })) });
        const found = await store.get('roots', ids);
        expect(found.map((document) => document?.body)).toEqual(ids.map((id) => ({ id })));
        expect(found.map((document) => document?.id)).toEqual(ids);
        expect((await store.roots()).map(({ id }) => id).sort()).toEqual([...ids].sort());
      });

      it('of hundreds of thousands of characters come back whole', async () => {
        const body = { rows: Array.from({ length: 20_000 }, (_, i) => `row ${i} ${'ü'.repeat(i % 7)}`) };
        await commit({ sets: [root('large', body)] });
        expect((await store.get('roots', ['large']))[0]?.body).toEqual(body);
      });
    });

    describe('a commit', () => {
      it('gives the version of each document that it wrote, in order, and it is the stored one', async () => {
        const versions = await commit({ sets: [root('a', 1), root('b', 2)] });
        const found = await store.get('roots', ['a', 'b']);
        expect(versions).toEqual(found.map((document) => document?.version));
      });

      it('changes the version of what it changes', async () => {
        const [first] = await commit({ sets: [root('a', 1)] });
        const [second] = await commit({ sets: [root('a', 2)] });
        expect(second).not.toEqual(first);
      });

      it('never gives a version twice, though the document was deleted between', async () => {
        const [first] = await commit({ sets: [root('a', 1)] });
        await commit({ deletes: [{ collection: 'roots', id: 'a' }] });
        const [second] = await commit({ sets: [root('a', 1)] });
        expect(second).not.toEqual(first);
      });

      it('goes through at the version that it expects, three times in a row', async () => {
        let [version] = await commit({ sets: [root('a', 0)], preconditions: [absent('a')] });
        for (const n of [1, 2, 3])
          [version] = await commit({ sets: [root('a', n)], preconditions: [{ ...absent('a'), version: version! }] });
        expect(await bodies(['a'])).toEqual([3]);
      });

      it('at an older version is refused and writes nothing of its batch', async () => {
        const [old] = await commit({ sets: [root('a', 1), root('gone', 1)] });
        await commit({ sets: [root('a', 2)] });
        const late = commit({
          preconditions: [{ ...absent('a'), version: old! }],
          sets: [root('a', 3), root('new', 3)],
          deletes: [{ collection: 'roots', id: 'gone' }],
        });
        await expect(late).rejects.toThrow(ContentionError);
        expect(await bodies(['a', 'new', 'gone'])).toEqual([2, undefined, 1]);
      });

      it('that must create is refused where the document is there', async () => {
        await commit({ sets: [root('a', 1)] });
        const create = commit({ preconditions: [absent('a')], sets: [root('a', 2)] });
        await expect(create).rejects.toThrow(ContentionError);
        expect(await bodies(['a'])).toEqual([1]);
      });

      it('at a version is refused where the document is gone', async () => {
        const [version] = await commit({ sets: [root('a', 1)] });
        await commit({ deletes: [{ collection: 'roots', id: 'a' }] });
        const late = commit({ preconditions: [{ ...absent('a'), version: version! }], sets: [root('a', 2)] });
        await expect(late).rejects.toThrow(ContentionError);
        expect(await bodies(['a'])).toEqual([undefined]);
      });

      it('may delete under a precondition', async () => {
        const [old] = await commit({ sets: [root('a', 1)] });
        const [version] = await commit({ sets: [root('a', 2)] });
        const deletes = [{ collection: 'roots', id: 'a' } as const];
        await expect(commit({ deletes, preconditions: [{ ...absent('a'), version: old! }] })).rejects.toThrow(
          ContentionError,
        );
        await commit({ deletes, preconditions: [{ ...absent('a'), version: version! }] });
        expect(await bodies(['a'])).toEqual([undefined]);
      });

      it('may rest on documents that it does not write', async () => {
        const [version] = await commit({ sets: [root('fence', 1)] });
        const fence = { ...absent('fence'), version: version! };
        await commit({ preconditions: [fence, absent('none')], sets: [root('a', 1)] });
        await commit({ sets: [root('fence', 2), root('none', 1)] });
        await expect(commit({ preconditions: [fence], sets: [root('a', 2)] })).rejects.toThrow(ContentionError);
        await expect(commit({ preconditions: [absent('none')], sets: [root('a', 2)] })).rejects.toThrow(
          ContentionError,
        );
        expect(await bodies(['a', 'fence'])).toEqual([1, 2]);
      });

      it('may delete what is not there', async () => {
        await commit({ sets: [root('a', 1)], deletes: [{ collection: 'outbox', id: 'never' }] });
        expect(await bodies(['a'])).toEqual([1]);
      });

      it('of two that expect the same version, one goes through', async () => {
        const [version] = await commit({ sets: [root('a', 0)] });
        const preconditions = [{ ...absent('a'), version: version! }];
        const both = await Promise.allSettled([1, 2].map((n) => commit({ preconditions, sets: [root('a', n)] })));
        const won = both.flatMap(({ status }, i) => (status === 'fulfilled' ? [i + 1] : []));
        expect(won).toHaveLength(1);
        expect(await bodies(['a'])).toEqual(won);
        const lost = both.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
        expect(lost.reason).toBeInstanceOf(ContentionError);
      });

      it('may write hundreds of documents', async () => {
        const sets = Array.from({ length: 700 }, (_, i) => root(`r~${i}`, i));
        expect(await commit({ sets })).toHaveLength(700);
        expect(await bodies(['r~0', 'r~699'])).toEqual([0, 699]);
        const found = await store.get(
          'roots',
          Array.from({ length: 1_100 }, (_, i) => `r~${i}`),
        );
        expect(found.filter((document) => document !== undefined)).toHaveLength(700);
      });
    });

    describe('a query', () => {
      const place = (documents: readonly { readonly id: string }[]) => documents.map(({ id }) => id);

      it('finds what equals, in order, and nothing without the ordered field', async () => {
        await commit({
          sets: [
            cell('late', { shard: 'a~0', eventDue: 9 }),
            cell('early', { shard: 'a~0', eventDue: -8.64e15 }),
            cell('other', { shard: 'a~1', eventDue: 1 }),
            cell('never', { shard: 'a~0' }),
            cell('middle', { shard: 'a~0', eventDue: 5, processingDue: 1 }),
          ],
        });
        const { documents, cursor } = await store.query(CELLS_BY_EVENT_DUE, { shard: 'a~0' }, { limit: 10 });
        expect(place(documents)).toEqual(['early', 'middle', 'late']);
        expect(cursor).toBeUndefined();
      });

      it('reaches every document once through its pages, those of one value too', async () => {
        const ids = Array.from({ length: 25 }, (_, i) => `c${String(i).padStart(2, '0')}`);
        await commit({ sets: ids.map((id, i) => cell(id, { shard: 'a~0', eventDue: Math.floor(i / 10) })) });
        const seen: string[] = [];
        const sizes: number[] = [];
        let after: string | undefined;
        do {
          const page = await store.query(
            CELLS_BY_EVENT_DUE,
            { shard: 'a~0' },
            { limit: 7, ...(after === undefined ? {} : { after }) },
          );
          seen.push(...place(page.documents));
          sizes.push(page.documents.length);
          after = page.cursor;
        } while (after !== undefined);
        expect(seen).toEqual(ids);
        expect(sizes).toEqual([7, 7, 7, 4]);
      });

      it('ends with its last page though that page is full', async () => {
        await commit({ sets: ['a', 'b'].map((id) => cell(id, { shard: 'a~0', eventDue: 1 })) });
        const { documents, cursor } = await store.query(CELLS_BY_EVENT_DUE, { shard: 'a~0' }, { limit: 2 });
        expect([place(documents), cursor]).toEqual([['a', 'b'], undefined]);
      });

      it('goes no further than it is told, that instant included', async () => {
        await commit({ sets: [4, 5, 6].map((due) => cell(`d${due}`, { shard: 'a~0', eventDue: due })) });
        const page = { limit: 10, atMost: 5 as EpochMillis };
        expect(place((await store.query(CELLS_BY_EVENT_DUE, { shard: 'a~0' }, page)).documents)).toEqual(['d4', 'd5']);
      });

      it('pages on within what it is told', async () => {
        await commit({ sets: [1, 2, 3, 4].map((due) => cell(`d${due}`, { shard: 'a~0', eventDue: due })) });
        const page = { limit: 2, atMost: 3 as EpochMillis };
        const first = await store.query(CELLS_BY_EVENT_DUE, { shard: 'a~0' }, page);
        const second = await store.query(CELLS_BY_EVENT_DUE, { shard: 'a~0' }, { ...page, after: first.cursor! });
        expect(place(second.documents)).toEqual(['d3']);
        expect(second.cursor).toBeUndefined();
      });

      it('says how far a page reaches, where another follows', async () => {
        await commit({ sets: [4, 5, 6].map((due) => cell(`d${due}`, { shard: 'a~0', eventDue: due })) });
        const first = await store.query(CELLS_BY_EVENT_DUE, { shard: 'a~0' }, { limit: 2 });
        const whole = await store.query(CELLS_BY_EVENT_DUE, { shard: 'a~0' }, { limit: 3 });
        expect([first.last, whole.last]).toEqual([5, undefined]);
      });

      it('gives body and version', async () => {
        const index = { status: 'dead', failedAt: 3 };
        const [version] = await commit({ sets: [{ collection: 'deadLetters', id: 'x/1', body: { why: 1 }, index }] });
        const { documents } = await store.query(DEAD_LETTERS_BY_TIME, { status: 'dead' }, { limit: 1 });
        expect(documents).toMatchObject([{ id: 'x/1', body: { why: 1 }, version }]);
      });
    });

    it('roots are all roots and nothing else', async () => {
      await commit({ sets: [root('a~0', 1), root('ingest~s~1', 2), cell('c', { shard: 'a~0' })] });
      const roots = await store.roots();
      expect(Object.fromEntries(roots.map(({ id, body }) => [id, body]))).toEqual({ 'a~0': 1, 'ingest~s~1': 2 });
    });

    it('roots are of one instant, though commits go on', async () => {
      await commit({ sets: [root('a', 0), root('b', 0)] });
      let n = 0;
      let reading = true;
      const writing = (async () => {
        while (reading) {
          n += 1;
          await commit({ sets: [root('a', n), root('b', n)] });
        }
      })();
      const pairs: unknown[][] = [];
      for (let i = 0; i < 20; i++) pairs.push((await store.roots()).map(({ body }) => body));
      reading = false;
      await writing;
      for (const [a, b] of pairs) expect(a).toBe(b);
      expect(n).toBeGreaterThan(1);
    });

    describe('raise', () => {
      const pipeline = { collection: 'pipeline', id: 'pipeline' } as const;
      const fields = async () => (await store.get('pipeline', ['pipeline']))[0]?.body;

      it('makes the document, and moves each number forward only', async () => {
        await store.raise(pipeline, { 'in:by-airport': 5, lastSweep: -8.64e15 });
        await store.raise(pipeline, { 'in:by-airport': 4, lastSweep: 8.64e15, 'odd `name.~\\': 1.5 });
        expect(await fields()).toEqual({ 'in:by-airport': 5, lastSweep: 8.64e15, 'odd `name.~\\': 1.5 });
      });

      it('builds on what a commit has set', async () => {
        await commit({ sets: [{ ...pipeline, body: { epoch: 2, lastSweep: 10 } }] });
        await store.raise(pipeline, { lastSweep: 9, epoch: 3 });
        expect(await fields()).toEqual({ epoch: 3, lastSweep: 10 });
      });

      it('may be called by many at once', async () => {
        await Promise.all(Array.from({ length: 12 }, (_, i) => store.raise(pipeline, { n: (i * 7) % 12 })));
        expect(await fields()).toEqual({ n: 11 });
      });
    });

    it('counts what Firestore bills: documents, also those that are not there, and empty queries', async () => {
      const [version] = await commit({ sets: [root('a', 1), root('b', 1), cell('c', { shard: 's', eventDue: 1 })] });
      await store.get('roots', ['a', 'none']);
      await store.query(CELLS_BY_EVENT_DUE, { shard: 'other' }, { limit: 3 });
      await store.query(CELLS_BY_EVENT_DUE, { shard: 's' }, { limit: 3 });
      await store.roots();
      await store.raise({ collection: 'pipeline', id: 'pipeline' }, { n: 1 });
      await commit({
        preconditions: [{ ...absent('a'), version: version! }],
        sets: [root('a', 2)],
        deletes: [{ collection: 'roots', id: 'b' }],
      });
      await commit({ preconditions: [absent('a')], sets: [root('a', 3)] }).catch(() => {});
      expect(store.counts).toEqual({ reads: 2 + 1 + 1 + 2, writes: 3 + 1 + 1, deletes: 1, commits: 2 });
    });
  });
}

function absent(id: string) {
  return { collection: 'roots', id, version: 'absent' } as const;
}
