/**
 * Sees that envelopes are numbered, kept and taken as they must be: a number is given once and taken once, stays open and
 * published-again-able until it is taken, and is forgotten only with its sender.
 */
import { parseShardId } from '../../../functions/engine/protocol/names.ts';
import type { Root } from '../../../functions/engine/protocol/root.ts';
import type { Envelope } from '../../../functions/ports/bus.ts';
import { Flow } from './flow.ts';
import { numbersOnlyIn, type Range } from './ranges.ts';
import { Violation } from './violation.ts';

export class Numbers {
  /** By sender, then by target. */
  readonly #flows = new Map<string, Map<string, Flow>>();
  readonly #flowsTo = new Map<string, Flow[]>();
  readonly #documents = new Set<string>();
  readonly #tookElements: (stage: string, elements: number) => void;

  /** @param tookElements told of what stages have taken */
  constructor(tookElements: (stage: string, elements: number) => void) {
    this.#tookElements = tookElements;
  }

  /** What leads to a stage. */
  flowsTo(stage: string): readonly Flow[] {
    return this.#flowsTo.get(stage) ?? [];
  }

  /** An envelope was committed in an outbox document. What the commit says of its root comes afterwards. */
  given(document: string, envelope: Envelope, earliest: number | undefined): void {
    this.#documents.add(document);
    const flow = this.#flow(envelope.sender, envelope.target);
    if (flow.given.has(envelope.number)) throw new Violation('a number is given once', flow.nameOf(envelope.number));
    flow.give(document, envelope, earliest);
  }

  documentDeleted(document: string): void {
    this.#documents.delete(document);
  }

  rootWritten(before: Root | undefined, after: Root, exists: (root: string) => boolean): void {
    this.#take(before, after, exists);
    this.#checkOpen(before, after);
  }

  rootDeleted(id: string): void {
    for (const flow of this.#flows.get(id)?.values() ?? [])
      for (const number of flow.inFlight.keys())
        throw new Violation('a root is retired when all is taken', flow.nameOf(number));
  }

  #flow(sender: string, target: string): Flow {
    let flows = this.#flows.get(sender);
    if (flows === undefined) {
      flows = new Map();
      this.#flows.set(sender, flows);
    }
    let flow = flows.get(target);
    if (flow === undefined) {
      flow = new Flow(sender, target);
      flows.set(target, flow);
      const { stage } = parseShardId(target);
      this.#flowsTo.set(stage, [...this.flowsTo(stage), flow]);
    }
    return flow;
  }

  #take(before: Root | undefined, after: Root, exists: (root: string) => boolean): void {
    for (const sender in before?.done)
      if (after.done[sender] === undefined && exists(sender))
        throw new Violation('done ranges are kept while their sender lives', `${after.id} forgets ${sender}`);
    for (const sender in after.done) {
      const was = before?.done[sender] ?? [];
      const is = after.done[sender]!;
      if (was === is) continue;
      const [left] = numbersOnlyIn(was, is);
      if (left !== undefined)
        throw new Violation('done ranges only grow', `${this.#flow(sender, after.id).nameOf(left)} is no longer done`);
      for (const number of numbersOnlyIn(is, was)) this.#takeOne(this.#flow(sender, after.id), number);
    }
  }

  #takeOne(flow: Flow, number: number): void {
    if (flow.taken.has(number)) throw new Violation('a number is taken once', flow.nameOf(number));
    if (!flow.given.has(number)) throw new Violation('only what was given is taken', flow.nameOf(number));
    this.#tookElements(parseShardId(flow.target).stage, flow.take(number));
  }

  #checkOpen(before: Root | undefined, { id, open }: Root): void {
    for (const target in before?.open) {
      const [was, is = []] = [before!.open[target]!, open[target]];
      if (was === is) continue;
      const flow = this.#flow(id, target);
      for (const number of numbersOnlyIn(was.map(rangeOf), is.map(rangeOf)))
        if (!flow.taken.has(number)) throw new Violation('a range is dropped when it is taken', flow.nameOf(number));
    }
    for (const flow of this.#flows.get(id)?.values() ?? []) {
      const ranges = open[flow.target];
      for (const { envelope, document, place } of flow.inFlight.values()) {
        const { number, earliest } = envelope;
        const range = ranges?.find(({ from, to }) => from <= number && number <= to);
        if (range === undefined) throw new Violation('what is in flight is open', flow.nameOf(number));
        if (range.earliest > earliest)
          throw new Violation('an open range is as early as its elements', flow.nameOf(number));
        if (!this.#documents.has(document) || place < range.firstDocument || range.lastDocument < place)
          throw new Violation('what is in flight can be sent again', `${flow.nameOf(number)} of outbox ${document}`);
      }
    }
  }
}

function rangeOf({ from, to }: { readonly from: number; readonly to: number }): Range {
  return [from, to];
}
