/** Which cells of a shard hold its watermark, and what in them does. */
import type { CellProgram, Holder } from '../../engine/shard/cell.ts';
import type { Root } from '../../engine/protocol/root.ts';
import type { EpochMillis } from '../../model/time.ts';
import { CELLS_BY_EVENT_DUE, CELLS_BY_PROCESSING_DUE, type Query } from '../../ports/queries.ts';
import type { Store, StoredDocument } from '../../ports/store.ts';
import type { CellBody } from '../../engine/shard/cell-cache.ts';
import { BufferedParts, PartCache } from '../../engine/shard/cell-parts.ts';

export interface HoldingCell {
  /** The key's text. */
  readonly key: string;
  readonly at: EpochMillis;
  /** What in it holds, where the code of the stage is at hand to read the cell. */
  readonly holders: readonly Holder[];
}

const PAGE = 500;
/** Cells looked at in a shard before giving up. */
const MOST_CELLS = 10_000;

/**
 * A cell that holds at exactly `at`; undefined when none is found among those that wait for a clock.
 * @param program reads the cell; undefined: only its key is known
 */
export async function cellHoldingAt(
  store: Store,
  root: Root,
  at: EpochMillis,
  program: CellProgram | undefined,
): Promise<HoldingCell | undefined> {
  for (const query of [CELLS_BY_EVENT_DUE, CELLS_BY_PROCESSING_DUE])
    for await (const { id, body } of cellsBy(store, query, root.id)) {
      const { key, hold, state } = body as CellBody;
      if (hold !== at) continue;
      const parts = new BufferedParts(id, new PartCache(store));
      const holders = program?.open(JSON.parse(key), state, parts).holders?.() ?? [];
      return { key, at, holders: holders.filter((holder) => holder.at === at) };
    }
  return undefined;
}

/** Cells of a shard in the order in which a clock makes them due; not those that wait for nothing. */
export async function* cellsBy(store: Store, query: Query, shard: string): AsyncGenerator<StoredDocument> {
  let after: string | undefined;
  let seen = 0;
  do {
    const page = { limit: PAGE, ...(after === undefined ? {} : { after }) };
    const { documents, cursor } = await store.query(query, { shard }, page);
    yield* documents;
    seen += documents.length;
    after = cursor;
  } while (after !== undefined && seen < MOST_CELLS);
}
