import { describe, expect, it } from 'vitest';
import { ByteCache } from '../../../functions/engine/views/byte-cache.ts';
import { ChunkReader, type Version, ViewUnreadableError } from '../../../functions/engine/views/chunk-reader.ts';
import { viewContent } from '../../../functions/engine/views/content.ts';
import { entryLine } from '../../../functions/engine/views/entries.ts';
import { headDocument, pointerDocument } from '../../../functions/engine/views/pointer.ts';
import { lastWithoutPane } from '../../../functions/engine/views/readiness.ts';
import { ViewReader } from '../../../functions/engine/views/view-reader.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';
import { CorruptionError, RetryableError } from '../../../functions/model/errors.ts';
import type { ViewNode, ViewShape } from '../../../functions/model/graph.ts';
import { epochMillis, MAX_TIMESTAMP, MIN_TIMESTAMP, type Millis } from '../../../functions/model/time.ts';
import {
  afterAll,
  afterCount,
  afterEach,
  afterFirst,
  afterProcessingTime,
  afterWatermark,
  defaultTrigger,
  never,
  orFinally,
  repeatedly,
  type Trigger,
} from '../../../functions/model/triggers.ts';
import { DEFAULT_STRATEGY } from '../../../functions/model/windowing.ts';
import type { Window } from '../../../functions/model/windows.ts';
import type { Document } from '../../../functions/ports/store.ts';

const WINDOW: Window = { start: epochMillis(0), end: epochMillis(10) };

function view(shape: ViewShape, trigger: Trigger = defaultTrigger(), allowedLateness = 5): ViewNode {
  const strategy = { ...DEFAULT_STRATEGY, trigger, allowedLateness: allowedLateness as Millis };
  const options = { maxBytes: 1_000_000, changeAtMostEvery: 0 as Millis, refreshEvery: undefined };
  return { kind: 'view', name: 'v', inputs: [], shape, strategy, fallback: undefined, ...options };
}

async function put(store: MemoryStore, ...sets: Document[]): Promise<void> {
  await store.commit({ preconditions: [], sets, deletes: [] });
}

const chunk = (version: string, number: number, lines: string): Document => ({
  collection: 'views',
  id: `v~${version}~${number}`,
  body: { lines },
});
const fact = (watermark: number, revision = 0) => ({
  revision,
  watermark: epochMillis(watermark),
  passed: MIN_TIMESTAMP,
});
const NOW = epochMillis(0);

describe('when a window without a pane is known to be empty', () => {
  it.each([
    ['the default trigger: past its end', defaultTrigger(), 9],
    ['the watermark: past its end', afterWatermark({ early: afterCount(1) }), 9],
    ['a count: when it has expired', repeatedly(afterCount(1)), 14],
    ['processing time: when it has expired', repeatedly(afterProcessingTime('1m')), 14],
    ['never: when it has expired', never(), 14],
    ['the first of several: the earliest that is sure', repeatedly(afterFirst(afterCount(1), afterWatermark())), 9],
    ['all of several: the latest', repeatedly(afterAll(afterCount(1), afterWatermark())), 14],
    ['one after the other: the first', afterEach(afterWatermark(), afterCount(1)), 9],
    ['until something: the earlier', orFinally(repeatedly(afterCount(1)), afterWatermark()), 9],
  ])('by %s', (_, trigger, last) => {
    expect(lastWithoutPane(view('list', trigger), WINDOW)).toBe(last);
  });

  it('of a signal: when it has expired, whatever its trigger', () => {
    expect(lastWithoutPane(view('signal'), WINDOW)).toBe(14);
  });

  it('of a view that reads its source itself: never', () => {
    expect(lastWithoutPane({ ...view('list'), refreshEvery: 1 as Millis }, WINDOW)).toBe(MAX_TIMESTAMP);
  });
});

