/**
 * Whether a message that Pub/Sub gave up on was taken in nevertheless: its bundle was committed, and every answer was lost.
 * Then it has had its end, and must not become a dead letter beside.
 *
 * A message is taken when its elements wait in the outbox of an ingest root or a replay, or when the first stage that keeps state
 * remembers their ids. The outboxes are read first, where several messages are looked for too: an element leaves its outbox only
 * after that stage has taken it.
 */
import type { EpochMillis } from '../../model/time.ts';
import type { Plan, PlannedSource } from '../../plan/plan.ts';
import type { Store } from '../../ports/store.ts';
import { decodeBody } from '../element-codec.ts';
import { identified } from '../ingest/message-bundle.ts';
import { SourceDecoder } from '../ingest/source-decoder.ts';
import { rawRecord, type SourceMessage } from '../ingest/source-message.ts';
import { isReplayRoot, outboxId, parseShardId, shardId, sourceOf } from '../protocol/names.ts';
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

/** A message that was given up on. */
export interface GivenUp {
  readonly source: PlannedSource;
  /** With the publish time of the message that was given up on, whatever its id. */
  readonly message: SourceMessage;
}

/** Where and how a message's elements are known. */
interface Sought {
  readonly source: string;
  readonly id: string;
  /** Whether a kept id is this message's. */
  readonly matches: (kept: string) => boolean;
  /** The stages that remember its ids, and how. */
  readonly stages: readonly { readonly stage: string; readonly rule: IdRule }[];
  isTaken: boolean;
}

/** @param now processing time */
export async function fateOf(plan: Plan, givenUp: GivenUp, store: Store, now: EpochMillis): Promise<Fate> {
  const [fate] = await fatesOf(plan, [givenUp], store, now);
  return fate!;
}

/**
 * What became of each of several messages, which are looked for at once.
 * @param now processing time
 */
export async function fatesOf(
  plan: Plan,
  messages: readonly GivenUp[],
  store: Store,
  now: EpochMillis,
): Promise<Fate[]> {
  const all = messages.map((givenUp) => ({ givenUp, sought: soughtFor(plan, givenUp) }));
  const known = all.flatMap(({ sought }) => (sought === undefined || sought.stages.length === 0 ? [] : [sought]));
  if (known.length > 0) await lookInOutboxes(plan, store, known);
  const others = known.filter(({ isTaken }) => !isTaken);
  if (others.length > 0) await lookAmongIds(store, others);
  return all.map(({ givenUp: { message }, sought }): Fate => {
    // What cannot be read has no elements whose ids could be known.
    if (sought === undefined) return 'not taken';
    if (sought.isTaken) return 'taken';
    // What was taken was taken after it was published, and is remembered for a horizon from then.
    const isRemembered = sought.stages.every(({ rule }) => now < message.publishTime + rule.horizon);
    return sought.stages.length > 0 && isRemembered ? 'not taken' : 'unknown';
  });
}

function soughtFor(plan: Plan, { source, message }: GivenUp): Sought | undefined {
  let id: string | undefined;
  try {
    const { element } = new SourceDecoder(source.id, source.node.source).decode(rawRecord(message));
    id = identified(element, message, source).id;
  } catch {
    return undefined;
  }
  const stages = plan.stages.flatMap((stage) => {
    const rule = idRulesOf(plan, stage).get(source.id);
    return rule === undefined ? [] : [{ stage: stage.id, rule }];
  });
  const sought = { source: source.id, stages, isTaken: false };
  if (id === undefined) return { ...sought, id: '', matches: () => false };
  const mark = markOfId(id);
  const record = keptRecord(keptId(id));
  const matches = (other: string): boolean =>
    mark === undefined ? keptRecord(other) === record : hasMark(other, mark);
  return { ...sought, id, matches };
}

async function readRoots(store: Store): Promise<Root[]> {
  return (await store.roots()).map(({ body }) => body as Root);
}

function isShardOf(root: string, stage: string): boolean {
  return sourceOf(root) === undefined && root === shardId(stage, Number(root.slice(root.lastIndexOf('~') + 1)));
}

/**
 * Finds what was committed by an ingest instance or a replay and is not known to be taken where it was sent. Rows on their way
 * to a table are no elements.
 */
async function lookInOutboxes(plan: Plan, store: Store, messages: readonly Sought[]): Promise<void> {
  const tables = new Set(plan.stages.flatMap(({ id, head }) => (head.kind === 'writeBigQuery' ? [id] : [])));
  for (const { id, open } of await readRoots(store)) {
    const wanted = messages.filter(({ source }) => sourceOf(id) === source || isReplayRoot(id));
    const documents = new Set<string>();
    for (const { firstDocument, lastDocument } of Object.values(open).flat())
      for (let document = firstDocument; document <= lastDocument; document++) documents.add(outboxId(id, document));
    const names = [...documents];
    for (let at = 0; at < names.length && wanted.some(({ isTaken }) => !isTaken); at += READ_AT_ONCE)
      for (const stored of await store.get('outbox', names.slice(at, at + READ_AT_ONCE)))
        for (const { target, body } of (stored?.body as OutboxBody | undefined)?.envelopes ?? []) {
          if (tables.has(parseShardId(target).stage)) continue;
          for (const { id: elementId } of decodeBody(body))
            if (elementId !== undefined) note(wanted, keptId(elementId));
        }
  }
}

/** Finds what shards remember. */
async function lookAmongIds(store: Store, messages: readonly Sought[]): Promise<void> {
  for (const root of await readRoots(store)) {
    const wanted = messages.flatMap((sought) => {
      const found = sought.stages.find(({ stage }) => isShardOf(root.id, stage));
      if (found === undefined || sought.isTaken) return [];
      return [{ sought, numbers: documentsFor(sought, root, found.rule) }];
    });
    const bodies = await readIds(store, root.id, [...new Set(wanted.flatMap(({ numbers }) => numbers))]);
    for (const { sought, numbers } of wanted)
      for (const number of numbers)
        for (const [source, , ids] of bodies.get(number)?.groups ?? [])
          if (source === sought.source) for (const kept of ids) note([sought], kept);
  }
}

function note(messages: readonly Sought[], kept: string): void {
  for (const sought of messages) if (!sought.isTaken && sought.matches(kept)) sought.isTaken = true;
}

/** The documents of a shard in which ids of a message may be. */
function documentsFor({ source, id }: Sought, { ids }: Root, { by }: IdRule): number[] {
  const time = timeOfId(id)!;
  const numbers = new Set<number>();
  for (const span of ids?.spans ?? [])
    if (span.source === source && (by === 'publishTimes' || (span.from <= time && time < span.to)))
      for (let number = span.first; number <= span.last; number++) numbers.add(number);
  return [...numbers];
}
