/**
 * Replays dead letters. Invariant: a letter is taken as (letter, generation) in one commit: its status leaves `dead` under
 * its version as precondition, and what comes of it opens in the replay's own root, from where it travels like everything
 * else. So whoever replays it too, at the same time or later, changes nothing.
 */
import type { DeadLetter } from '../../engine/dead-letter.ts';
import { deadLetterDocuments } from '../../engine/dead-letter-document.ts';
import { outsideMessages } from '../../engine/chain/outside.ts';
import { epochFence } from '../../engine/control.ts';
import { commitRoot, publishOutbox } from '../../engine/protocol/commit.ts';
import { replayRootId } from '../../engine/protocol/names.ts';
import { fillOutbox } from '../../engine/protocol/outbox.ts';
import { newRoot, type Root, RootDraft } from '../../engine/protocol/root.ts';
import { ConfigurationError, ContentionError } from '../../model/errors.ts';
import { type EpochMillis, later } from '../../model/time.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock, Ids } from '../../ports/clock.ts';
import type { Document, Precondition, Store, Version } from '../../ports/store.ts';
import { ending, type FoundLetter, getLetter } from '../dead-letters/letters.ts';
import { CannotReplay } from './cannot-replay.ts';
import { LetterRun, type LetterResult } from './letter-run.ts';
import { countLate } from './lateness.ts';
import type { Patch } from './patch.ts';
import { takenAfterAll } from './taken-after-all.ts';

export interface ReplaySetting {
  readonly plan: Plan;
  readonly store: Store;
  readonly bus: Bus;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly topology: number;
  /** Default 1. */
  readonly epoch?: number;
  /** The deployed version, for what fails again. */
  readonly version: string;
  /** The newest published input watermark of a stage. */
  readonly inputWatermarkOf: (stage: string) => EpochMillis;
  readonly patch?: Patch;
}

/** What became of a letter. */
export type ReplayOutcome =
  /** It was taken; so many elements are on their way, of which so many come too late and end as late records. */
  | { readonly outcome: 'replayed'; readonly id: string; readonly sent: number; readonly late: number }
  /** It failed again in the replay's own root; `next` are the letters of the next generation. */
  | {
      readonly outcome: 'failed';
      readonly id: string;
      readonly sent: number;
      readonly late: number;
      readonly next: readonly string[];
      readonly reason: string;
    }
  /** It stays as it is. */
  | { readonly outcome: 'skipped'; readonly id: string; readonly reason: string };

const REPLAY_NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

const NOTHING = { sets: [], deletes: [] };

/** @template R what came of it: an outcome where it is not taken */
interface Ran<R = LetterResult | ReplayOutcome> {
  readonly found: FoundLetter;
  readonly result: R;
}
type Taken = Ran<LetterResult>;

export class Replayer {
  readonly root: string;
  readonly #setting: ReplaySetting;
  readonly #run: LetterRun;
  #stored: { root: Root; version: Version | 'absent' };
  #published: readonly number[] = [];

  /** @param name in the root's name, e.g. a ticket's number; who ended a letter */
  constructor(name: string, setting: ReplaySetting) {
    if (!REPLAY_NAME.test(name))
      throw new ConfigurationError(
        `--name: expected lower-case words and digits with dashes, such as 'fix-17'; got '${name}'`,
      );
    this.root = replayRootId(name, setting.ids.unique());
    this.#setting = setting;
    this.#run = new LetterRun(setting.plan, setting.patch);
    this.#stored = { root: newRoot(this.root, setting.topology), version: 'absent' };
  }

