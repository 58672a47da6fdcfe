/** What is stored of one key. */
import { keyHash, shardOf } from '../../engine/chain/outlet.ts';
import { shardId } from '../../engine/protocol/names.ts';
import type { Holder } from '../../engine/shard/cell.ts';
import { type CellBody, cellId } from '../../engine/shard/cell-cache.ts';
import { BufferedParts, PartCache } from '../../engine/shard/cell-parts.ts';
import { ConfigurationError } from '../../model/errors.ts';
import { keyText } from '../../model/key.ts';
import { type EpochMillis, MAX_TIMESTAMP } from '../../model/time.ts';
import type { Store } from '../../ports/store.ts';
import type { Programs } from '../status/programs.ts';
import { type Survey, stageOf } from '../status/survey.ts';

export interface KeyState {
  readonly stage: string;
  readonly shard: string;
  readonly key: unknown;
  /** Where it holds the watermark. */
  readonly hold: EpochMillis | null;
  /** What in it holds, and when it is next due; null where the code is not at hand to read it. */
  readonly holders: readonly Holder[] | null;
  readonly eventDue: EpochMillis | null;
  readonly processingDue: EpochMillis | null;
  /** As it is stored. */
  readonly state: string;
}

/** @throws {ConfigurationError} when there is no such stage, or nothing is stored of the key */
export async function stateOf(
  store: Store,
  survey: Survey,
  stage: string,
  key: unknown,
  programs: Programs,
): Promise<KeyState> {
  const { shards, kind } = stageOf(survey, stage);
  const text = keyText(key);
  const shard = shardId(stage, shardOf(keyHash(text), shards));
  const [stored] = await store.get('cells', [cellId(shard, text)]);
  if (stored === undefined)
    throw new ConfigurationError(`stage '${stage}' (${kind}) holds nothing of key ${text}${hintFor(key)}`);
  const { hold, state } = stored.body as CellBody;
  const parts = new BufferedParts(stored.id, new PartCache(store));
  const cell = programs(stage)?.open(key, state, parts);
  return {
    stage,
    shard,
    key,
    hold,
    holders: cell?.holders?.() ?? null,
    eventDue: known(cell?.eventDue()),
    processingDue: known(cell?.processingDue()),
    state,
  };
}

/** What looks like JSON on a command line may be meant as a text. */
function hintFor(key: unknown): string {
  return typeof key === 'string' ? '' : `; if the key is a text, type it as '${JSON.stringify(keyText(key))}'`;
}

function known(at: EpochMillis | undefined): EpochMillis | null {
  return at === undefined || at >= MAX_TIMESTAMP ? null : at;
}
