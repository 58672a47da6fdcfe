/**
 * From the lines of a pane to the chunks that readers load. Invariants: a chunk fits a document; all lines of a key are in
 * one bucket, and which that is follows from the key and the number of buckets alone; equal lines in equal order give equal
 * chunks.
 */
import type { ViewNode } from '../../model/graph.ts';
import { keyHash } from '../chain/outlet.ts';
import { joinLines, keyOfLine, lineBytes } from './entries.ts';
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
export function viewContent(node: ViewNode, lines: readonly string[]): ViewContent {
  const count = lines.length;
  const bytes = lines.reduce((sum, line) => sum + lineBytes(line), 0);
  switch (node.shape) {
    case 'map':
    case 'multimap':
      return { ...bucketed(node, lines, Math.max(1, Math.ceil(bytes / CHUNK_BYTES))), count, bytes };
    case 'singleton':
      if (count !== 1)
        throw new ViewShapeError(
          `view '${node.name}': a singleton takes one element in a window and got ${count}; combine them before, for example with latest(…), or use asList`,
        );
      break;
    default:
      break;
  }
  return { chunks: chunked(lines, CHUNK_BYTES), starts: null, count, bytes };
}

/** The bucket of a key. */
export function bucketOf(keyText: string, buckets: number): number {
  return Number.parseInt(keyHash(keyText).slice(0, 8), 16) % buckets;
}

function bucketed(node: ViewNode, lines: readonly string[], buckets: number): Pick<ViewContent, 'chunks' | 'starts'> {
  const byBucket = Array.from({ length: buckets }, (): string[] => []);
  for (const line of lines) byBucket[bucketOf(keyOfLine(line), buckets)]!.push(line);
  const chunks: string[] = [];
  const starts: number[] = [];
  for (const bucket of byBucket) {
    if (node.shape === 'map') refuseDuplicates(node, bucket);
    starts.push(chunks.length);
    chunks.push(...chunked(bucket, MOST_CHUNK_BYTES));
  }
  starts.push(chunks.length);
  return { chunks, starts };
}

function refuseDuplicates(node: ViewNode, lines: readonly string[]): void {
  const keys = new Set<string>();
  for (const line of lines) {
    const key = keyOfLine(line);
    if (keys.has(key))
      throw new ViewShapeError(
        `view '${node.name}': the key ${key.slice(0, 200)} came twice in a window; combine the values of a key before, for example with latest(…), or use asMultimap`,
      );
    keys.add(key);
  }
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
