import type { BundleOutput } from './bundle-output.ts';
import { roughSize } from './rough-size.ts';

/** Roughly what a bundle has produced so far weighs, in characters. What is encoded already costs nothing to weigh. */
export class OutputWeight {
  readonly #output: Pick<BundleOutput, 'outgoing' | 'outside' | 'failures'>;
  #outgoing = 0;
  #outside = 0;
  #failures = 0;
  #characters = 0;

  constructor(output: Pick<BundleOutput, 'outgoing' | 'outside' | 'failures'>) {
    this.#output = output;
  }

  /** What is held until the bundle's end, such as elements that are combined before they are sent. */
  hold(characters: number): void {
    this.#characters += characters;
  }

  /** Weighs what has come since it was last asked, and gives the whole. */
  get characters(): number {
    const { outgoing, outside, failures } = this.#output;
    while (this.#outgoing < outgoing.length) this.#characters += outgoing[this.#outgoing++]!.text.length;
    while (this.#outside < outside.length) this.#characters += outside[this.#outside++]!.data.length;
    while (this.#failures < failures.length) this.#characters += roughSize(failures[this.#failures++]!.element.value);
    return this.#characters;
  }
}
