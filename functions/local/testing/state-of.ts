import { keyHash, shardOf } from '../../engine/chain/outlet.ts';
import { shardId } from '../../engine/protocol/names.ts';
import { type CellBody, cellId } from '../../engine/shard/cell-cache.ts';
import { BufferedParts, PartCache } from '../../engine/shard/cell-parts.ts';
import type { InspectedWindow } from '../../engine/stateful/inspect.ts';
import { statefulSpec } from '../../engine/stateful/spec.ts';
import { StatefulCell } from '../../engine/stateful/stateful-cell.ts';
import { ConfigurationError } from '../../model/errors.ts';
import { type Key, keyText } from '../../model/key.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Stage } from '../../plan/plan.ts';
import type { Store } from '../../ports/store.ts';

/** Reads a key's cell of a stateful step. @throws {ConfigurationError} for another kind of step */
export async function stateOf(
  store: Store,
  { id, head, shards }: Stage,
  key: Key,
  processingTime: EpochMillis,
): Promise<readonly InspectedWindow[]> {
  if (head.kind !== 'stateful')
    throw new ConfigurationError(`'${id}' (${head.kind}) keeps no state of its author's; stateOf reads statefulParDo`);
  const text = keyText(key);
  const document = cellId(shardId(id, shardOf(keyHash(text), shards)), text);
  const [stored] = await store.get('cells', [document]);
  if (stored === undefined) return [];
  const { state } = stored.body as CellBody;
  const parts = new BufferedParts(document, new PartCache(store));
  return new StatefulCell(statefulSpec(head, head.makeDoFn()), key, parts, state).inspect(processingTime);
}
