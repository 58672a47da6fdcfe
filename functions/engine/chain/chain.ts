/**
 * Fused steps: the stateless part of a stage or source, compiled to functions that hand elements on to one another.
 *
 * Invariants: a step that throws fails its own input element only; what it emitted for that element before is taken
 * back; every other element goes on. Sync code is never awaited.
 */
import type { Graph, Node, Ref, SideParDoNode } from '../../model/graph.ts';
import { type EpochMillis, MIN_TIMESTAMP } from '../../model/time.ts';
import { type Consumer, type HeadNode, isHead, type Plan } from '../../plan/plan.ts';
import type { SideValues } from '../views/side-values.ts';
import { BundleOutput, type StepFailure } from './bundle-output.ts';
import type { Outlet } from './outlet.ts';
import { oneOf } from './one-of.ts';
import type { OutputWeight } from './output-weight.ts';
import { eachInTurn, type Receive } from './receive.ts';
import { type BundleStep, compileStep } from './steps.ts';

/** Makes the outlet to a head, for this sender. */
export type OutletFactory = (head: HeadNode, inlet: number, output: () => BundleOutput) => Outlet;

/** A stage's head that is itself a step on single elements: those whose views are ready. */
export interface StepHead {
  readonly node: SideParDoNode;
  readonly sides: SideValues;
}

export class Chain {
  readonly #outlets: Outlet[] = [];
  readonly #steps: BundleStep[] = [];
  readonly #entries = new Map<string, Receive>();
  readonly #receiverAt: (step: string) => Receive | undefined;
  #output = new BundleOutput();
  #head: { setup?(): Promise<void>; teardown?(): Promise<void> } | undefined;

  /**
   * @param starts the outputs whose elements enter here, by name (a head's `main` and `late`, or a source's `main`)
   * @param into a step at which elements enter in the middle, by its name; replays do
   * @param head the stage's own head, by its name, where it is a step of this chain
   */
  constructor(plan: Plan, starts: readonly Ref[], outlets: OutletFactory, into?: Consumer, head?: StepHead) {
    const compiler = new ChainCompiler(plan, outlets, () => this.#output, this.#outlets, this.#steps);
    for (const start of starts) this.#entries.set(start.output, compiler.receiverOf(start));
    if (into !== undefined) this.#entries.set(into.node.name, compiler.receiverInto(into));
    if (head !== undefined) this.#entries.set(head.node.name, compiler.receiverOfHead(head));
    sortByGraph(this.#steps, plan.graph);
    this.#receiverAt = (step) => compiler.receiverAt(step);
  }

  /** Where elements of an output enter, or those for a step. */
  entry(output: string): Receive {
    const entry = this.#entries.get(output);
    if (entry === undefined) throw new Error(`the chain has no entry '${output}'`);
    return entry;
  }

  /** Takes out what has failed so far in a fused step, where it is `wanted`. */
  takeFailures(wanted: (failure: StepFailure) => boolean): StepFailure[] {
    const { failures } = this.#output;
    const taken = failures.filter((failure) => wanted(failure) && this.#receiverAt(failure.step) !== undefined);
    if (taken.length > 0)
      failures.splice(0, failures.length, ...failures.filter((failure) => !taken.includes(failure)));
    return taken;
  }

  /** Gives a step the element again on which it has failed. */
  again({ step, element }: StepFailure): void | Promise<void> {
    return this.#receiverAt(step)?.(element);
  }

  /** What has the chain's life: set up before its steps, torn down after them. */
  lead(head: { setup?(): Promise<void>; teardown?(): Promise<void> }): void {
    this.#head = head;
  }

  async setup(): Promise<void> {
    await this.#head?.setup?.();
    for (const step of this.#steps) await step.setup();
  }

  async teardown(): Promise<void> {
    for (const step of this.#steps) await step.teardown();
    await this.#head?.teardown?.();
  }

  /**
   * Starts a new output; everything that is received from now on goes there.
   * @param processingTime of the bundle, for what grows old. Default: the beginning of time, when nothing is kept
   */
  begin(processingTime: EpochMillis = MIN_TIMESTAMP): void | Promise<void> {
    this.#output = new BundleOutput();
    return eachInTurn(this.#steps, (step) => step.startBundle(processingTime));
  }

  /** Ends the bundle and hands out what it produced. */
  finish(): BundleOutput | Promise<BundleOutput> {
    const pending = eachInTurn(this.#steps, (step) => step.finishBundle());
    return pending === undefined ? this.#collect() : pending.then(() => this.#collect());
  }

  /** What the output under way weighs so far. */
  get weight(): OutputWeight {
    return this.#output.weight;
  }

  #collect(): BundleOutput {
    for (const outlet of this.#outlets) outlet.flush(this.#output);
    return this.#output;
  }
}

/** Compiles each node once, so that a step that is reached by two ways is one step. */
class ChainCompiler {
  readonly #plan: Plan;
  readonly #makeOutlet: OutletFactory;
  readonly #output: () => BundleOutput;
  readonly #outlets: Outlet[];
  readonly #steps: BundleStep[];
  readonly #compiled = new Map<Node, Receive>();

  constructor(
    plan: Plan,
    makeOutlet: OutletFactory,
    output: () => BundleOutput,
    outlets: Outlet[],
    steps: BundleStep[],
  ) {
    this.#plan = plan;
    this.#makeOutlet = makeOutlet;
    this.#output = output;
    this.#outlets = outlets;
    this.#steps = steps;
  }

  /** Everybody who reads an output. */
  receiverOf(ref: Ref): Receive {
    return broadcast(this.#plan.consumers(ref).map(({ node, input }) => this.#compile(node, input)));
  }

  /** One step alone, and all that follows it. */
  receiverInto({ node, input }: Consumer): Receive {
    return this.#compile(node, input);
  }

  /** The stage's own head, as a step. */
  receiverOfHead({ node, sides }: StepHead): Receive {
    return this.#compileStep(node, sides);
  }

  /** A fused step, by its name, if it is one of these. */
  receiverAt(step: string): Receive | undefined {
    for (const [node, receive] of this.#compiled) if (node.name === step) return receive;
    return undefined;
  }

  #compile(node: Node, input: number): Receive {
    if (isHead(node)) return this.#compileOutlet(node, input);
    let receive = this.#compiled.get(node);
    if (receive === undefined) {
      receive = this.#compileStep(node);
      this.#compiled.set(node, receive);
    }
    return receive;
  }

  #compileStep(node: Node, sides?: SideValues): Receive {
    const next = (output: string): Receive => this.receiverOf({ node, output });
    const { receive, step } = compileStep(node, next, this.#output, sides);
    if (step !== undefined) this.#steps.push(step);
    return receive;
  }

  #compileOutlet(head: HeadNode, input: number): Receive {
    const outlet = this.#makeOutlet(head, input, this.#output);
    this.#outlets.push(outlet);
    const output = this.#output;
    return (element) => {
      try {
        outlet.receive(element);
      } catch (error) {
        output().failures.push({ step: head.name, element, error });
      }
    };
  }
}

/** One receiver for several. What they get are two elements where ways meet again, so each has an id of its own. */
function broadcast(receivers: readonly Receive[]): Receive {
  if (receivers.length === 1) return receivers[0]!;
  return (element) => eachInTurn(receivers, (receive, i) => receive(oneOf(element, i, receivers.length)));
}

function sortByGraph(steps: BundleStep[], graph: Graph): void {
  const order = new Map(graph.nodes.map((node, i) => [node.name, i]));
  steps.sort((a, b) => order.get(a.name)! - order.get(b.name)!);
}
