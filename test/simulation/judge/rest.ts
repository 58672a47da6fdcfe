/** Whether everything has come to rest: no watermark to wait for, nothing stored that somebody has yet to deal with. */
import { isFoldedRoot } from '../../../functions/engine/ingest/message-state.ts';
import { isShardRoot, parseShardId, sourceOf } from '../../../functions/engine/protocol/names.ts';
import type { Root } from '../../../functions/engine/protocol/root.ts';
import { MAX_TIMESTAMP } from '../../../functions/model/time.ts';
import type { Plan } from '../../../functions/plan/plan.ts';
import type { Collection } from '../../../functions/ports/store.ts';
import type { World } from '../world/world.ts';
import type { Watch } from './watch.ts';

/**
 * Collections that are empty when there is nothing left to do. Not `settled`: a sweep that has stood still writes such a
 * document for a root that another has retired since, and nobody looks for it there.
 */
const TRANSIENT: readonly Collection[] = ['cells', 'parts', 'outbox', 'runs', 'ids', 'views'];

/** What is not yet as it must be in the end; who only asks whether there is anything takes the first. */
export function* whatRemains(world: World, watch: Watch): Generator<string> {
  const { store, plan, warehouse } = world;
  for (const collection of TRANSIENT) {
    // What is left in a topic that nobody reads may come again one day.
    if (collection === 'ids' && !world.areTopicsDone) continue;
    const size = store.truth.size(collection);
    if (size > 0) yield `${size} of ${collection}`;
  }
  const { output } = watch.published();
  for (const stage of plan.stages)
    if (output[stage.id] !== MAX_TIMESTAMP) yield `the watermark of ${stage.id} at ${output[stage.id]}`;
  const roots = new Map(store.truth.all('roots').map(({ id, body }) => [id, body as Root]));
  for (const root of roots.values()) {
    const { id, open, outside, holds } = root;
    const sizes = Object.keys(open).length + outside.length + holds.length;
    if (sizes > 0) yield `${id} with ${Object.keys(open).length} open, ${holds.length} holds`;
    // Of a stage that is no more there is a root still, which keeps those from it that know no better.
    if (isShardRoot(id) && !isOfPlan(id, plan)) continue;
    if (isShardRoot(id)) yield* whatRemainsOfShard(root, roots, plan);
    else if (isToBeRetired(id, plan)) yield `the root ${id}`;
  }
  if (warehouse.isBusy) yield 'a job that runs';
}

function* whatRemainsOfShard(
  { id, done, extra }: Root,
  roots: ReadonlyMap<string, Root>,
  plan: Plan,
): Generator<string> {
  const gone = Object.keys(done).filter((sender) => !roots.has(sender));
  if (gone.length > 0) yield `what ${id} has of ${gone}`;
  const isSink = plan.stage(parseShardId(id).stage).head.kind === 'writeBigQuery';
  if (isSink && (extra as { claim: unknown } | undefined)?.claim) yield `a claim of ${id}`;
}

function isOfPlan(id: string, { stages }: Plan): boolean {
  return stages.some((stage) => stage.id === parseShardId(id).stage);
}

/** Roots of splits stay. */
function isToBeRetired(id: string, { sources }: Plan): boolean {
  if (isFoldedRoot(id)) return false;
  return (
    id.startsWith('replay~') || sources.some((source) => source.id === sourceOf(id) && source.reader === 'messages')
  );
}
