/** Why a view's pane cannot be shown, or an element cannot read it. */
import { PoisonError } from '../../model/errors.ts';
import type { ViewNode } from '../../model/graph.ts';
import { describeWindow, type Window } from '../../model/windows.ts';

/** A pane, or an empty window, is not what the view's shape takes. */
export class ViewShapeError extends PoisonError {
  override readonly code = 'VIEW_SHAPE';
}

/** A pane is above the view's budget. */
export class ViewTooLargeError extends PoisonError {
  override readonly code = 'VIEW_TOO_LARGE';

  constructor(node: ViewNode, window: Window, bytes: number, count: number) {
    super(
      `view '${node.name}' would have ${bytes} bytes for ${describeWindow(window)}, above its budget of ${node.maxBytes}: it does not change any more, readers keep what they had, and ${count} elements are not taken up. Keep fewer columns, filter keys, join with coGroupByKey, or read single keys with lookUp; or raise maxBytes`,
    );
  }
}

/** What a stored problem is to readers. */
export class ViewProblemError extends PoisonError {
  override readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
