/** The store as instances see it: one truth behind calls that are slow, fail, or succeed without saying so. */
import type { Root } from '../../../functions/engine/protocol/root.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';
import { ContentionError, RetryableError } from '../../../functions/model/errors.ts';
import type { Batch, CommitResult, ListingStore, Store } from '../../../functions/ports/store.ts';
import { describeBatch, time } from './describe.ts';
import type { Instance } from './instance.ts';
import { Outages } from './outages.ts';
import type { Surroundings } from './surroundings.ts';

/** Looks at everything that is written, at the moment when it is. */
export interface StoreWatcher {
  committed(batch: Batch): void;
  raised(fields: Readonly<Record<string, number>>): void;
  /** Somebody who deploys has changed what is stored. */
  renewed(batch: Batch): void;
  /** The root that a batch is about to write, as it stands before; for the story. */
  root(batch: Batch): Root | undefined;
}

export class SimulatedStore {
  readonly truth: MemoryStore;
  readonly #around: Surroundings;
  readonly #watcher: () => StoreWatcher;
  readonly #outages: Outages;

  /** @param watcher who looks at present */
  constructor(around: Surroundings, watcher: () => StoreWatcher) {
    this.#around = around;
    this.#watcher = watcher;
    this.truth = new MemoryStore({ strict: around.scenario.world.strictStore });
    this.#outages = new Outages(around, 'storeOutage', 'the store');
  }

  /** The port of one instance. */
  portOf(instance: Instance): Store {
    const { truth } = this;
    const read = <T>(what: string, apply: () => Promise<T>): Promise<T> => this.#read(instance, what, apply);
    return {
      get: (collection, ids) => read(`get ${collection}`, () => truth.get(collection, ids)),
      query: (query, equals, page) => read(`query ${query.name}`, () => truth.query(query, equals, page)),
      roots: () => read('roots', () => truth.roots()),
      commit: (batch) =>
        this.#call(instance, 'commit', () => this.#commit(batch, instance, () => this.#watcher().committed(batch))),
      raise: (name, fields) =>
        this.#call(instance, 'raise', () => {
          this.#around.tell(
            () => `${instance.name} publishes ${Object.entries(fields).map(([field, at]) => `${field} ${time(at)}`)}`,
          );
          this.#watcher().raised(fields);
          return truth.raise(name, fields);
        }),
    };
  }

  /**
   * The port of somebody who deploys.
   * @param committed told of each commit of theirs
   */
  deployerPortOf(instance: Instance, committed: (batch: Batch) => void): ListingStore {
    const { truth } = this;
    return {
      ...this.portOf(instance),
      list: (collection, limit) => this.#read(instance, `list ${collection}`, () => truth.list(collection, limit)),
      commit: (batch) => this.#call(instance, 'commit', () => this.#commit(batch, instance, () => committed(batch))),
    };
  }

  #read<T>(instance: Instance, what: string, apply: () => Promise<T>): Promise<T> {
    return this.#call(instance, what, () =>
      this.#around.faults.happens('readFailed') ? failed('the read failed') : apply(),
    );
  }

  async #commit(batch: Batch, instance: Instance, committed: () => void): Promise<CommitResult> {
    const { faults, tell } = this.#around;
    if (faults.happens('commitFailed')) throw new RetryableError('the commit failed');
    if (faults.happens('commitAborted')) throw new ContentionError('too much contention on these documents');
    const before = this.truth.counts.commits;
    const result = this.truth.commit(batch);
    // The store in memory has applied it, or refused it, before it returns.
    if (this.truth.counts.commits > before) {
      tell(() => `${instance.name} commits ${describeBatch(batch, this.#watcher().root(batch))}`);
      committed();
    } else tell(() => `${instance.name} comes too late with a commit of ${batch.preconditions.map(({ id }) => id)}`);
    if (!faults.happens('commitAnswerLost')) return result;
    await result;
    throw new RetryableError('the answer was lost');
  }

  #call<T>(instance: Instance, what: string, apply: () => Promise<T>): Promise<T> {
    const { storeLatency } = this.#around.scenario.world;
    return instance.call(what, storeLatency, () => (this.#outages.isDown() ? failed('the store is down') : apply()));
  }
}

function failed(why: string): Promise<never> {
  return Promise.reject(new RetryableError(why));
}
