/**
 * From the lines of a pane to the chunks that readers load. Invariants: a chunk fits a document; all lines of a key are in
 * one bucket, and which that is follows from the key and the number of buckets alone; equal lines in equal order give equal
 * chunks.
 */
import type { ViewNode } from '../../model/graph.ts';
import { keyHash } from '../chain/outlet.ts';
import { joinLines, keyOfLine, lineBytes, paneOfLine } from './entries.ts';
import { ViewShapeError } from './problems.ts';

/** What a list is cut into, and what a bucket of a map should hold; bytes. */
const CHUNK_BYTES = 128 * 1024;
/** No chunk is larger than this, but for one that holds a single line; bytes. */
const MOST_CHUNK_BYTES = 512 * 1024;

export interface ViewContent {
  /** Each the text of a document. */
  readonly chunks: readonly string[];
  /** Of views by key: the first chunk of each bucket, and at the end the number of chunks. */
  readonly starts: readonly number[] | null;
  readonly count: number;
  readonly bytes: number;
}

/** @throws {ViewShapeError} when the lines are not what the shape takes (SI08, SI09) */
export function viewContent(node: ViewNode, all: readonly string[]): ViewContent {
  const lines = hasOneOfEach(node) ? newestOfEach(node, all) : all;
  const count = lines.length;
  const bytes = lines.reduce((sum, line) => sum + lineBytes(line), 0);
  if (!isKeyed(node)) return { chunks: chunked(lines, CHUNK_BYTES), starts: null, count, bytes };
  return { ...bucketed(lines, Math.max(1, Math.ceil(bytes / CHUNK_BYTES))), count, bytes };
}

/** Whether a view is read by key. */
export function isKeyed({ shape }: ViewNode): boolean {
  return shape === 'map' || shape === 'multimap';
}

/** Whether a view shows one element only, or one of each key. */
export function hasOneOfEach({ shape }: ViewNode): boolean {
  return shape === 'singleton' || shape === 'map';
}

/** The bucket of a key. */
export function bucketOf(keyText: string, buckets: number): number {
  return Number.parseInt(keyHash(keyText).slice(0, 8), 16) % buckets;
}

function bucketed(lines: readonly string[], buckets: number): Pick<ViewContent, 'chunks' | 'starts'> {
  const byBucket = Array.from({ length: buckets }, (): string[] => []);
  for (const line of lines) byBucket[bucketOf(keyOfLine(line), buckets)]!.push(line);
  const chunks: string[] = [];
  const starts: number[] = [];
  for (const bucket of byBucket) {
    starts.push(chunks.length);
    chunks.push(...chunked(bucket, MOST_CHUNK_BYTES));
  }
  starts.push(chunks.length);
  return { chunks, starts };
}

/**
 * Where one element is wanted, panes of one grouping replace each other: the one with the largest index stays. So a view of
 * what a trigger emits again and again shows its newest state. Elements that are no panes, and panes of equal index, do not
 * replace each other, and are too many.
 */
function newestOfEach(node: ViewNode, lines: readonly string[]): readonly string[] {
  const keyed = isKeyed(node);
  const newest = new Map<string, string>();
  for (const line of lines) {
    const key = keyed ? keyOfLine(line) : '';
    const other = newest.get(key);
    if (other === undefined) {
      newest.set(key, line);
      continue;
    }
    const panes = [paneOfLine(other, keyed), paneOfLine(line, keyed)] as const;
    if (panes[0] === undefined || panes[1] === undefined || panes[0] === panes[1])
      throw tooMany(node, key, lines.length);
    if (panes[1] > panes[0]) newest.set(key, line);
  }
  return newest.size === lines.length ? lines : [...newest.values()];
}

function tooMany({ name, shape }: ViewNode, key: string, count: number): ViewShapeError {
  if (shape === 'singleton')
    return new ViewShapeError(
      `view '${name}': a singleton takes one element in a window and got ${count}; combine them before, for example with latest(…), or use asList`,
    );
  return new ViewShapeError(
    `view '${name}': the key ${key.slice(0, 200)} came twice in a window; combine the values of a key before, for example with latest(…), or use asMultimap`,
  );
}

function chunked(lines: readonly string[], most: number): string[] {
  const chunks: string[] = [];
  let open: string[] = [];
  let bytes = 0;
  for (const line of lines) {
    const size = lineBytes(line);
    if (open.length > 0 && bytes + size > most) {
      chunks.push(joinLines(open));
      open = [];
      bytes = 0;
    }
    open.push(line);
    bytes += size;
  }
  if (open.length > 0) chunks.push(joinLines(open));
  return chunks;
}
