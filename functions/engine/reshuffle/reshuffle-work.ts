/**
 * The work of a stage that hands its elements on as they came. It keeps no cells; where its elements come from a source
 * that delivers at least once it remembers their ids, so that what follows sees each once.
 */
import { MAIN_OUTPUT, type ReshuffleNode } from '../../model/graph.ts';
import { MAX_TIMESTAMP } from '../../model/time.ts';
import type { Envelope } from '../../ports/bus.ts';
import type { Store } from '../../ports/store.ts';
import type { Chain } from '../chain/chain.ts';
import { eachInTurn } from '../chain/receive.ts';
import { type DeadLetterPlace, elementDeadLetter } from '../dead-letter.ts';
import type { Element } from '../element.ts';
import type { Incoming } from '../element-codec.ts';
import { IdIndex } from '../ids/id-index.ts';
import type { IdRules } from '../ids/id-state.ts';
import { openEnvelopes } from '../ids/open-envelopes.ts';
import type { Root, RootDraft } from '../protocol/root.ts';
import { adoptInput, adoptKnown } from '../shard/watermarks.ts';
import { type BundleResult, type KnownWatermarks, noCounts, type Work, type Workspace } from '../shard/work.ts';

const NO_IDS_WRITTEN = { sets: [], deletes: [], characters: 0, due: MAX_TIMESTAMP } as const;

export class ReshuffleWork implements Work {
  readonly #keyed: boolean;
  readonly #chain: Chain;
  readonly #store: Store;
  readonly #idRules: IdRules;

  /** @param idRules the sources whose elements this stage is the first to take by their ids */
  constructor(node: ReshuffleNode, chain: Chain, store: Store, idRules: IdRules) {
    this.#keyed = node.keyed;
    this.#chain = chain;
    this.#store = store;
    this.#idRules = idRules;
  }

  open(root: Root): Workspace {
    const ids = this.#idRules.size === 0 ? undefined : new IdIndex(root.id, root.ids, this.#idRules, this.#store);
    return {
      run: (draft, envelopes, known, place) => this.#forward(draft, envelopes, known, place, ids),
      committed: () => {},
    };
  }

  async #forward(
    draft: RootDraft,
    envelopes: readonly Envelope[],
    known: KnownWatermarks,
    place: (i: number) => DeadLetterPlace,
    ids: IdIndex | undefined,
  ): Promise<BundleResult> {
    await this.#chain.begin(draft.processingTime);
    const { elements, duplicates } = await openEnvelopes(draft, envelopes, ids);
    adoptInput(draft, envelopes);
    await eachInTurn(
      elements.map((incoming) => this.#element(incoming)),
      this.#chain.entry(MAIN_OUTPUT),
    );
    adoptKnown(draft, known);
    const output = await this.#chain.finish();
    const letters = output.failures.map((failure, i) => elementDeadLetter(place(i), failure));
    const { sets, deletes, characters, due } = (await ids?.finish(draft)) ?? NO_IDS_WRITTEN;
    draft.eventDue = MAX_TIMESTAMP;
    draft.processingDue = due;
    const counts = {
      ...noCounts(),
      elements: elements.length + duplicates,
      duplicates,
      deadLetters: letters.reduce((sum, { count }) => sum + count, 0),
    };
    return { sets, deletes, characters, output, counts, letters, more: due <= draft.processingTime };
  }

  #element({ key, value, timestamp, windows, pane, id }: Incoming): Element {
    return { value: this.#keyed ? { key, value } : value, timestamp, windows, pane, id };
  }
}
