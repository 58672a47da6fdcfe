import { describe, expect, it } from 'vitest';
import type { SideContext } from '../../../functions/model/dofn.ts';
import { pipeline } from '../../../functions/model/pipeline.ts';
import { fixedWindows } from '../../../functions/model/windows.ts';
import type { Collection, Store } from '../../../functions/ports/store.ts';
import type { MemoryStore } from '../../../functions/local/memory-store.ts';
import { capture, Harness, source } from './harness.ts';

/** The length of the list that an element sees; the list is shown when its source has ended. */
const lengths = pipeline('lengths', (p) => {
  const list = source<string>(p, 'side').asList('list');
  const process = (_: string, { output, side }: SideContext<number, { list: typeof list }>): void =>
    output(side.list.length);
  capture(source<string>(p, 'main').parDo('join', { process }, { sideInputs: { list } }));
});

const elements = (count: number, size: number) =>
  Array.from({ length: count }, () => ({ at: 1, value: 'x'.repeat(size) }));

/** A store on which `commit` first runs `before`. */
function watched(store: MemoryStore, before: (chunksOnly: boolean) => void): Store {
  const wrapped = Object.create(store) as MemoryStore;
  wrapped.commit = (batch) => {
    before(batch.preconditions.length === 0);
    return store.commit(batch);
  };
  wrapped.get = (collection, ids) => store.get(collection, ids);
  wrapped.query = (query, equals, page) => store.query(query, equals, page);
  wrapped.roots = () => store.roots();
  wrapped.raise = (name, fields) => store.raise(name, fields);
  return wrapped;
}

class Died extends Error {}

describe('instances of a view', () => {
  it('one that dies while it writes a version leaves nothing behind, and another shows the pane', async () => {
    let batches = 0;
    const first = await Harness.start(lengths, {
      shards: 1,
      wrap: (store) =>
        watched(store, (chunksOnly) => {
          if (chunksOnly && ++batches === 2) throw new Died();
        }),
    });
    // 5.6 MB: a chunk for each element, in three commits.
    await first.send('side', ...elements(28, 200_000));
    await expect(first.end('side')).rejects.toThrow(Died);
    expect(first.store.size('views')).toBe(12);

    const second = await Harness.start(lengths, { shards: 1, after: first, clock: first.clock });
    await second.send('main', { at: 1, value: 'A' });
    expect(second.values()).toEqual([]);
    await second.advance(119_999);
    expect(second.values()).toEqual([]);
    await second.advance(1);
    expect(second.values()).toEqual([28]);
    expect(second.store.size('views')).toBe(1 + 28 + 12);
    // Whoever wrote them might still be at it for ten minutes.
    await second.advance(600_000);
    expect(second.store.size('views')).toBe(1 + 28);
    await second.finish('side', 'main');
    expect(second.remains()).toEqual([]);
  });

  it('one that dies after it has written a version, before readers see it, shows it never', async () => {
    let chunks = 0;
    const first = await Harness.start(lengths, {
      shards: 1,
      wrap: (store) =>
        watched(store, (chunksOnly) => {
          if (!chunksOnly && chunks > 0) throw new Died();
          if (chunksOnly) chunks += 1;
        }),
    });
    await first.send('side', ...elements(4, 200_000));
    await expect(first.end('side')).rejects.toThrow(Died);
    const second = await Harness.start(lengths, { shards: 1, after: first, clock: first.clock });
    await second.send('main', { at: 1, value: 'A' });
    expect(second.values()).toEqual([]);
    await second.advance(120_000);
    expect(second.values()).toEqual([4]);
    await second.finish('side', 'main');
    expect(second.remains()).toEqual([]);
  });

  it('one that goes on takes up what another has staged, in windows and triggers too', async () => {
    const graph = pipeline('staged', (p) => {
      const list = source<string>(p, 'side').window('side-windows', fixedWindows(10)).asList('list');
      const process = (name: string, { output, side }: SideContext<string, { list: typeof list }>): void =>
        output(`${name}:${side.list.join()}`);
      const main = source<string>(p, 'main').window('main-windows', fixedWindows(10));
      capture(main.parDo('join', { process }, { sideInputs: { list } }));
    });
    const first = await Harness.start(graph);
    await first.send('side', { at: 1, value: 'a' }, { at: 12, value: 'x' });
    await first.send('main', { at: 2, value: 'M' }, { at: 13, value: 'N' });
    const second = await Harness.start(graph, { after: first, clock: first.clock });
    await second.send('side', { at: 3, value: 'b' });
    await second.finish('side', 'main');
    // The watermark was at 12 when 'b' came, so [0, 10) was over.
    expect([...first.values(), ...second.values()].sort()).toEqual(['M:a', 'N:x']);
    expect(second.deadLetters()).toMatchObject([{ stage: 'list', kind: 'late', code: 'LATE_EXPIRED', value: 'b' }]);
    expect(second.remains()).toEqual([]);
  });
});

