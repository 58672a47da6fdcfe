/**
 * A store whose calls wait until somebody lets them through, one at a time: so a seed decides how the calls of many
 * instances mix. A call may be let through and its answer lost, refused, or, when its caller has died, thrown away.
 */
import type { MemoryStore } from '../../../../functions/local/memory-store.ts';
import { RetryableError } from '../../../../functions/model/errors.ts';
import type { Batch, Store, StoredDocument } from '../../../../functions/ports/store.ts';

/** Whoever calls: an instance. When it is dead, its calls are never answered; while it is frozen, they wait. */
export interface Owner {
  alive: boolean;
  frozenUntil: number;
}

export type Fate = 'answered' | 'answerLost' | 'refused';

/** What a store may never do. */
export interface Wrongs {
  /** Roots are as they were when they were asked for the time before. */
  readonly staleSnapshot?: boolean;
  /** Preconditions are not looked at. */
  readonly noFence?: boolean;
}

interface WaitingCall {
  readonly owner: Owner;
  readonly isCommit: boolean;
  readonly run: () => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export class SteppedStore {
  readonly #inner: MemoryStore;
  readonly #applied: (batch: Batch) => void;
  readonly #wrongs: Wrongs;
  readonly #waiting: WaitingCall[] = [];
  #before: readonly StoredDocument[] | undefined;

  /** @param applied told of each batch that was written */
  constructor(inner: MemoryStore, applied: (batch: Batch) => void, wrongs: Wrongs = {}) {
    this.#inner = inner;
    this.#applied = applied;
    this.#wrongs = wrongs;
  }

  /** The store as one instance has it. */
  of(owner: Owner): Store {
    const call = <T>(run: () => Promise<T>, isCommit = false): Promise<T> =>
      new Promise<T>((resolve, reject) =>
        this.#waiting.push({ owner, isCommit, run, resolve: resolve as (value: unknown) => void, reject }),
      );
    return {
      get: (collection, ids) => call(() => this.#inner.get(collection, ids)),
      query: (query, equals, page) => call(() => this.#inner.query(query, equals, page)),
      roots: () => call(() => this.#roots()),
      raise: (name, fields) => call(() => this.#inner.raise(name, fields)),
      commit: (batch) =>
        call(async () => {
          const result = await this.#inner.commit(this.#wrongs.noFence ? { ...batch, preconditions: [] } : batch);
          this.#applied(batch);
          return result;
        }, true),
    };
  }

  /** How many calls could be let through at `now`. */
  ready(now: number): number {
    return this.#ready(now).length;
  }

  /** Lets one call through. @param which from 0 to `ready - 1` */
  async step(which: number, now: number, fate: Fate): Promise<void> {
    const call = this.#ready(now)[which]!;
    this.#waiting.splice(this.#waiting.indexOf(call), 1);
    try {
      if (fate === 'refused' && call.isCommit) throw new RetryableError('the store was down');
      const result = await call.run();
      if (fate === 'answerLost') throw new RetryableError('the answer was lost');
      if (call.owner.alive) call.resolve(result);
    } catch (error) {
      if (call.owner.alive) call.reject(error);
    }
  }

  /** An instance dies: each of its calls has arrived, or never does. Nobody hears the answers. */
  async die(owner: Owner, arrives: () => boolean): Promise<void> {
    owner.alive = false;
    for (const call of this.#waiting.filter((each) => each.owner === owner)) {
      this.#waiting.splice(this.#waiting.indexOf(call), 1);
      if (arrives()) await call.run().catch(() => {});
    }
  }

  async #roots(): Promise<readonly StoredDocument[]> {
    const fresh = await this.#inner.roots();
    const stale = this.#before ?? fresh;
    this.#before = fresh;
    return this.#wrongs.staleSnapshot ? stale : fresh;
  }

  #ready(now: number): WaitingCall[] {
    return this.#waiting.filter(({ owner }) => owner.frozenUntil <= now);
  }
}
