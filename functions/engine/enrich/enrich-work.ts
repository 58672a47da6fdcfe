/**
 * The work of a stage that shows elements to a model, up to where they wait for it: what an equal instance was answered for
 * lately goes on at once, everything else is appended to the store as runs. Asking the model is the caller's, outside commits.
 */
import { MAIN_OUTPUT, type EnrichNode } from '../../model/graph.ts';
import { type EpochMillis, earlier, MAX_TIMESTAMP } from '../../model/time.ts';
import type { Envelope } from '../../ports/bus.ts';
import type { Document, Store } from '../../ports/store.ts';
import type { Chain } from '../chain/chain.ts';
import { type DeadLetter, type DeadLetterPlace, elementDeadLetter } from '../dead-letter.ts';
import type { Element } from '../element.ts';
import { IdIndex } from '../ids/id-index.ts';
import type { IdRules } from '../ids/id-state.ts';
import { openEnvelopes } from '../ids/open-envelopes.ts';
import type { Root, RootDraft } from '../protocol/root.ts';
import { type BundleResult, type KnownWatermarks, noCounts, type Work, type Workspace } from '../shard/work.ts';
import { adoptInput, adoptKnown } from '../shard/watermarks.ts';
import { AnswerCache } from './answer-cache.ts';
import { enriched } from './enriched.ts';
import { type EnrichState, enrichState, withCounted } from './enrich-state.ts';
import { instanceOf } from './instance.ts';
import { keepState } from './keep-state.ts';
import { type Pending, pendingText, RunMemory, runDocument } from './run-memory.ts';

/** A run's document keeps below 1 MiB whatever its characters. */
const MAX_RUN_CHARACTERS = 320_000;
const NO_IDS_WRITTEN = { sets: [], deletes: [], characters: 0, due: MAX_TIMESTAMP } as const;

export interface EnrichWorkSetting {
  readonly node: EnrichNode;
  readonly chain: Chain;
  readonly store: Store;
  /** The sources whose elements this stage is the first to take by their ids. */
  readonly ids: IdRules;
}

export class EnrichWork implements Work {
  readonly cache: AnswerCache;
  readonly #setting: EnrichWorkSetting;
  #runs: RunMemory | undefined;

  constructor(setting: EnrichWorkSetting) {
    this.#setting = setting;
    this.cache = new AnswerCache(setting.node.cache);
  }

  /** What is in memory of the runs; valid as long as the shard's own memory. */
  get runs(): RunMemory {
    if (this.#runs === undefined) throw new Error('the shard has not been opened');
    return this.#runs;
  }

  open(root: Root): Workspace {
    const { node, store, ids } = this.#setting;
    this.#runs = new RunMemory(root.id, node, store);
    const index = ids.size === 0 ? undefined : new IdIndex(root.id, root.ids, ids, store);
    return {
      run: (draft, envelopes, known, place) => this.#take(draft, envelopes, known, place, index),
      committed: () => {},
    };
  }

  async #take(
    draft: RootDraft,
    envelopes: readonly Envelope[],
    known: KnownWatermarks,
    place: (i: number) => DeadLetterPlace,
    index: IdIndex | undefined,
  ): Promise<BundleResult> {
    const { node, chain } = this.#setting;
    await chain.begin(draft.processingTime);
    const { elements, duplicates } = await openEnvelopes(draft, envelopes, index);
    adoptInput(draft, envelopes);
    const letters: DeadLetter[] = [];
    const waiting: Pending[] = [];
    let cached = 0;
    for (const { value, timestamp, windows, pane, id } of elements) {
      const element: Element = { value, timestamp, windows, pane, id };
      try {
        const instance = instanceOf(node, element);
        const hit = this.cache.get(instance.hash, draft.processingTime);
        if (hit === undefined) waiting.push({ element, instance });
        else {
          await chain.entry(MAIN_OUTPUT)(enriched(node, element, hit.answer));
          cached += 1;
        }
      } catch (error) {
        letters.push(elementDeadLetter(place(letters.length), { step: node.name, element, error }));
      }
    }
    adoptKnown(draft, known);
    const output = await chain.finish();
    for (const failure of output.failures) letters.push(elementDeadLetter(place(letters.length), failure));
    const { state, sets, characters } = this.#append(draft, waiting);
    const ids = (await index?.finish(draft)) ?? NO_IDS_WRITTEN;
    keepState(draft, withCounted(state, { cached, dead: letters.length }), node, ids.due);
    const counts = { ...noCounts(), elements: elements.length + duplicates, duplicates };
    return {
      sets: [...sets, ...ids.sets],
      deletes: ids.deletes,
      characters: characters + ids.characters,
      output,
      counts: { ...counts, deadLetters: letters.reduce((sum, { count }) => sum + count, 0) },
      letters,
      more: false,
    };
  }

  /** Writes what waits as runs. */
  #append(draft: RootDraft, pending: readonly Pending[]): { state: EnrichState; sets: Document[]; characters: number } {
    let state = enrichState(draft);
    const sets: Document[] = [];
    let written = 0;
    const texts = pending.map(pendingText);
    for (let from = 0; from < pending.length; ) {
      let to = from;
      let characters = 0;
      let earliest: EpochMillis = MAX_TIMESTAMP;
      while (to < pending.length && (to === from || characters + texts[to]!.length <= MAX_RUN_CHARACTERS)) {
        characters += texts[to]!.length + 1;
        earliest = earlier(earliest, pending[to]!.element.timestamp);
        to += 1;
      }
      const run = state.run + 1;
      sets.push(runDocument(draft.base.id, run, texts.slice(from, to)));
      this.runs.put(run, pending.slice(from, to));
      const waits = { run, from: 0, count: to - from, characters, earliest, since: draft.processingTime };
      state = { ...state, run, waiting: [...state.waiting, waits] };
      written += characters;
      from = to;
    }
    return { state, sets, characters: written };
  }
}
