/**
 * Sending again, from the outbox, what was given a number and not taken for a while. Pub/Sub is transport only: whatever it
 * loses, this one rule brings.
 */
import { RetryableError } from '../../model/errors.ts';
import { type EpochMillis, MAX_TIMESTAMP, type Millis } from '../../model/time.ts';
import type { Bus, Envelope } from '../../ports/bus.ts';
import type { Store } from '../../ports/store.ts';
import { outboxId, parseShardId, type RootId } from '../protocol/names.ts';
import type { OutboxBody } from '../protocol/outbox.ts';
import { contains, covers } from '../protocol/ranges.ts';
import type { OpenRange } from '../protocol/open-ranges.ts';
import type { Root } from '../protocol/root.ts';

/** Envelopes sent again by one sweep to one target. */
const MAX_REPUBLISHED = 1_000;
/** Outbox documents read at once; a range that was open for hours has thousands. */
const READ_AT_ONCE = 20;
/** What is that old is sent again for the first time. */
export const REPUBLISH_AFTER = 60_000 as Millis;
const LONGEST_BACKOFF = 3_600_000;

/**
 * @param paused stages that get nothing
 * @returns how many envelopes were sent again
 */
export async function republish(
  store: Store,
  bus: Bus,
  roots: ReadonlyMap<RootId, Root>,
  lastSweep: EpochMillis,
  now: EpochMillis,
  paused: ReadonlySet<string> = new Set(),
  first: Millis = REPUBLISH_AFTER,
): Promise<number> {
  const sent = new Map<RootId, number>();
  for (const root of roots.values()) {
    for (const target in root.open) {
      if (isPaused(target, paused)) continue;
      const done = roots.get(target)?.done[root.id];
      for (const range of root.open[target]!) {
        if ((sent.get(target) ?? 0) >= MAX_REPUBLISHED) break;
        if (covers(done, range.from, range.to) || !isDueAgain(range.born, lastSweep, now, first)) continue;
        for await (const some of envelopesOf(store, root.id, target, range)) {
          const room = MAX_REPUBLISHED - (sent.get(target) ?? 0);
          const envelopes = some.filter(({ number }) => !contains(done, number)).slice(0, room);
          if (envelopes.length > 0) await bus.send(envelopes);
          sent.set(target, (sent.get(target) ?? 0) + envelopes.length);
          if (envelopes.length === room) break;
        }
      }
    }
    for (const { document, born } of root.outside)
      if (isDueAgain(born, lastSweep, now, first)) await publishOutside(store, bus, root.id, document);
  }
  return [...sent.values()].reduce((sum, count) => sum + count, 0);
}

/** Whether a shard's stage is paused. */
export function isPaused(target: RootId, paused: ReadonlySet<string>): boolean {
  return paused.size > 0 && paused.has(parseShardId(target).stage);
}

/** Publishes an outbox document's messages for topics outside. */
export async function publishOutside(store: Store, bus: Bus, root: RootId, document: number): Promise<void> {
  const [stored] = await store.get('outbox', [outboxId(root, document)]);
  if (stored !== undefined) await bus.publish((stored.body as OutboxBody).outside);
}

/**
 * Publishes what an owner's root still has for topics outside. Where the store or the bus is down, it is left for the next
 * time.
 * @param published the outbox documents of which it is known already
 * @returns those that are known to be accepted now, `published` among them
 */
export async function publishLeft(
  store: Store,
  bus: Bus,
  { id, outside }: Root,
  published: readonly number[],
): Promise<readonly number[]> {
  const known = [...published];
  for (const { document } of outside) {
    if (known.includes(document)) continue;
    try {
      await publishOutside(store, bus, id, document);
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      break;
    }
    known.push(document);
  }
  return known;
}

/** The envelopes of a range, a few documents at a time. */
async function* envelopesOf(
  store: Store,
  root: RootId,
  target: RootId,
  { from, to, firstDocument, lastDocument }: OpenRange,
): AsyncGenerator<Envelope[]> {
  for (let first = firstDocument; first <= lastDocument; first += READ_AT_ONCE) {
    const ids: string[] = [];
    for (let document = first; document <= lastDocument && document < first + READ_AT_ONCE; document++)
      ids.push(outboxId(root, document));
    const documents = await store.get('outbox', ids);
    yield documents
      .flatMap((document) => (document === undefined ? [] : (document.body as OutboxBody).envelopes))
      .filter((envelope) => envelope.target === target && from <= envelope.number && envelope.number <= to);
  }
}

/**
 * Whether a range is to be sent again: when it is 1, 2, 4 … 60 minutes older than at the time before. What decides is
 * whether such a moment lies between the sweep before and this one, so that a skipped sweep skips nothing.
 */
export function isDueAgain(
  born: EpochMillis,
  lastSweep: EpochMillis,
  now: EpochMillis,
  first: Millis = REPUBLISH_AFTER,
): boolean {
  let at = born;
  for (let wait: number = first; at <= now && at < MAX_TIMESTAMP; wait = Math.min(2 * wait, LONGEST_BACKOFF)) {
    at = (at + wait) as EpochMillis;
    if (at > lastSweep && at <= now) return true;
    if (wait === LONGEST_BACKOFF) {
      const rounds = Math.floor((now - at) / LONGEST_BACKOFF);
      return rounds >= 0 && at + rounds * LONGEST_BACKOFF > lastSweep;
    }
  }
  return false;
}
