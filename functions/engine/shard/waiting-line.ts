/**
 * What waits for a shard, in order: messages that come while a commit is under way make the next bundle, a commit of its own
 * goes between bundles. Invariant: one thing at a time; each is answered when it is through.
 */
import type { BusMessage } from '../../ports/bus.ts';
import type { Cadence } from '../protocol/cadence.ts';

/** Elements of one bundle, and characters of the envelopes that bring them. */
const MAX_BUNDLE_ELEMENTS = 5_000;
const MAX_BUNDLE_CHARACTERS = 2_000_000;

/** Who works off the line. */
export interface Worker<Own> {
  /** @returns whether there is more to do at once, without new messages */
  bundle(messages: readonly BusMessage[]): Promise<boolean>;
  own(work: Own): Promise<void>;
}

interface Waiting<Own> {
  readonly work: BusMessage | Own;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** @typeParam Own what is no message: a function */
export class WaitingLine<Own extends (...args: never[]) => unknown> {
  readonly #worker: Worker<Own>;
  readonly #cadence: Cadence;
  readonly #waiting: Waiting<Own>[] = [];
  #running: Promise<void> | undefined;

  constructor(worker: Worker<Own>, cadence: Cadence) {
    this.#worker = worker;
    this.#cadence = cadence;
  }

  /** Resolves when it is through, rejects with what its bundle or commit has thrown. */
  enqueue(work: BusMessage | Own): Promise<void> {
    const answered = new Promise<void>((resolve, reject) => this.#waiting.push({ work, resolve, reject }));
    this.#running ??= this.#run();
    return answered;
  }

  /** Resolves when nothing waits and nothing is under way. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    let more = false;
    // What is offered in the same turn belongs to the same bundle.
    await undefined;
    while (this.#waiting.length > 0 || more) {
      if (!more) await this.#cadence.turn();
      const next = this.#next();
      try {
        const works = next.map(({ work }) => work);
        if (typeof works[0] === 'function') await this.#worker.own(works[0]);
        else more = await this.#worker.bundle(works as BusMessage[]);
        for (const { resolve } of next) resolve();
      } catch (error) {
        more = false;
        for (const { reject } of next) reject(error);
      }
    }
    this.#running = undefined;
  }

  /** The next commit of its own alone, or the messages before it that make a bundle. */
  #next(): Waiting<Own>[] {
    let elements = 0;
    let characters = 0;
    let length = 0;
    for (const { work } of this.#waiting) {
      if (typeof work === 'function') {
        length ||= 1;
        break;
      }
      if (work.kind === 'envelope') {
        elements += work.count;
        characters += work.body.length;
      }
      if (length > 0 && (elements > MAX_BUNDLE_ELEMENTS || characters > MAX_BUNDLE_CHARACTERS)) break;
      length += 1;
    }
    return this.#waiting.splice(0, length);
  }
}
