/**
 * What a bundle of a source's messages becomes, before any root is involved: elements for other stages, dead letters, and
 * what it tells of the source's time. It is the same however often a message is delivered, since steps at ingest are
 * deterministic; so dead letters are named by the message, and a second one is the first.
 */
import { TooLargeError } from '../../model/errors.ts';
import { MAIN_OUTPUT } from '../../model/graph.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { PlannedSource } from '../../plan/plan.ts';
import { BundleOutput, type StepFailure } from '../chain/bundle-output.ts';
import type { Chain } from '../chain/chain.ts';
import { keyHash } from '../chain/outlet.ts';
import { type DeadLetter, type DeadLetterPlace, elementDeadLetter, sourceDeadLetter } from '../dead-letter.ts';
import { deadLetterDocuments } from '../dead-letter-document.ts';
import type { Element } from '../element.ts';
import { elementId, identityOf, nameOfId } from '../ids/element-id.ts';
import type { Publication } from './publish-slices.ts';
import type { Decoded, SourceDecoder } from './source-decoder.ts';
import { markOf, rawRecord, type SourceMessage } from './source-message.ts';

export interface MessageBundle {
  readonly output: BundleOutput;
  readonly letters: readonly DeadLetter[];
  readonly publications: readonly Publication[];
  /** Messages that were left out since they are another one's repetition. */
  readonly duplicates: number;
}

/** Where and when a bundle is run. */
export interface BundlePlace {
  readonly source: PlannedSource;
  readonly failedAt: EpochMillis;
  readonly version: string;
  /** Names what has no name of its own: what a step makes up at the end of a bundle. */
  readonly unique: string;
}

export async function runMessages(
  messages: readonly SourceMessage[],
  decoder: SourceDecoder,
  chain: Chain,
  place: BundlePlace,
): Promise<MessageBundle> {
  const letters: DeadLetter[] = [];
  const publications: Publication[] = [];
  const seen = new Set<string>();
  let taken = 0;
  await chain.begin(place.failedAt);
  const receive = chain.entry(MAIN_OUTPUT);
  for (const message of uniqueMessages(messages)) {
    let decoded: Decoded;
    try {
      decoded = decoder.decode(rawRecord(message));
    } catch (error) {
      letters.push(unreadLetter(place, message, error));
      continue;
    }
    publications.push({ publishTime: message.publishTime, advances: decoded.advances });
    const element = identified(decoded.element, message, place.source);
    const identity = element.id === undefined ? undefined : identityOf(element.id);
    if (identity !== undefined && seen.has(identity)) continue;
    if (identity !== undefined) seen.add(identity);
    taken += 1;
    const pending = receive(element);
    if (pending !== undefined) await pending;
  }
  const output = await chain.finish();
  const duplicates = messages.length - taken - letters.length;
  letters.push(...failureLetters(place, output.failures));
  return { output, letters, publications, duplicates };
}

/** Roughly what the output weighs in a commit, in characters. */
export function weightOf({ output, letters }: MessageBundle): number {
  let characters = 0;
  for (const { text } of output.outgoing) characters += text.length;
  for (const { data } of output.outside) characters += JSON.stringify(data)?.length ?? 0;
  for (const letter of letters) characters += deadLetterDocuments(letter).characters;
  return characters;
}

function uniqueMessages(messages: readonly SourceMessage[]): Iterable<SourceMessage> {
  return new Map(messages.map((message) => [message.id, message])).values();
}

/** What is left of a single message whose outputs no commit could hold. */
export function tooLarge(message: SourceMessage, characters: number, limit: number, place: BundlePlace): MessageBundle {
  const error = new TooLargeError(
    `what message '${message.id}' of source '${place.source.id}' becomes`,
    characters,
    limit,
  );
  return {
    output: new BundleOutput(),
    letters: [unreadLetter(place, message, error)],
    publications: [],
    duplicates: 0,
  };
}

function unreadLetter(place: BundlePlace, message: SourceMessage, error: unknown): DeadLetter {
  const letter = sourceDeadLetter(letterPlace(place, message.id), rawRecord(message), error);
  const { id, exactlyOnce } = place.source.node.source;
  // Which id an author names is known once it can be read.
  return id === undefined && exactlyOnce ? { ...letter, elementId: idOfMessage(message) } : letter;
}

/** Gives the element the id under which the first keyed stage takes it. */
export function identified(element: Element, message: SourceMessage, { node }: PlannedSource): Element {
  if (element.id === undefined) return element;
  const id = node.source.id === undefined ? idOfMessage(message) : elementId(element.id, element.timestamp);
  return { ...element, id };
}

function idOfMessage(message: SourceMessage): string {
  return elementId(message.id, message.publishTime, markOf(message));
}

function failureLetters(place: BundlePlace, failures: readonly StepFailure[]): DeadLetter[] {
  const counts = new Map<string, number>();
  return failures.map((failure, i) => {
    const { id } = failure.element;
    if (id === undefined) return elementDeadLetter(letterPlace(place, `${place.unique}~${i}`), failure);
    const what = `${documentName(nameOfId(id))}~${failure.step}`;
    const count = (counts.get(what) ?? 0) + 1;
    counts.set(what, count);
    return { ...elementDeadLetter(letterPlace(place, `${what}~${count}`), failure), elementId: id };
  });
}

function letterPlace({ source, failedAt, version }: BundlePlace, name: string): DeadLetterPlace {
  return { id: `${source.id}~${name}`, stage: source.id, failedAt, version };
}

/** Authors may name elements as they like; documents are not. */
function documentName(name: string): string {
  return /^[\w-]{1,100}$/.test(name) ? name : keyHash(name);
}
