/**
 * Look-ups inside a chain. Invariant: between two bundles nothing waits; within one, elements wait for the answer of their
 * batch, and what needs none goes on at once.
 */
import { messageOf, PoisonError, RetryableError } from '../../model/errors.ts';
import type { LookUpNode } from '../../model/graph.ts';
import { keyText } from '../../model/key.ts';
import type { Key } from '../../model/key.ts';
import { type EpochMillis, MIN_TIMESTAMP } from '../../model/time.ts';
import type { LookUpClient } from '../../model/transforms/look-up.ts';
import type { Element } from '../element.ts';
import { type Answer, AnswerCache } from './answer-cache.ts';
import { eachInTurn, type Receive } from './receive.ts';

/** The store's answer is none that can be used. */
class BadAnswerError extends PoisonError {
  override readonly code = 'BAD_ANSWER';
}

/** Elements that wait for the answer to one key. */
interface Asked {
  readonly key: Key;
  readonly elements: Element[];
}

export class LookUpStep {
  readonly name: string;
  readonly #node: LookUpNode;
  readonly #forward: Receive;
  readonly #fail: (element: Element, error: unknown) => void;
  readonly #cache: AnswerCache;
  readonly #waiting = new Map<string, Asked>();
  #client: LookUpClient<Key, unknown> | undefined;
  #processingTime: EpochMillis = MIN_TIMESTAMP;
  /** An answer of this bundle that was not to be had now. */
  #notNow: RetryableError | undefined;

  constructor(node: LookUpNode, forward: Receive, fail: (element: Element, error: unknown) => void) {
    this.name = node.name;
    this.#node = node;
    this.#forward = forward;
    this.#fail = fail;
    this.#cache = new AnswerCache(node.cache);
  }

  async setup(): Promise<void> {
    this.#client = await this.#node.makeClient();
  }

  teardown(): void | Promise<void> {
    return this.#client?.close?.();
  }

  startBundle(processingTime: EpochMillis): void {
    this.#processingTime = processingTime;
    // A bundle that failed may have left elements behind; they come again.
    this.#waiting.clear();
    this.#notNow = undefined;
  }

  receive(element: Element): void | Promise<void> {
    let text: string;
    let key: Key;
    try {
      const { timestamp, windows, pane } = element;
      key = this.#node.key(element.value, { timestamp, window: windows[0]!, pane });
      text = keyText(key);
    } catch (error) {
      return this.#fail(element, error);
    }
    const kept = this.#cache.get(text, this.#processingTime);
    if (kept !== undefined) return this.#forward(lookedUp(element, kept));
    const asked = this.#waiting.get(text);
    if (asked === undefined) this.#waiting.set(text, { key, elements: [element] });
    else asked.elements.push(element);
    return this.#waiting.size >= this.#node.batch ? this.#ask() : undefined;
  }

  /** @throws {RetryableError} when answers are missing: the bundle runs again, and finds those that came in the cache */
  finishBundle(): void | Promise<void> {
    if (this.#waiting.size > 0) return this.#ask().then(() => this.#checkAnswered());
    this.#checkAnswered();
  }

  #checkAnswered(): void {
    if (this.#notNow !== undefined) throw this.#notNow;
  }

  async #ask(): Promise<void> {
    const asked = [...this.#waiting];
    this.#waiting.clear();
    const given = await this.#answers(asked.map(([, { key }]) => key));
    const answers = asked.map(([text, { key }], i) => {
      const answer = this.#read(key, given[i]);
      if (!(answer instanceof Error)) this.#cache.set(text, answer, this.#processingTime);
      return answer;
    });
    for (const [i, [, { elements }]] of asked.entries()) {
      const answer = answers[i]!;
      if (answer instanceof RetryableError) {
        this.#notNow ??= answer;
        continue;
      }
      if (answer instanceof Error) {
        for (const element of elements) this.#fail(element, answer);
        continue;
      }
      const pending = eachInTurn(elements, (element) => this.#forward(lookedUp(element, answer)));
      if (pending !== undefined) await pending;
    }
  }

  /** Asks for all keys, and where that fails for each by itself; an answer may be the error with which it failed. */
  async #answers(keys: readonly Key[]): Promise<readonly unknown[]> {
    try {
      const answers = await this.#client!.get(keys);
      if (answers.length === keys.length) return answers;
      throw new BadAnswerError(
        `'${this.name}': the client gave ${answers.length} answers for ${keys.length} keys; it must give one for each, in their order`,
      );
    } catch (error) {
      if (error instanceof RetryableError) throw error;
      if (keys.length === 1) return [error instanceof Error ? error : new BadAnswerError(messageOf(error))];
    }
    const answers: unknown[] = [];
    for (const key of keys) answers.push(...(await this.#answers([key])));
    return answers;
  }

  #read(key: Key, answer: unknown): Answer | Error {
    if (answer instanceof Error) return answer;
    if (answer === undefined || answer === null) return { found: null };
    const { schema } = this.#node;
    if (schema === undefined) return { found: answer };
    try {
      return { found: schema.parse(answer) };
    } catch (cause) {
      const shown = keyText(key).slice(0, 200);
      return new BadAnswerError(`'${this.name}': the answer for ${shown} is bad: ${messageOf(cause)}`, { cause });
    }
  }
}

function lookedUp(element: Element, { found }: Answer): Element {
  return { ...element, value: { value: element.value, found } };
}
