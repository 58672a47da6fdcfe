/**
 * What views show to the elements of a stateful step. The step before it has let an element pass only when its views were
 * ready, so here a window without a pointer is one that is empty, whatever is known of the view by now.
 */
import { PoisonError } from '../../model/errors.ts';
import type { SideInput, ViewNode } from '../../model/graph.ts';
import { type EpochMillis, MAX_TIMESTAMP, MIN_TIMESTAMP } from '../../model/time.ts';
import { describeWindow, sideWindowFor, type Window } from '../../model/windows.ts';
import type { ViewFact } from '../../ports/bus.ts';
import { ViewUnreadableError } from '../views/chunk-reader.ts';
import type { Shown } from '../views/shown.ts';
import type { ViewReader } from '../views/view-reader.ts';

/** What the views show, by the names under which the step reads them. */
export type NamedSides = Readonly<Record<string, unknown>>;

const NOTHING_KNOWN: ViewFact = { revision: 0, watermark: MIN_TIMESTAMP, passed: MIN_TIMESTAMP };

export class CellSides {
  readonly #sides: readonly SideInput[];
  readonly #views: ViewReader;
  readonly #loaded = new Map<string, NamedSides>();
  #facts: ReadonlyMap<string, ViewFact> = new Map();
  #now: EpochMillis = MIN_TIMESTAMP;
  #failure: unknown;

  constructor(sides: readonly SideInput[], views: ViewReader) {
    this.#sides = sides;
    this.#views = views;
  }

  /**
   * A bundle begins; all its elements see the same (SI06).
   * @param facts what ticks have told of views
   */
  begin(facts: ReadonlyMap<string, ViewFact>, now: EpochMillis): void {
    this.#facts = facts;
    this.#now = now;
    this.#loaded.clear();
    this.#failure = undefined;
  }

  /** What elements of a main window see. A promise where it is not in memory. */
  of(main: Window): NamedSides | Promise<NamedSides> {
    return this.#loaded.get(nameOf(main)) ?? this.#load(main);
  }

  /** Throws what has kept views from being read, if anything has: user code that failed on it is not to blame. */
  throwFailure(error: unknown): void {
    if (this.#failure !== undefined) throw this.#failure;
    if (error instanceof ViewUnreadableError) throw error;
  }

  async #load(main: Window): Promise<NamedSides> {
    const named = {};
    try {
      for (const { name, view } of this.#sides) {
        const shown = await this.#look(view, sideWindowFor(view.strategy.windowFn, main));
        Object.defineProperty(named, name, { enumerable: true, get: () => shown.value() });
      }
    } catch (error) {
      this.#failure ??= error;
      throw error;
    }
    this.#loaded.set(nameOf(main), Object.freeze(named));
    return named;
  }

  async #look(view: ViewNode, window: Window): Promise<Shown> {
    const fact = { ...(this.#facts.get(view.name) ?? NOTHING_KNOWN), watermark: MAX_TIMESTAMP };
    const look = await this.#views.look(view, window, fact, this.#now);
    if (look.state !== 'ready') return removed(view, window);
    await look.shown.prepare();
    return look.shown;
  }
}

/** Only a replay comes so late: the step itself keeps its views from being removed. */
function removed(view: ViewNode, window: Window): Shown {
  return {
    prepare: async () => {},
    value: () => {
      throw new PoisonError(
        `the view '${view.name}' no longer has ${describeWindow(window)}: all that reads it is past that`,
      );
    },
  };
}

function nameOf({ start, end }: Window): string {
  return `${start}~${end}`;
}
