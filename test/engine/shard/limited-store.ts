/** A store that refuses what Firestore would, though without compression. */
import { TooLargeError } from '../../../functions/index.ts';
import type { TestPipeline } from '../../../functions/local/testing.ts';

const MAX_DOCUMENT_BYTES = 1_048_487;
const MAX_COMMIT_BYTES = 10 * 1024 * 1024;

/** From now on, what a pipeline commits must fit Firestore. */
export function limitCommits({ store }: TestPipeline): void {
  const { commit } = store;
  store.commit = async (batch) => {
    let total = 0;
    for (const { collection, id, body } of batch.sets) {
      const bytes = Buffer.byteLength(JSON.stringify(body));
      if (bytes > MAX_DOCUMENT_BYTES)
        throw new TooLargeError(`document ${collection}/${id}`, bytes, MAX_DOCUMENT_BYTES);
      total += bytes;
    }
    if (total > MAX_COMMIT_BYTES)
      throw new TooLargeError(`the commit of ${batch.sets[0]?.id}`, total, MAX_COMMIT_BYTES);
    return commit.call(store, batch);
  };
}
