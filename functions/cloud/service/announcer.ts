/**
 * Tells the dead-letter topic of dead letters that were written. The documents are what counts; an announcement may come
 * twice, and may be missing when an instance dies between commit and publishing.
 */
import type { DeadLetter } from '../../engine/dead-letter.ts';
import { deadLetterTopic } from '../../plan/resource-names.ts';
import type { Bus, OutsideMessage } from '../../ports/bus.ts';
import type { Log } from './log.ts';

export class Announcer {
  readonly #pipeline: string;
  readonly #bus: Bus;
  readonly #log: Log;
  readonly #publishing = new Set<Promise<void>>();

  constructor(pipeline: string, bus: Bus, log: Log) {
    this.#pipeline = pipeline;
    this.#bus = bus;
    this.#log = log;
  }

  announce(letters: readonly DeadLetter[]): void {
    for (const letter of letters) this.#write(letter);
    const published = this.#bus
      .publish(letters.map((letter) => this.#message(letter)))
      .catch((error: unknown) => this.#log.warning('dead letters were written but not announced', { error }))
      .finally(() => this.#publishing.delete(published));
    this.#publishing.add(published);
  }

  /** Resolves when everything announced so far is published. */
  async settled(): Promise<void> {
    await Promise.all(this.#publishing);
  }

  /** The event that says that nothing is tried any more, with the command that brings it back. */
  #write({ id, kind, stage, step, code, message, attempts, generation, count }: DeadLetter): void {
    // Late records are no failures, and may come in any number.
    if (kind === 'late') return;
    const replay = `millrace dead-letters replay --pipeline ${this.#pipeline} ${id}`;
    const deadLetter = { id, kind, step, code, attempts, generation, count, replay };
    this.#log.warning(`dead letter: ${message}`, { stage, details: { event: 'dead-letter', deadLetter } });
  }

  /** What operators and alerts filter by; the whole letter is in the store under its id. */
  #message({ id, kind, stage, step, code, message, generation, failedAt }: DeadLetter): OutsideMessage {
    const attributes = { pipeline: this.#pipeline, id, kind, stage, step, code, generation: String(generation) };
    return { topic: deadLetterTopic(this.#pipeline), data: JSON.stringify({ id, message, failedAt }), attributes };
  }
}
