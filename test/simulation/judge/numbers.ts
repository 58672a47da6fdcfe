/**
 * Sees that envelopes are numbered, kept and taken as they must be: a number is given once and taken once, stays open and
 * published-again-able until it is taken, and is forgotten only with its sender.
 */
import { parseShardId } from '../../../functions/engine/protocol/names.ts';
import type { OutboxBody } from '../../../functions/engine/protocol/outbox.ts';
import type { Root } from '../../../functions/engine/protocol/root.ts';
import type { Envelope } from '../../../functions/ports/bus.ts';
import type { Batch } from '../../../functions/ports/store.ts';
import { Violation } from './violation.ts';

export interface InFlight {
  readonly envelope: Envelope;
  readonly document: string;
  /** The earliest timestamp of its elements that were not late already when they were sent; undefined when all were. */
  readonly earliest: number | undefined;
}

export class Numbers {
  /** Given and not taken, by sender, then by target and number. */
  readonly inFlight = new Map<string, Map<string, InFlight>>();
  readonly #given = new Set<string>();
  readonly #taken = new Set<string>();
  readonly #documents = new Set<string>();
  readonly #earliestOf: (envelope: Envelope) => number | undefined;

  readonly #tookElements: (stage: string, elements: number) => void;

  /**
   * @param tookElements told of what stages have taken
   * @param earliestOf the earliest element of an envelope that must not be passed by a watermark
   */
  constructor(
    earliestOf: (envelope: Envelope) => number | undefined,
    tookElements: (stage: string, elements: number) => void,
  ) {
    this.#tookElements = tookElements;
    this.#earliestOf = earliestOf;
  }

  /** A batch was committed; what it says of roots comes afterwards. */
  committed(batch: Batch): void {
    for (const { collection, id, body } of batch.sets)
      if (collection === 'outbox') this.#give(id, (body as OutboxBody).envelopes);
    for (const { collection, id } of batch.deletes) if (collection === 'outbox') this.#documents.delete(id);
  }

  rootWritten(before: Root | undefined, after: Root, exists: (root: string) => boolean): void {
    this.#take(before, after, exists);
    this.#checkOpen(before, after);
  }

  rootDeleted(id: string): void {
    const [left] = this.inFlight.get(id)?.keys() ?? [];
    if (left !== undefined) throw new Violation('a root is retired when all is taken', `${id} -> ${left}`);
  }

  #give(document: string, envelopes: readonly Envelope[]): void {
    this.#documents.add(document);
    for (const envelope of envelopes) {
      const { sender, target, number } = envelope;
      const name = nameOf(sender, target, number);
      if (this.#given.has(name)) throw new Violation('a number is given once', name);
      this.#given.add(name);
      let flying = this.inFlight.get(sender);
      if (flying === undefined) {
        flying = new Map();
        this.inFlight.set(sender, flying);
      }
      flying.set(`${target}#${number}`, { envelope, document, earliest: this.#earliestOf(envelope) });
    }
  }

  #take(before: Root | undefined, after: Root, exists: (root: string) => boolean): void {
    for (const sender of new Set([...Object.keys(before?.done ?? {}), ...Object.keys(after.done)])) {
      const was = before?.done[sender] ?? [];
      const is = after.done[sender] ?? [];
      if (was === is) continue;
      const gone = after.done[sender] === undefined;
      if (gone && exists(sender))
        throw new Violation('done ranges are kept while their sender lives', `${after.id} forgets ${sender}`);
      if (!gone)
        for (const number of numbersIn(was))
          if (!holds(is, number))
            throw new Violation('done ranges only grow', `${nameOf(sender, after.id, number)} is no longer done`);
      for (const number of numbersIn(is)) if (!holds(was, number)) this.#takeOne(sender, after.id, number);
    }
  }

  #takeOne(sender: string, target: string, number: number): void {
    const name = nameOf(sender, target, number);
    if (this.#taken.has(name)) throw new Violation('a number is taken once', name);
    if (!this.#given.has(name)) throw new Violation('only what was given is taken', name);
    this.#taken.add(name);
    const flying = this.inFlight.get(sender);
    const taken = flying?.get(`${target}#${number}`);
    if (taken !== undefined) this.#tookElements(parseShardId(target).stage, taken.envelope.count);
    flying?.delete(`${target}#${number}`);
  }

  #checkOpen(before: Root | undefined, { id, open }: Root): void {
    for (const target in before?.open ?? {}) {
      if (before!.open[target] === open[target]) continue;
      for (const { from, to } of before!.open[target]!)
        for (let number = from; number <= to; number++)
          if (
            !open[target]?.some((range) => range.from <= number && number <= range.to) &&
            !this.#taken.has(nameOf(id, target, number))
          )
            throw new Violation('a range is dropped when it is taken', nameOf(id, target, number));
    }
    for (const { envelope, document } of this.inFlight.get(id)?.values() ?? []) {
      const name = nameOf(id, envelope.target, envelope.number);
      const range = open[envelope.target]?.find(({ from, to }) => from <= envelope.number && envelope.number <= to);
      if (range === undefined) throw new Violation('what is in flight is open', name);
      if (range.earliest > envelope.earliest) throw new Violation('an open range is as early as its elements', name);
      const place = Number(document.slice(document.lastIndexOf('~') + 1));
      if (!this.#documents.has(document) || place < range.firstDocument || range.lastDocument < place)
        throw new Violation('what is in flight can be sent again', `${name} of outbox ${document}`);
    }
  }
}

function nameOf(sender: string, target: string, number: number): string {
  return `${sender} -> ${target} #${number}`;
}

function holds(ranges: readonly (readonly [number, number])[], number: number): boolean {
  return ranges.some(([from, to]) => from <= number && number <= to);
}

function* numbersIn(ranges: readonly (readonly [number, number])[]): Generator<number> {
  for (const [from, to] of ranges) for (let number = from; number <= to; number++) yield number;
}
