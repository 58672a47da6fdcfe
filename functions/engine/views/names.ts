/** How the documents of views are named. All of them are in the collection `views`, but for the runs. */
import type { Window } from '../../model/windows.ts';

/** What a view shows for one window. Windows of a view differ by their starts. */
export function pointerId(view: string, window: Window): string {
  return `${view}~${window.start}`;
}

/** Up to where a view's windows were removed. */
export function headId(view: string): string {
  return view;
}

/** The prefix of a version's chunks, which are numbered from 0. */
export function chunkPrefix(view: string, version: string): string {
  return `${view}~${version}~`;
}

/** The prefix of a shard's runs, in the collection `runs`. */
export function runPrefix(shard: string): string {
  return `${shard}~`;
}