describe('the reader of views', () => {
  it('takes a window for empty only by a watermark that was there before it has looked', async () => {
    const store = new MemoryStore({ strict: true });
    const reader = new ViewReader(store, 1_000);
    const list = view('list');
    expect(await reader.look(list, WINDOW, fact(9), NOW)).toEqual({ state: 'waiting' });
    // The pane is shown, and the watermark passes: who has looked before must look again.
    await put(
      store,
      chunk('a', 0, '7'),
      pointerDocument('v', WINDOW, { version: 'a', chunks: 1, starts: null, count: 1, bytes: 2 }),
    );
    const look = await reader.look(list, WINDOW, fact(10), NOW);
    expect(look.state).toBe('ready');
    if (look.state !== 'ready') return;
    await look.shown.prepare();
    expect(look.shown.value()).toEqual([7]);
  });

  it('takes it for empty when there is nothing then, and looks no more until something is new', async () => {
    const store = new MemoryStore({ strict: true });
    const reader = new ViewReader(store, 1_000);
    expect((await reader.look(view('list'), WINDOW, fact(10), NOW)).state).toBe('ready');
    const { reads } = store.counts;
    expect((await reader.look(view('list'), WINDOW, fact(11), epochMillis(9_999))).state).toBe('ready');
    expect(store.counts.reads).toBe(reads);
    await put(
      store,
      chunk('a', 0, '7'),
      pointerDocument('v', WINDOW, { version: 'a', chunks: 1, starts: null, count: 1, bytes: 2 }),
    );
    const late = await reader.look(view('list'), WINDOW, fact(11, 1), NOW);
    if (late.state !== 'ready') throw new Error(late.state);
    await late.shown.prepare();
    expect(late.shown.value()).toEqual([7]);
  });

  it('tells a window that was removed from one that is empty', async () => {
    const store = new MemoryStore({ strict: true });
    await put(store, headDocument('v', { removed: epochMillis(10) }));
    const reader = new ViewReader(store, 1_000);
    expect(await reader.look(view('list'), WINDOW, fact(100), NOW)).toEqual({ state: 'removed' });
    const next: Window = { start: epochMillis(10), end: epochMillis(20) };
    expect((await reader.look(view('list'), next, fact(100), NOW)).state).toBe('ready');
  });
});

describe('a chunk that is missing', () => {
  const version = (name: string, chunks: number): Version => ({
    version: name,
    chunks,
    starts: null,
    count: chunks,
    bytes: chunks,
  });

  function readerOf(store: MemoryStore, next: Version | undefined): ChunkReader {
    return new ChunkReader('v', version('old', 2), store, new ByteCache(1_000), async () => next);
  }
  const read = (reader: ChunkReader) => reader.whole((lines) => lines);

  it('was replaced: the pointer is read again, and the new version is read', async () => {
    const store = new MemoryStore({ strict: true });
    await put(store, chunk('old', 0, 'a'), chunk('new', 0, 'b'), chunk('new', 1, 'c'));
    expect(await read(readerOf(store, version('new', 2)))).toEqual(['b', 'c']);
  });

  it('is an error of the store when the pointer still names it', async () => {
    await expect(read(readerOf(new MemoryStore(), version('old', 2)))).rejects.toThrow(CorruptionError);
  });

  it('lets the bundle run again when the view has gone meanwhile, and when the store is down', async () => {
    await expect(read(readerOf(new MemoryStore(), undefined))).rejects.toThrow(ViewUnreadableError);
    const store = new MemoryStore();
    store.get = async () => {
      throw new RetryableError('down');
    };
    await expect(read(readerOf(store, undefined))).rejects.toThrow("view 'v' cannot be read: down");
  });

  it('lets who is in the middle of an iteration begin again, since versions do not mix', async () => {
    const store = new MemoryStore({ strict: true });
    await put(store, chunk('old', 0, 'a'), chunk('new', 0, 'b'), chunk('new', 1, 'c'));
    const iteration = readerOf(store, version('new', 2)).each();
    expect((await iteration.next()).value).toEqual(['a']);
    await expect(iteration.next()).rejects.toThrow(ViewUnreadableError);
  });
});

describe('chunks', () => {
  it('of a list hold some 128 KiB each, in the order of the elements', () => {
    const lines = Array.from({ length: 300 }, (_, i) => entryLine(undefined, `${i}`.padEnd(1_021, 'x'), undefined));
    const { chunks, bytes, count, starts } = viewContent(view('list'), lines);
    // 128 lines of 1,024 bytes fit.
    expect(chunks.map((text) => text.split('\n').length)).toEqual([128, 128, 44]);
    expect([bytes, count, starts]).toEqual([300 * 1_024, 300, null]);
    expect(chunks.join('\n').split('\n')).toEqual(lines);
  });

  it('of a multimap with one hot key are cut too, and its bucket has several', () => {
    const lines = Array.from({ length: 1_000 }, (_, i) => entryLine('"hot"', `${i}`.padEnd(1_015, 'x'), undefined));
    const { chunks, starts } = viewContent(view('multimap'), lines);
    expect(chunks.map((text) => text.split('\n').length)).toEqual([512, 488]);
    expect(starts!.length - 1).toBe(8);
    expect(starts!.at(-1)).toBe(2);
  });
});

describe('the cache', () => {
  it('keeps what was used last, up to its bytes', () => {
    const cache = new ByteCache(10);
    cache.set('a', 'A', 4);
    cache.set('b', 'B', 4);
    expect(cache.get('a')).toBe('A');
    cache.set('c', 'C', 4);
    expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.bytes]).toEqual(['A', undefined, 'C', 8]);
    cache.set('large', 'L', 11);
    expect([cache.get('a'), cache.get('c'), cache.get('large'), cache.bytes]).toEqual([undefined, undefined, 'L', 11]);
  });
});
