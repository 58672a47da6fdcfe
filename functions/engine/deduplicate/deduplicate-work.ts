/**
 * The work of a stage that lets the first element of each key and window pass, and remembers which it let pass.
 * Invariant: every element ends once: it passes, is a duplicate and is counted as one, or is late.
 */
import { type DeduplicateNode, MAIN_OUTPUT } from '../../model/graph.ts';
import { type EpochMillis, MAX_TIMESTAMP } from '../../model/time.ts';
import type { Window } from '../../model/windows.ts';
import type { Envelope } from '../../ports/bus.ts';
import type { Document, DocumentName, Store } from '../../ports/store.ts';
import type { Chain } from '../chain/chain.ts';
import { type DeadLetter, type DeadLetterPlace, elementDeadLetter, lateDeadLetter } from '../dead-letter.ts';
import type { Incoming } from '../element-codec.ts';
import { IdIndex } from '../ids/id-index.ts';
import type { IdRules } from '../ids/id-state.ts';
import { openEnvelopes } from '../ids/open-envelopes.ts';
import { hasDueTimers, type Root, type RootDraft } from '../protocol/root.ts';
import { expiryOf } from '../reduce/spec.ts';
import type { LateElement } from '../shard/key-output.ts';
import { adoptInput, adoptKnown } from '../shard/watermarks.ts';
import {
  type BundleCounts,
  type BundleResult,
  type KnownWatermarks,
  noCounts,
  type Work,
  type Workspace,
} from '../shard/work.ts';
import { fingerprintOf } from './fingerprint-set.ts';
import { NOTHING_SEEN, SeenIndex, type SeenState } from './seen-index.ts';

export interface DeduplicateSetting {
  readonly node: DeduplicateNode;
  readonly chain: Chain;
  readonly store: Store;
  /** The sources whose elements this stage is the first to take by their ids. */
  readonly idRules: IdRules;
}

export class DeduplicateWork implements Work {
  readonly #setting: DeduplicateSetting;

  constructor(setting: DeduplicateSetting) {
    this.#setting = setting;
  }

  open(root: Root): Workspace {
    const { node, idRules, store } = this.#setting;
    const state = (root.extra as SeenState | undefined) ?? NOTHING_SEEN;
    const seen = new SeenIndex(root.id, state, node.horizon, store);
    const ids = idRules.size === 0 ? undefined : new IdIndex(root.id, root.ids, idRules, store);
    return {
      run: (draft, envelopes, known, place) =>
        new DeduplicateBundle(this.#setting, draft, place, seen, ids).run(envelopes, known),
      committed: () => {},
    };
  }
}

class DeduplicateBundle {
  readonly #setting: DeduplicateSetting;
  readonly #draft: RootDraft;
  readonly #place: (i: number) => DeadLetterPlace;
  readonly #seen: SeenIndex;
  readonly #ids: IdIndex | undefined;
  readonly #counts: BundleCounts = noCounts();
  readonly #letters: DeadLetter[] = [];

  constructor(
    setting: DeduplicateSetting,
    draft: RootDraft,
    place: (i: number) => DeadLetterPlace,
    seen: SeenIndex,
    ids: IdIndex | undefined,
  ) {
    this.#setting = setting;
    this.#draft = draft;
    this.#place = place;
    this.#seen = seen;
    this.#ids = ids;
  }

  async run(envelopes: readonly Envelope[], known: KnownWatermarks): Promise<BundleResult> {
    const { chain } = this.#setting;
    const draft = this.#draft;
    await chain.begin(draft.processingTime);
    const { elements, duplicates } = await openEnvelopes(draft, envelopes, this.#ids);
    await this.#seen.begin();
    adoptInput(draft, envelopes);
    this.#counts.elements = elements.length + duplicates;
    this.#counts.duplicates = duplicates;
    for (const incoming of elements) {
      const pending = this.#take(incoming);
      if (pending !== undefined) await pending;
    }
    adoptKnown(draft, known);
    const output = await chain.finish();
    const documents = await this.#finish();
    for (const failure of output.failures) this.#letters.push(elementDeadLetter(this.#nextPlace(), failure));
    for (const { kind, count } of this.#letters) if (kind !== 'late') this.#counts.deadLetters += count;
    const more = hasDueTimers(draft, draft.inputWatermark, draft.processingTime);
    return { ...documents, output, counts: this.#counts, letters: this.#letters, more };
  }

  /** Hands on an element in those of its windows in which it is the first. */
  #take(incoming: Incoming): void | Promise<void> {
    const { node, chain } = this.#setting;
    const { value, timestamp, windows, pane, id } = incoming;
    const isLate = (window: Window): boolean => expiryOf(window, node.strategy) < this.#draft.inputWatermark;
    const late = windows.filter(isLate);
    const live = windows.filter((window) => !isLate(window));
    const first = live.filter((window) => this.#isNew(incoming, window));
    if (live.length > 0 && first.length === 0) this.#counts.duplicates += 1;
    for (const window of late) {
      this.#counts.late += 1;
      this.#letters.push(lateDeadLetter(this.#nextPlace(), lateOf(incoming, window, this.#draft.inputWatermark)));
    }
    if (first.length === 0) return undefined;
    return chain.entry(MAIN_OUTPUT)({ value, timestamp, windows: first, pane, id });
  }

  #isNew({ keyText, timestamp }: Incoming, window: Window): boolean {
    const { node } = this.#setting;
    const isGlobal = node.strategy.windowFn.kind === 'global';
    const identity = isGlobal ? keyText : `${keyText} ${window.start} ${window.end}`;
    const own = node.clock === 'event' ? timestamp : this.#draft.processingTime;
    return this.#seen.take(fingerprintOf(identity), own, this.#clock);
  }

  async #finish(): Promise<{ sets: Document[]; deletes: DocumentName[]; characters: number }> {
    const draft = this.#draft;
    const seen = this.#seen.finish(this.#clock);
    draft.extra = seen.state;
    const due = this.#seen.due();
    const ids = await this.#ids?.finish(draft);
    const idsDue = ids?.due ?? MAX_TIMESTAMP;
    const isEvent = this.#setting.node.clock === 'event';
    draft.eventDue = isEvent ? due : MAX_TIMESTAMP;
    draft.processingDue = isEvent || idsDue < due ? idsDue : due;
    return {
      sets: [...seen.sets, ...(ids?.sets ?? [])],
      deletes: [...seen.deletes, ...(ids?.deletes ?? [])],
      characters: seen.characters + (ids?.characters ?? 0),
    };
  }

  get #clock(): EpochMillis {
    return this.#setting.node.clock === 'event' ? this.#draft.inputWatermark : this.#draft.processingTime;
  }

  #nextPlace(): DeadLetterPlace {
    return this.#place(this.#letters.length);
  }
}

function lateOf(incoming: Incoming, window: Window, watermark: EpochMillis): LateElement {
  const { key, value, count, timestamp, id, inlet, lifted, latest } = incoming;
  const record = { key, value, count, timestamp, window, watermark, reason: 'expired' as const };
  return { record, id, received: { inlet, lifted, count, latest } };
}
