/**
 * From a bundle's products to envelopes and the outbox documents from which they can be published again.
 */
import { TooLargeError } from '../../model/errors.ts';
import { type EpochMillis, earlier } from '../../model/time.ts';
import type { Envelope, OutsideMessage } from '../../ports/bus.ts';
import type { Document } from '../../ports/store.ts';
import type { Outgoing } from '../chain/bundle-output.ts';
import { outboxId, parseShardId, type RootId, type ShardId } from './names.ts';
import type { RootDraft } from './root.ts';

/** An envelope's limits. A text of so many characters has at most 256 KiB as UTF-8. */
const MAX_ENVELOPE_CHARACTERS = 80_000;
export const MAX_ENVELOPE_ELEMENTS = 1_000;
/** A single element above this is refused: it would not fit an envelope. */
export const MAX_ELEMENT_BYTES = 256 * 1024;
/** An outbox document stays below 1 MiB whatever its characters. */
const MAX_DOCUMENT_CHARACTERS = 320_000;

/** The body of an outbox document. */
export interface OutboxBody {
  readonly envelopes: readonly Envelope[];
  readonly outside: readonly OutsideMessage[];
}

export interface Outbox {
  readonly envelopes: readonly Envelope[];
  readonly documents: readonly Document[];
  /** The documents that hold messages for outside topics. */
  readonly outside: readonly { readonly document: number; readonly messages: readonly OutsideMessage[] }[];
  readonly characters: number;
}

interface Parcel {
  readonly target: ShardId;
  readonly body: string;
  readonly earliest: EpochMillis;
  readonly count: number;
}

/** @throws {TooLargeError} when a single element cannot be sent; callers check elements before they produce them */
export function checkElementSize(text: string, what: string): void {
  if (text.length <= MAX_ENVELOPE_CHARACTERS) return;
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_ELEMENT_BYTES) throw new TooLargeError(what, bytes, MAX_ELEMENT_BYTES);
}

/** Gives numbers, in `draft`, to everything that a bundle sends. */
export function fillOutbox(
  draft: RootDraft,
  outgoing: readonly Outgoing[],
  outside: readonly OutsideMessage[],
  inputWatermarkOf: (stage: string) => EpochMillis,
): Outbox {
  const envelopes: Envelope[] = [];
  const documents: Document[] = [];
  const outsideDocuments: { document: number; messages: OutsideMessage[] }[] = [];
  let characters = 0;
  for (const pile of piles(parcels(outgoing), (parcel) => parcel.body.length)) {
    const document = draft.nextDocument();
    const sent = pile.map(({ target, body, earliest, count }): Envelope => {
      characters += body.length;
      const number = draft.give(target, earliest, document);
      const inputWatermark = inputWatermarkOf(parseShardId(target).stage);
      return { kind: 'envelope', target, sender: draft.base.id, number, earliest, count, inputWatermark, body };
    });
    envelopes.push(...sent);
    documents.push(outboxDocument(draft.base.id, document, { envelopes: sent, outside: [] }));
  }
  for (const messages of piles(outside, (message) => message.data.length)) {
    const document = draft.nextDocument();
    draft.giveOutside(document);
    characters += messages.reduce((sum, message) => sum + message.data.length, 0);
    outsideDocuments.push({ document, messages });
    documents.push(outboxDocument(draft.base.id, document, { envelopes: [], outside: messages }));
  }
  return { envelopes, documents, outside: outsideDocuments, characters };
}

function outboxDocument(root: RootId, document: number, body: OutboxBody): Document {
  return { collection: 'outbox', id: outboxId(root, document), body };
}

/** Packs elements into bodies within an envelope's limits, target by target, in order. */
function parcels(outgoing: readonly Outgoing[]): Parcel[] {
  const open = new Map<ShardId, { texts: string[]; characters: number; earliest: EpochMillis; count: number }>();
  const result: Parcel[] = [];
  const close = (target: ShardId): void => {
    const { texts, earliest, count } = open.get(target)!;
    result.push({ target, body: `[${texts.join(',')}]`, earliest, count });
    open.delete(target);
  };
  for (const { target, text, earliest, count } of outgoing) {
    const parcel = open.get(target);
    if (parcel === undefined) {
      open.set(target, { texts: [text], characters: text.length, earliest, count });
      continue;
    }
    if (parcel.characters + text.length > MAX_ENVELOPE_CHARACTERS || parcel.texts.length >= MAX_ENVELOPE_ELEMENTS) {
      close(target);
      open.set(target, { texts: [text], characters: text.length, earliest, count });
      continue;
    }
    parcel.texts.push(text);
    parcel.characters += text.length + 1;
    parcel.earliest = earlier(parcel.earliest, earliest);
    parcel.count += count;
  }
  for (const target of [...open.keys()]) close(target);
  return result;
}

/** Splits a list into piles that fit a document. */
function piles<T>(items: readonly T[], charactersOf: (item: T) => number): T[][] {
  const result: T[][] = [];
  let characters = Number.POSITIVE_INFINITY;
  for (const item of items) {
    const size = charactersOf(item);
    if (characters + size > MAX_DOCUMENT_CHARACTERS) {
      result.push([]);
      characters = 0;
    }
    result.at(-1)!.push(item);
    characters += size;
  }
  return result;
}
