import { ContentionError, RetryableError } from '../../functions/model/errors.ts';
import { MemoryStore } from '../../functions/local/memory-store.ts';
import type { SeededIds } from '../../functions/local/virtual-clock.ts';
import type { Batch, CommitResult } from '../../functions/ports/store.ts';

/** Shares between 0 and 1 of the commits that go wrong. */
export interface StoreFaults {
  /** Nothing is written. */
  readonly down?: number;
  /** Nothing is written, as if another instance had committed. */
  readonly contention?: number;
  /** Everything is written, and the answer is lost. */
  readonly answerLost?: number;
}

/** A strict store in memory whose commits fail now and then, as a seed decides. */
export class FaultyStore extends MemoryStore {
  readonly #ids: SeededIds;
  readonly #faults: StoreFaults;

  constructor(ids: SeededIds, faults: StoreFaults) {
    super({ strict: true });
    this.#ids = ids;
    this.#faults = faults;
  }

  override async commit(batch: Batch): Promise<CommitResult> {
    const { down = 0, contention = 0, answerLost = 0 } = this.#faults;
    const at = this.#ids.random();
    if (at < down) throw new RetryableError('the store is down');
    if (at < down + contention) throw new ContentionError('somebody else was faster');
    const result = await super.commit(batch);
    if (at < down + contention + answerLost) throw new RetryableError('the answer was lost');
    return result;
  }
}
