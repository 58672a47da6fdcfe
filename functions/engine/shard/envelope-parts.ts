/**
 * An envelope whose elements are too much for one commit: its elements are taken a part at a time, each in a commit of its
 * own. Its number is done with the last one; until then the root keeps how many are taken, so whoever goes on, after a
 * death too, goes on behind those. Elements of an envelope are the same, and in the same order, however often it is sent.
 */
import { TooLargeError } from '../../model/errors.ts';
import type { Envelope } from '../../ports/bus.ts';
import type { StepFailure } from '../chain/bundle-output.ts';
import { decodeBody } from '../element-codec.ts';
import type { Root, RootDraft } from '../protocol/root.ts';
import type { BundleTooLarge } from './lots.ts';

/** What a commit takes of an envelope. */
export interface EnvelopePart {
  readonly envelope: Envelope;
  /** How many of the whole's elements are taken when this is; absent: all of them. */
  readonly upTo?: number;
}

/**
 * What is left of an envelope, or the first `most` of it.
 * @param most absent: all that is left
 */
export function partOf(root: Root, envelope: Envelope, most = Number.POSITIVE_INFINITY): EnvelopePart {
  const from = root.parts?.[partName(envelope)] ?? 0;
  if (from === 0 && envelope.count <= most) return { envelope };
  const elements = JSON.parse(envelope.body) as unknown[];
  const upTo = Math.min(elements.length, from + most);
  const taken = elements.slice(from, upTo);
  const part: Envelope = { ...envelope, body: JSON.stringify(taken), count: taken.length };
  return upTo < elements.length ? { envelope: part, upTo } : { envelope: part };
}

/** How an envelope is called in a root. */
export function partName({ sender, number }: Pick<Envelope, 'sender' | 'number'>): string {
  return `${sender} ${number}`;
}

/** Takes an envelope of one element without looking at it: what came of it was too large for any commit. */
export function refuse(
  draft: RootDraft,
  step: string,
  envelope: Envelope,
  { characters, limit }: BundleTooLarge,
): StepFailure[] {
  draft.take(envelope.sender, envelope.number);
  return decodeBody(envelope.body).map(({ key, value, timestamp, windows, pane, id, ...received }): StepFailure => {
    const { inlet, lifted, count, latest, keyText } = received;
    const what = `what '${step}' makes of one element of key ${keyText.slice(0, 200)}`;
    return {
      step,
      element: { value: { key, value }, timestamp, windows, pane, id },
      error: new TooLargeError(what, characters, limit),
      received: { inlet, lifted, count, latest },
    };
  });
}
