/** What a commit sends. */
import { decodeBody, type Incoming } from '../../../functions/engine/element-codec.ts';
import type { OutboxBody } from '../../../functions/engine/protocol/outbox.ts';
import type { Envelope } from '../../../functions/ports/bus.ts';
import type { Batch } from '../../../functions/ports/store.ts';

export interface Sent {
  readonly envelope: Envelope;
  /** The outbox document that holds it. */
  readonly document: string;
  /** What is in it, decoded once. */
  readonly elements: () => readonly Incoming[];
}

export function sentBy({ sets }: Batch): Sent[] {
  const sent: Sent[] = [];
  for (const { collection, id, body } of sets)
    if (collection === 'outbox')
      for (const envelope of (body as OutboxBody).envelopes)
        sent.push({ envelope, document: id, elements: decodedOnce(envelope.body) });
  return sent;
}

function decodedOnce(body: string): () => readonly Incoming[] {
  let elements: readonly Incoming[] | undefined;
  return () => {
    elements ??= decodeBody(body);
    return elements;
  };
}
