/**
 * Reads views for the steps that use them; one for all shards of a process, so that a view is in memory once.
 *
 * Invariant: a window without a pointer counts as empty only if the view's watermark was past the point where a pane must
 * have come *before* the pointer was looked for. (The other way round a pane could be shown between the two looks.)
 */
import type { ViewNode } from '../../model/graph.ts';
import { type EpochMillis, MIN_TIMESTAMP } from '../../model/time.ts';
import { maxTimestamp, type Window } from '../../model/windows.ts';
import type { ViewFact } from '../../ports/bus.ts';
import type { Store } from '../../ports/store.ts';
import { ByteCache } from './byte-cache.ts';
import { headId, pointerId } from './names.ts';
import type { Pointer, ViewHead } from './pointer.ts';
import { isPassed, lastWithoutPane } from './readiness.ts';
import { emptyView, type Shown, shownView } from './shown.ts';

/** What a view has for a window. */
export type Look =
  | { readonly state: 'ready'; readonly shown: Shown }
  /** Nothing yet, and something may come. */
  | { readonly state: 'waiting' }
  /** It was removed since all readers were past it. */
  | { readonly state: 'removed' };

interface Known {
  readonly look: Look;
  readonly pointer: Pointer | undefined;
  /** What was known of the view when the pointer was looked for. */
  readonly fact: ViewFact;
  /** Processing time. */
  readonly at: EpochMillis;
}

const NOTHING: ViewFact = { revision: 0, watermark: MIN_TIMESTAMP, passed: MIN_TIMESTAMP };
const WAITING: Look = { state: 'waiting' };
const REMOVED: Look = { state: 'removed' };
/** A pointer is looked for again after this, whatever ticks have told; milliseconds. */
const LONGEST_KNOWN = 10_000;
const MOST_POINTERS = 10_000;

export class ViewReader {
  readonly #store: Store;
  readonly #cache: ByteCache;
  readonly #known = new Map<string, Known>();

  /** @param capacity bytes of views that are kept in memory */
  constructor(store: Store, capacity: number) {
    this.#store = store;
    this.#cache = new ByteCache(capacity);
  }

  /** Bytes of views in memory. */
  get bytes(): number {
    return this.#cache.bytes;
  }

  /** @param fact what is known of the view; each part of it was published before this call */
  async look(node: ViewNode, window: Window, fact: ViewFact = NOTHING, now: EpochMillis): Promise<Look> {
    if (node.shape === 'signal')
      return fact.watermark > lastWithoutPane(node, window)
        ? { state: 'ready', shown: emptyView(node, window) }
        : WAITING;
    const id = pointerId(node.name, window);
    const known = this.#known.get(id);
    if (known !== undefined && this.#isCurrent(known, node, window, fact, now)) return known.look;
    const pointer = await this.#pointer(id);
    const look = await this.#lookFor(node, window, fact, pointer, known);
    if (this.#known.size >= MOST_POINTERS) this.#known.clear();
    this.#known.set(id, { look, pointer, fact, at: now });
    return look;
  }

  #isCurrent(known: Known, node: ViewNode, window: Window, fact: ViewFact, now: EpochMillis): boolean {
    if (known.fact.revision < fact.revision || now - known.at >= LONGEST_KNOWN) return false;
    if (known.look.state !== 'waiting') return true;
    if (isPassed(window, fact) && !isPassed(window, known.fact)) return false;
    const last = lastWithoutPane(node, window);
    return known.fact.watermark > last || fact.watermark <= last;
  }

  async #lookFor(
    node: ViewNode,
    window: Window,
    fact: ViewFact,
    pointer: Pointer | undefined,
    known: Known | undefined,
  ): Promise<Look> {
    if (pointer !== undefined) {
      if (known?.look.state === 'ready' && isSame(known.pointer, pointer)) return known.look;
      const again = (): Promise<Pointer | undefined> => this.#pointer(pointerId(node.name, window));
      return { state: 'ready', shown: shownView(node, window, pointer, this.#store, this.#cache, again) };
    }
    // All that reads it is past it, so no pane of it will be shown any more.
    if (fact.watermark <= lastWithoutPane(node, window)) return isPassed(window, fact) ? REMOVED : WAITING;
    const [head] = await this.#store.get('views', [headId(node.name)]);
    const removed = (head?.body as ViewHead | undefined)?.removed ?? MIN_TIMESTAMP;
    return maxTimestamp(window) < removed ? REMOVED : { state: 'ready', shown: emptyView(node, window) };
  }

  async #pointer(id: string): Promise<Pointer | undefined> {
    const [stored] = await this.#store.get('views', [id]);
    return stored?.body as Pointer | undefined;
  }
}

function isSame(a: Pointer | undefined, b: Pointer): boolean {
  return a !== undefined && 'version' in a && 'version' in b && a.version === b.version;
}
