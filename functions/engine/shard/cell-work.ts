import type { Envelope } from '../../ports/bus.ts';
import type { Store, Version } from '../../ports/store.ts';
import type { Chain } from '../chain/chain.ts';
import type { DeadLetterPlace } from '../dead-letter.ts';
import { IdIndex } from '../ids/id-index.ts';
import type { IdRules } from '../ids/id-state.ts';
import type { Root, RootDraft } from '../protocol/root.ts';
import type { CellProgram } from './cell.ts';
import { CellBundle } from './cell-bundle.ts';
import { CellCache } from './cell-cache.ts';
import type { CellLimits } from './cell-limits.ts';
import type { BundleResult, KnownWatermarks, Work, Workspace } from './work.ts';

/** The work of a stage that keeps a cell for each key. */
export class CellWork implements Work {
  readonly #program: CellProgram;
  readonly #chain: Chain;
  readonly #readsLate: boolean;
  readonly #store: Store;
  readonly #idRules: IdRules;
  readonly #limits: CellLimits | undefined;

  /**
   * @param readsLate whether anybody reads the stage's late output
   * @param idRules the sources whose elements this stage is the first to take by their ids
   * @param limits default: the engine's own
   */
  constructor(
    program: CellProgram,
    chain: Chain,
    readsLate: boolean,
    store: Store,
    idRules: IdRules = new Map(),
    limits?: CellLimits,
  ) {
    this.#program = program;
    this.#chain = chain;
    this.#readsLate = readsLate;
    this.#store = store;
    this.#idRules = idRules;
    this.#limits = limits;
  }

  open(root: Root, version: Version | 'absent'): Workspace {
    const cache = new CellCache(root, version, this.#program, this.#store, this.#limits);
    const ids = this.#idRules.size === 0 ? undefined : new IdIndex(root.id, root.ids, this.#idRules, this.#store);
    const run = (
      draft: RootDraft,
      envelopes: readonly Envelope[],
      known: KnownWatermarks,
      place: (i: number) => DeadLetterPlace,
    ): Promise<BundleResult> =>
      new CellBundle(draft, cache, this.#chain, this.#readsLate, place, ids).run(envelopes, known);
    return { run, committed: () => cache.trim() };
  }
}
