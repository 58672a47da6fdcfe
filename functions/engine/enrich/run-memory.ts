/** The elements of waiting runs, in memory as far as there is room, else read from their documents. */
import { CorruptionError } from '../../model/errors.ts';
import type { EnrichNode } from '../../model/graph.ts';
import type { Document, Store } from '../../ports/store.ts';
import type { Element } from '../element.ts';
import { decodeBody, encodeElement } from '../element-codec.ts';
import type { ShardId } from '../protocol/names.ts';
import type { Piece } from './enrich-state.ts';
import { type Instance, instanceOf } from './instance.ts';

/** An element that waits for its model, with what the model is shown. */
export interface Pending {
  readonly element: Element;
  readonly instance: Instance;
}

/** The body of a run's document: its elements as the element codec writes them. */
interface EnrichRunBody {
  readonly elements: string;
}

/** Elements in memory; beyond that the runs that were used longest ago are dropped. */
const MAX_ELEMENTS = 50_000;

export class RunMemory {
  readonly #shard: ShardId;
  readonly #node: EnrichNode;
  readonly #store: Store;
  readonly #runs = new Map<number, readonly Pending[]>();
  #size = 0;

  constructor(shard: ShardId, node: EnrichNode, store: Store) {
    this.#shard = shard;
    this.#node = node;
    this.#store = store;
  }

  /** A run that is about to be committed. */
  put(run: number, elements: readonly Pending[]): void {
    this.#runs.set(run, elements);
    this.#size += elements.length;
    for (const [oldest, { length }] of this.#runs) {
      if (this.#size <= MAX_ELEMENTS || oldest === run) break;
      this.#runs.delete(oldest);
      this.#size -= length;
    }
  }

  /** The elements of pieces, in order. */
  async elements(pieces: readonly Piece[]): Promise<Pending[]> {
    await this.#load(pieces.map(([run]) => run));
    return pieces.flatMap(([run, from, to]) => this.#runs.get(run)!.slice(from, to));
  }

  async #load(runs: readonly number[]): Promise<void> {
    const missing = [...new Set(runs)].filter((run) => !this.#runs.has(run));
    if (missing.length === 0) return;
    const documents = await this.#store.get(
      'runs',
      missing.map((run) => enrichRunId(this.#shard, run)),
    );
    for (const [i, run] of missing.entries()) {
      const body = documents[i]?.body as EnrichRunBody | undefined;
      if (body === undefined)
        throw new CorruptionError(`run ${run} of ${this.#shard} is gone, but elements of it wait`);
      this.put(
        run,
        decodeBody(body.elements).map((incoming) => this.#pending(incoming)),
      );
    }
  }

  #pending({ value, timestamp, windows, pane, id }: Element): Pending {
    const element: Element = { value, timestamp, windows, pane, id };
    return { element, instance: instanceOf(this.#node, element) };
  }
}

export function enrichRunId(shard: ShardId, run: number): string {
  return `${shard}~${run}`;
}

/** A run's document. */
export function runDocument(shard: ShardId, run: number, texts: readonly string[]): Document {
  const body: EnrichRunBody = { elements: `[${texts.join(',')}]` };
  return { collection: 'runs', id: enrichRunId(shard, run), body, index: { shard, number: run } };
}

export function pendingText({ element }: Pending): string {
  return encodeElement(0, 'null', element.value, element);
}
