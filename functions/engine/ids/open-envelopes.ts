import type { Envelope } from '../../ports/bus.ts';
import { decodeBody, type Incoming } from '../element-codec.ts';
import { isReplayRoot, type RootId, sourceOf } from '../protocol/names.ts';
import type { RootDraft } from '../protocol/root.ts';
import { sourceOfReplayed } from '../replay-id.ts';
import type { IdIndex, SourceId } from './id-index.ts';

export interface Opened {
  /** In order of arrival, without repetitions. */
  readonly elements: readonly Incoming[];
  /** How many elements were left out, since their ids are known. */
  readonly duplicates: number;
}

/**
 * Takes the numbers of envelopes (one may come twice in a bundle) and decodes their elements.
 * @param ids absent where no source's elements come by id
 */
export async function openEnvelopes(
  draft: RootDraft,
  envelopes: readonly Envelope[],
  ids: IdIndex | undefined,
): Promise<Opened> {
  const elements: Incoming[] = [];
  const identified: SourceId[] = [];
  const places: number[] = [];
  for (const { sender, number, body } of envelopes) {
    if (draft.isTaken(sender, number)) continue;
    draft.take(sender, number);
    const sourceOfId = ids === undefined ? undefined : sourcesFrom(sender);
    for (const incoming of decodeBody(body)) {
      const { id } = incoming;
      const source = id === undefined ? undefined : sourceOfId?.(id);
      if (source !== undefined) {
        identified.push({ source, id: id! });
        places.push(elements.length);
      }
      elements.push(incoming);
    }
  }
  if (ids === undefined) return { elements, duplicates: 0 };
  const isNew = await ids.take(identified);
  const repeated = new Set(places.filter((_, i) => !isNew[i]));
  if (repeated.size === 0) return { elements, duplicates: 0 };
  return { elements: elements.filter((_, i) => !repeated.has(i)), duplicates: repeated.size };
}

/** Of which source an element is that a sender sends under an id; undefined for senders whose elements have none of a source. */
function sourcesFrom(sender: RootId): ((id: string) => string | undefined) | undefined {
  const source = sourceOf(sender);
  if (source !== undefined) return () => source;
  return isReplayRoot(sender) ? sourceOfReplayed : undefined;
}
