import { ConfigurationError } from './errors.ts';
import { type Graph, type Node, sidesOf } from './graph.ts';

const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const LONGEST = 60;
const RESERVED = new Set(['ingest', 'replay', 'sweep']);

/** @throws {ConfigurationError} unless the name is lower-case words with dashes; it becomes part of topics and documents */
export function checkName(what: string, name: unknown): void {
  if (typeof name !== 'string' || !NAME.test(name) || name.length > LONGEST)
    throw new ConfigurationError(
      `${what}: expected a name of lower-case words with dashes, at most ${LONGEST} characters, such as 'parse-orders'; got ${JSON.stringify(name)}`,
    );
  if (RESERVED.has(name))
    throw new ConfigurationError(`${what}: '${name}' is a name that Millrace itself uses; choose another`);
}

/** Collects the nodes of a pipeline while its author writes it. */
export class GraphBuilder {
  readonly name: string;
  readonly #nodes = new Map<string, Node>();
  #finished = false;

  constructor(name: string) {
    checkName('pipeline', name);
    this.name = name;
  }

  /** @throws {ConfigurationError} when the name is taken or is none, or the pipeline is finished */
  add<N extends Node>(node: N): N {
    if (this.#finished)
      throw new ConfigurationError(
        `'${node.name}' was added after pipeline '${this.name}' was built; add transforms inside its build function`,
      );
    checkName(`${node.kind} in pipeline '${this.name}'`, node.name);
    const other = this.#nodes.get(node.name);
    if (other !== undefined)
      throw new ConfigurationError(
        `pipeline '${this.name}' has two transforms named '${node.name}' (${other.kind} and ${node.kind}); state is kept under that name, so give each its own`,
      );
    const views = sidesOf(node).map(({ view }) => view);
    for (const read of [...node.inputs.map((input) => input.node), ...views])
      if (this.#nodes.get(read.name) !== read)
        throw new ConfigurationError(`'${node.name}' reads '${read.name}', which belongs to another pipeline`);
    this.#nodes.set(node.name, node);
    return node;
  }

  finish(): Graph {
    this.#finished = true;
    if (![...this.#nodes.values()].some((node) => node.kind === 'source'))
      throw new ConfigurationError(`pipeline '${this.name}' reads nothing; begin with readPubSub or readFile`);
    return { name: this.name, nodes: [...this.#nodes.values()] };
  }
}