  /** What would come of letters, without doing it. The steps behind the one that failed are run. */
  async tryOut(letters: readonly FoundLetter[]): Promise<ReplayOutcome[]> {
    const outcomes: ReplayOutcome[] = [];
    for (const { found, result } of await this.#ran(letters)) {
      const { letter } = found;
      if ('outcome' in result) outcomes.push(result);
      else outcomes.push(this.#outcome(letter, result, this.#lettersOf(letter, result, 'not written')));
    }
    return outcomes;
  }

  /** Replays letters in one commit. */
  async replay(letters: readonly FoundLetter[]): Promise<ReplayOutcome[]> {
    const outcomes = new Map<string, ReplayOutcome>();
    let taken: Taken[] = [];
    for (const { found, result } of await this.#ran(letters))
      if ('outcome' in result) outcomes.set(found.letter.id, result);
      else taken.push({ found, result });
    while (taken.length > 0) {
      try {
        for (const outcome of await this.#commit(taken)) outcomes.set(outcome.id, outcome);
        break;
      } catch (error) {
        if (!(error instanceof ContentionError)) throw error;
        const still = await this.#stillDead(taken, outcomes);
        if (still.length === taken.length) throw error;
        taken = still;
      }
    }
    return letters.map(({ letter }) => outcomes.get(letter.id)!);
  }

  /** Notes what topics outside have accepted, and tears down the steps. Call last. */
  async close(): Promise<void> {
    await this.#run.close();
    if (this.#published.length === 0) return;
    const { store, topology, ids } = this.#setting;
    this.#stored = await commitRoot(store, this.#draft(), this.#stored.version, ids.unique(), topology, NOTHING);
  }

  #draft(): RootDraft {
    const draft = new RootDraft(this.#stored.root);
    draft.processingTime = later(draft.processingTime, this.#setting.clock.now());
    for (const document of this.#published) draft.published(document);
    return draft;
  }

  /** Runs each, unless it stays as it is. */
  async #ran(letters: readonly FoundLetter[]): Promise<Ran[]> {
    const { plan, store, clock } = this.#setting;
    const dead = letters.map(({ letter }) => letter).filter(({ status }) => status === 'dead');
    const counted = await takenAfterAll(dead, plan, store, clock.now());
    const ran: Ran[] = [];
    for (const found of letters) ran.push({ found, result: await this.#runOne(found.letter, counted) });
    return ran;
  }

  async #runOne(letter: DeadLetter, counted: ReadonlySet<DeadLetter>): Promise<LetterResult | ReplayOutcome> {
    const { id, status } = letter;
    if (status !== 'dead') return { outcome: 'skipped', id, reason: `it was ${status} already` };
    if (counted.has(letter))
      return { outcome: 'skipped', id, reason: 'its message was taken in after all, and counts already; discard it' };
    try {
      return await this.#run.run(letter);
    } catch (error) {
      if (!(error instanceof CannotReplay)) throw error;
      return { outcome: 'skipped', id, reason: error.message };
    }
  }

  async #commit(taken: readonly Taken[]): Promise<ReplayOutcome[]> {
    const { store, bus, ids, plan, topology, epoch = 1, inputWatermarkOf } = this.#setting;
    const draft = this.#draft();
    const nonce = ids.unique();
    const outgoing = taken.flatMap(({ result }) => result.output.outgoing);
    const outside = taken.flatMap(({ result }) => result.output.outside);
    const messages = outsideMessages(outside, plan.pipeline, `${this.root}~${nonce}`);
    const outbox = fillOutbox(draft, outgoing, messages, inputWatermarkOf);
    const preconditions: Precondition[] = this.#stored.version === 'absent' ? [await epochFence(store, epoch)] : [];
    const sets: Document[] = [...outbox.documents];
    const outcomes: ReplayOutcome[] = [];
    for (const { found, result } of taken) {
      const { precondition, document } = ending(found, 'replayed', draft.processingTime, this.root);
      const next = this.#lettersOf(found.letter, result, nonce, outcomes.length);
      preconditions.push(precondition);
      sets.push(document, ...next.flatMap((letter) => deadLetterDocuments(letter).documents));
      outcomes.push(this.#outcome(found.letter, result, next));
    }
    this.#stored = await commitRoot(store, draft, this.#stored.version, nonce, topology, {
      sets,
      deletes: [],
      preconditions,
    });
    this.#published = await publishOutbox(bus, outbox);
    return outcomes;
  }

  /** The letters of the next generation. */
  #lettersOf({ stage }: DeadLetter, { failures }: LetterResult, nonce: string, number = 0): DeadLetter[] {
    const { clock, version } = this.#setting;
    const failedAt = clock.now();
    return failures.map((make, i) => make({ id: `${this.root}~${nonce}~${number}~${i}`, stage, failedAt, version }));
  }

  #outcome({ id }: DeadLetter, { output }: LetterResult, next: readonly DeadLetter[]): ReplayOutcome {
    const { plan, inputWatermarkOf } = this.#setting;
    const sent = output.outgoing.reduce((sum, { count }) => sum + count, output.outside.length);
    const late = countLate(output.outgoing, plan, inputWatermarkOf);
    const [first] = next;
    if (first === undefined) return { outcome: 'replayed', id, sent, late };
    return {
      outcome: 'failed',
      id,
      sent,
      late,
      next: next.map((letter) => letter.id),
      reason: `${first.code}: ${first.message}`,
    };
  }

  /** Leaves out the letters that somebody else has ended, and says so. */
  async #stillDead(taken: readonly Taken[], outcomes: Map<string, ReplayOutcome>): Promise<Taken[]> {
    const still: Taken[] = [];
    for (const { found, result } of taken) {
      const { id } = found.letter;
      const now = await getLetter(this.#setting.store, id);
      if (now.letter.status === 'dead') still.push({ found: now, result });
      else outcomes.set(id, { outcome: 'skipped', id, reason: `it was ${now.letter.status} in the meantime` });
    }
    return still;
  }
}