describe('what is read', () => {
  it('of a steady view nothing, of a large map the chunk of a key, once', async () => {
    const reads: string[] = [];
    const counting = (store: MemoryStore): Store => {
      const wrapped = watched(store, () => {});
      wrapped.get = (collection: Collection, ids) => {
        if (collection === 'views') reads.push(...ids);
        return store.get(collection, ids);
      };
      return wrapped;
    };
    const graph = pipeline('keys', (p) => {
      const map = source<string>(p, 'side')
        .keyBy('key', (key) => key)
        .asMap('map');
      const process = async (key: string, context: SideContext<boolean, { map: typeof map }>): Promise<void> =>
        context.output(await context.side.map.has(key));
      capture(source<string>(p, 'main').parDo('join', { process }, { sideInputs: { map } }));
    });
    const harness = await Harness.start(graph, { shards: 1, wrap: counting });
    const keys = Array.from({ length: 400 }, (_, i) => ({ at: 1, value: `${i}-${'k'.repeat(1_000)}` }));
    await harness.send('side', ...keys);
    await harness.end('side');
    // 800 kB in seven buckets of some 128 KiB.
    expect(harness.store.size('views')).toBe(8);
    reads.length = 0;
    await harness.send('main', keys[0]!, keys[0]!);
    expect(reads).toEqual([expect.stringMatching(/^map~-8640000000000000$/), expect.stringMatching(/^map~n\w+~\d$/)]);
    reads.length = 0;
    await harness.send('main', keys[0]!);
    expect(reads).toEqual(['map~-8640000000000000']);
    reads.length = 0;
    await harness.send('main', keys[0]!, { at: 1, value: keys[0]!.value });
    expect(reads).toEqual([]);
    expect(harness.values()).toEqual([true, true, true, true, true]);
  });
});

describe('a view that nobody reads', () => {
  it('keeps nothing', async () => {
    const graph = pipeline('unread', (p) => {
      source<string>(p, 'side').window('side-windows', fixedWindows(10)).asList('list');
    });
    const harness = await Harness.start(graph);
    for (let i = 0; i < 40; i++) await harness.send('side', { at: i * 10, value: 'a' });
    await harness.finish('side');
    expect(harness.remains()).toEqual([]);
  });
});

describe('elements that come after their view has gone', () => {
  it('are late, and nothing is made up for them', async () => {
    const graph = pipeline('gone', (p) => {
      const list = source<string>(p, 'side').window('side-windows', fixedWindows(10)).asList('list');
      const process = (name: string, { output, side }: SideContext<string, { list: typeof list }>): void =>
        output(`${name}:${side.list.join()}`);
      const main = source<string>(p, 'main').window('main-windows', fixedWindows(10), {
        allowedLateness: 20,
        accumulation: 'discarding',
      });
      capture(main.parDo('join', { process }, { sideInputs: { list } }));
    });
    const harness = await Harness.start(graph, { shards: 1 });
    await harness.send('side', { at: 1, value: 'a' });
    await harness.watermark('side', 100);
    await harness.send('main', { at: 2, value: 'in-time' });
    await harness.watermark('main', 29);
    await harness.send('main', { at: 2, value: 'allowed' });
    await harness.watermark('main', 30);
    // By then a reader has looked again.
    await harness.advance(10_000);
    await harness.send('main', { at: 2, value: 'too-late' }, { at: 55, value: 'other' });
    expect(harness.values().sort()).toEqual(['allowed:a', 'in-time:a', 'other:']);
    expect(harness.deadLetters()).toMatchObject([
      { stage: 'join', kind: 'late', code: 'LATE_EXPIRED', value: 'too-late', windows: [{ start: 0, end: 10 }] },
    ]);
    expect(harness.embedded.counts.get('join')).toMatchObject({ elements: 4, late: 1 });
    await harness.finish('side', 'main');
    expect(harness.remains()).toEqual([]);
  });
});
