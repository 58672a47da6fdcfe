/**
 * How ids are written: one document a bundle, into which the next bundles' ids are added until it has some size, so that
 * few bundles with few ids do not become many documents.
 */
import { hash } from 'node:crypto';
import type { EpochMillis } from '../../model/time.ts';
import type { Document, DocumentName, Store } from '../../ports/store.ts';
import type { ShardId } from '../protocol/names.ts';
import { identityOf, markOfId } from './element-id.ts';

/** Ids of one source and slice: where the slice begins, and the ids' texts. */
export type IdGroup = readonly [source: string, from: EpochMillis, ids: readonly string[]];

/** The body of an ids document. */
export interface IdsBody {
  readonly groups: readonly IdGroup[];
}

/** A document is added to up to this size, in characters. */
const ADDED_TO = 32_000;
/** A document stays below 1 MiB whatever its characters. */
const MAX_CHARACTERS = 300_000;
/** Longer ones are kept with the 128-bit hash of their name. */
const LONGEST_ID = 48;
/** Documents read at once. */
const READ_AT_ONCE = 300;

/** What of an id is kept: its identity, a long name as its hash, and behind it the mark where it has one. */
export function keptId(id: string): string {
  const identity = identityOf(id);
  const kept = identity.length <= LONGEST_ID ? identity : shortened(identity);
  const mark = markOfId(id);
  return mark === undefined ? kept : `${kept}#${mark}`;
}

function shortened(identity: string): string {
  const name = identity.indexOf('~') + 1;
  return identity.slice(0, name) + hash('sha256', identity.slice(name), 'base64url').slice(0, 22);
}

/** What is kept of the record of an element: the same for all that was made of it. */
export function keptRecord(kept: string): string {
  return kept.slice(kept.indexOf('~'));
}

/** Whether what is kept of an id ends in a mark. */
export function hasMark(kept: string, mark: string): boolean {
  return kept.endsWith(`#${mark}`);
}

export function idsDocumentName(shard: ShardId, number: number): DocumentName {
  return { collection: 'ids', id: `${shard}~${number}` };
}

/** The document to which ids are added, and those that are full. */
export class IdsWriter {
  readonly #shard: ShardId;
  #number: number;
  #groups = new Map<string, { source: string; from: EpochMillis; ids: string[] }>();
  #characters = Number.POSITIVE_INFINITY;
  readonly #changed = new Map<number, IdsBody>();

  /** @param documents the number of the last document; whoever takes over a shard begins a new one */
  constructor(shard: ShardId, documents: number) {
    this.#shard = shard;
    this.#number = documents;
  }

  get documents(): number {
    return this.#number;
  }

  /** A new bundle: what is added from now on may go into a document that was written before. */
  begin(): void {
    this.#changed.clear();
    if (this.#characters >= ADDED_TO) this.#open();
  }

  /** Adds an id. @returns the document's number */
  add(source: string, from: EpochMillis, id: string): number {
    if (this.#characters + id.length > MAX_CHARACTERS) this.#open();
    // A number is given out only with something to write.
    if (this.#groups.size === 0) this.#number += 1;
    const key = `${source}~${from}`;
    let group = this.#groups.get(key);
    if (group === undefined) {
      group = { source, from, ids: [] };
      this.#groups.set(key, group);
      this.#characters += key.length + 10;
    }
    group.ids.push(id);
    this.#characters += id.length + 3;
    this.#changed.set(this.#number, { groups: [] });
    return this.#number;
  }

  /** Begins another document if this one is no longer wanted. */
  abandon(number: number): void {
    if (number === this.#number) this.#open();
  }

  /** What this bundle has to write. */
  finish(): { documents: Document[]; characters: number } {
    this.#close();
    let characters = 0;
    const documents = [...this.#changed].map(([number, body]): Document => {
      for (const [, , ids] of body.groups) for (const id of ids) characters += id.length + 3;
      return { ...idsDocumentName(this.#shard, number), body };
    });
    return { documents, characters };
  }

  #open(): void {
    this.#close();
    this.#groups = new Map();
    this.#characters = 0;
  }

  /** Takes down what the open document holds now. */
  #close(): void {
    if (!this.#changed.has(this.#number)) return;
    const groups = [...this.#groups.values()].map(({ source, from, ids }): IdGroup => [source, from, [...ids]]);
    this.#changed.set(this.#number, { groups });
  }
}

/** Reads documents by their numbers; those that are gone are passed over. */
export async function readIds(store: Store, shard: ShardId, numbers: readonly number[]): Promise<Map<number, IdsBody>> {
  const found = new Map<number, IdsBody>();
  for (let at = 0; at < numbers.length; at += READ_AT_ONCE) {
    const some = numbers.slice(at, at + READ_AT_ONCE);
    const documents = await store.get(
      'ids',
      some.map((number) => idsDocumentName(shard, number).id),
    );
    for (const [i, number] of some.entries()) {
      const body = documents[i]?.body as IdsBody | undefined;
      if (body !== undefined) found.set(number, body);
    }
  }
  return found;
}
