/**
 * Virtual time: things happen one at a time, in the order of their moments. Invariant: between two of them the engine
 * has run as far as it can without another answer from the world, so a seed decides every interleaving.
 */

/** @returns true when the engine has something to run because of it */
type Act = () => boolean | undefined;

interface Planned {
  readonly at: number;
  readonly number: number;
  readonly act: Act;
}

export class Scheduler {
  /** Milliseconds since 1970, with fractions; moves from one thing that happens to the next. */
  now: number;
  /** How many things have happened. */
  steps = 0;
  readonly #heap: Planned[] = [];
  #planned = 0;

  constructor(start: number) {
    this.now = start;
  }

  at(moment: number, act: Act): void {
    this.#push({ at: Math.max(moment, this.now), number: this.#planned++, act });
  }

  after(delay: number, act: Act): void {
    this.at(this.now + delay, act);
  }

  /** Lets things happen until `ended` says so, at most `most` of them. @returns whether it ended by itself */
  async run(ended: () => boolean, most: number): Promise<boolean> {
    while (!ended()) {
      const next = this.#pop();
      if (next === undefined || this.steps >= most) return false;
      this.now = next.at;
      this.steps += 1;
      if (next.act() === true) await turn();
    }
    return true;
  }

  #push(planned: Planned): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(planned);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(planned, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = planned;
  }

  #pop(): Planned | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: Planned, b: Planned): boolean {
  return a.at < b.at || (a.at === b.at && a.number < b.number);
}

/** Everything that promises have to say has been said when this resolves. */
function turn(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
