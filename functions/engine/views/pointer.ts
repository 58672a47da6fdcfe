import type { EpochMillis } from '../../model/time.ts';
import type { Window } from '../../model/windows.ts';
import type { Document } from '../../ports/store.ts';
import { headId, pointerId } from './names.ts';

/** What readers find under a window's name: where the version lies that it shows, or why there is none. */
export type Pointer =
  | {
      readonly version: string;
      readonly chunks: number;
      /** See `ViewContent`. */
      readonly starts: readonly number[] | null;
      readonly count: number;
      readonly bytes: number;
    }
  | { readonly problem: { readonly code: string; readonly message: string } };

/** What a view tells of itself as a whole. */
export interface ViewHead {
  /** Windows whose last instant is before this are not shown any more. */
  readonly removed: EpochMillis;
}

/** The body of a chunk, and of a run: lines. */
export interface Lines {
  readonly lines: string;
}

export function pointerDocument(view: string, window: Window, body: Pointer): Document {
  return { collection: 'views', id: pointerId(view, window), body };
}

export function headDocument(view: string, body: ViewHead): Document {
  return { collection: 'views', id: headId(view), body };
}
