/**
 * Whether a message that Pub/Sub gave up on was taken in nevertheless: its bundle was committed, and every answer was lost.
 * Then it has had its end, and must not become a dead letter beside.
 *
 * A message is taken when its elements wait in the outbox of an ingest root or a replay, or when the first stage that keeps state
 * remembers their ids. The outboxes are read first: an element leaves its outbox only after that stage has taken it.
 */
import type { EpochMillis } from '../../model/time.ts';
import type { Plan, PlannedSource } from '../../plan/plan.ts';
import type { Store } from '../../ports/store.ts';
import { decodeBody } from '../element-codec.ts';
import { identified } from '../ingest/message-bundle.ts';
import { SourceDecoder } from '../ingest/source-decoder.ts';
import { rawRecord, type SourceMessage } from '../ingest/source-message.ts';
import { isReplayRoot, outboxId, shardId, sourceOf } from '../protocol/names.ts';
import type { OutboxBody } from '../protocol/outbox.ts';
import type { Root } from '../protocol/root.ts';
import { markOfId, timeOfId } from './element-id.ts';
import { hasMark, keptId, keptRecord, readIds } from './id-documents.ts';
import { idRulesOf } from './id-rules.ts';
import type { IdRule } from './id-state.ts';

export type Fate =
  | 'taken'
  | 'not taken'
  /** Its ids may have been forgotten, or are not kept at all: nobody can tell. */
  | 'unknown';

/** Outbox documents read at once. */
const READ_AT_ONCE = 50;

interface Sought {
  readonly source: string;
  readonly id: string;
  /** Whether a kept id is this message's. */
  readonly matches: (kept: string) => boolean;
}

/**
 * @param message with the publish time of the message that was given up on, whatever its id
 * @param now processing time
 */
export async function fateOf(
  plan: Plan,
  source: PlannedSource,
  message: SourceMessage,
  store: Store,
  now: EpochMillis,
): Promise<Fate> {
  const rules = plan.stages.flatMap((stage) => {
    const rule = idRulesOf(plan, stage).get(source.id);
    return rule === undefined ? [] : [{ stage: stage.id, rule }];
  });
  const sought = soughtFor(source, message);
  // What cannot be read has no elements whose ids could be known.
  if (sought === undefined) return 'not taken';
  if (rules.length === 0) return 'unknown';
  if (await isUnderWay(store, sought)) return 'taken';
  const roots = await readRoots(store);
  for (const { stage, rule } of rules)
    for (const root of roots)
      if (isShardOf(root.id, stage) && (await isRemembered(store, root, sought, rule))) return 'taken';
  // What was taken was taken after it was published, and is remembered for a horizon from then.
  return rules.every(({ rule }) => now < message.publishTime + rule.horizon) ? 'not taken' : 'unknown';
}

function soughtFor(source: PlannedSource, message: SourceMessage): Sought | undefined {
  let id: string | undefined;
  try {
    const { element } = new SourceDecoder(source.id, source.node.source).decode(rawRecord(message));
    id = identified(element, message, source).id;
  } catch {
    return undefined;
  }
  if (id === undefined) return { source: source.id, id: '', matches: () => false };
  const mark = markOfId(id);
  const record = keptRecord(keptId(id));
  const matches = (other: string): boolean =>
    mark === undefined ? keptRecord(other) === record : hasMark(other, mark);
  return { source: source.id, id, matches };
}

async function readRoots(store: Store): Promise<Root[]> {
  return (await store.roots()).map(({ body }) => body as Root);
}

function isShardOf(root: string, stage: string): boolean {
  return sourceOf(root) === undefined && root === shardId(stage, Number(root.slice(root.lastIndexOf('~') + 1)));
}

/** Whether its elements were committed by an ingest instance or a replay and are not known to be taken where they were sent. */
async function isUnderWay(store: Store, { source, matches }: Sought): Promise<boolean> {
  for (const { id, open } of await readRoots(store)) {
    if (sourceOf(id) !== source && !isReplayRoot(id)) continue;
    const documents = new Set<string>();
    for (const { firstDocument, lastDocument } of Object.values(open).flat())
      for (let document = firstDocument; document <= lastDocument; document++) documents.add(outboxId(id, document));
    const names = [...documents];
    for (let at = 0; at < names.length; at += READ_AT_ONCE)
      for (const stored of await store.get('outbox', names.slice(at, at + READ_AT_ONCE)))
        for (const { body } of (stored?.body as OutboxBody | undefined)?.envelopes ?? [])
          if (decodeBody(body).some((incoming) => incoming.id !== undefined && matches(keptId(incoming.id))))
            return true;
  }
  return false;
}

/** Whether a shard remembers an id of it. */
async function isRemembered(
  store: Store,
  root: Root,
  { source, id, matches }: Sought,
  { by }: IdRule,
): Promise<boolean> {
  const time = timeOfId(id)!;
  const numbers = new Set<number>();
  for (const span of root.ids?.spans ?? [])
    if (span.source === source && (by === 'publishTimes' || (span.from <= time && time < span.to)))
      for (let number = span.first; number <= span.last; number++) numbers.add(number);
  const bodies = await readIds(store, root.id, [...numbers]);
  for (const { groups } of bodies.values())
    for (const [groupSource, , ids] of groups) if (groupSource === source && ids.some(matches)) return true;
  return false;
}
