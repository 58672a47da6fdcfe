/** What the views of a step show to the elements of one bundle; worked out before they are handed over. */
import { ConfigurationError } from '../../model/errors.ts';
import type { SideParDoNode, ViewNode } from '../../model/graph.ts';
import { sameWindow, sideWindowFor, type Window } from '../../model/windows.ts';
import type { Element } from '../element.ts';
import type { Shown } from './shown.ts';
import type { SideValues } from './side-values.ts';

type Named = Readonly<Record<string, unknown>>;

/** One for each chain; told anew with each bundle what there is. */
export class BundleSides implements SideValues {
  readonly #node: SideParDoNode;
  #shown: (view: ViewNode, window: Window) => Shown = () => {
    throw new Error('no bundle is under way');
  };
  #last: { readonly window: Window; readonly named: Named } | undefined;

  constructor(node: SideParDoNode) {
    this.#node = node;
  }

  /** @param shown what a view shows for one of its windows */
  begin(shown: (view: ViewNode, window: Window) => Shown): void {
    this.#shown = shown;
    this.#last = undefined;
  }

  of({ windows }: Element): Named {
    const window = windows[0]!;
    if (this.#last === undefined || !sameWindow(this.#last.window, window))
      this.#last = { window, named: this.#named(window) };
    return this.#last.named;
  }

  get({ windows }: Element, view: ViewNode): unknown {
    if (!this.#node.sides.some((side) => side.view === view))
      throw new ConfigurationError(
        `'${this.#node.name}' reads the view '${view.name}', which it has not declared; add it to { sideInputs: { … } }`,
      );
    return this.#value(view, windows[0]!);
  }

  #named(window: Window): Named {
    const named = {};
    for (const { name, view } of this.#node.sides)
      Object.defineProperty(named, name, { enumerable: true, get: () => this.#value(view, window) });
    return Object.freeze(named);
  }

  #value(view: ViewNode, main: Window): unknown {
    return this.#shown(view, sideWindowFor(view.strategy.windowFn, main)).value();
  }
}
