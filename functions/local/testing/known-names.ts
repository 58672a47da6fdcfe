/**
 * The names that a test may ask for. Invariant: a name that a pipeline does not have is refused, never answered with
 * nothing, or a test that expects nothing would hold for ever.
 */
import { ConfigurationError } from '../../model/errors.ts';
import { LATE_OUTPUT, type Node } from '../../model/graph.ts';
import { outputsOf, type Plan } from '../../plan/plan.ts';
import { isWatcher } from './watch.ts';

export class KnownNames {
  readonly #plan: Plan;
  readonly #nodes: readonly Node[];

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#nodes = plan.graph.nodes.filter((node) => !isWatcher(node));
  }

  /** @throws {ConfigurationError} as all of these do, naming what there is */
  source(name: string): void {
    this.#check('source', name, this.#sources());
  }

  stage(name: string): void {
    this.#check('stage', name, this.#stages());
  }

  stageOrSource(name: string): void {
    this.#check(this.#sources().includes(name) ? 'source' : 'stage', name, [...this.#stages(), ...this.#sources()]);
  }

  transform(name: string): void {
    this.#check(
      'transform',
      name,
      this.#nodes.map((node) => node.name),
    );
  }

  output(transform: string, name: string): void {
    this.transform(transform);
    const node = this.#nodes.find((each) => each.name === transform)!;
    const outputs = [...new Set([...outputsOf(node), LATE_OUTPUT])];
    if (!outputs.includes(name))
      throw new ConfigurationError(`'${transform}' has no output '${name}'; its outputs are ${outputs.join(', ')}`);
  }

  table(name: string): void {
    const tables = this.#nodes.flatMap((node) => (node.kind === 'writeBigQuery' ? [node.table] : []));
    this.#check('table', name, tables);
  }

  topic(name: string): void {
    const topics = this.#nodes.flatMap((node) => (node.kind === 'writePubSub' ? [node.topic] : []));
    this.#check('topic', name, topics);
  }

  #sources(): string[] {
    return this.#plan.sources.map(({ id }) => id);
  }

  #stages(): string[] {
    return this.#plan.stages.map(({ id }) => id);
  }

  #check(what: string, name: string, names: readonly string[]): void {
    if (!names.includes(name))
      throw new ConfigurationError(
        `pipeline '${this.#plan.pipeline}' has no ${what} '${name}'; ${names.length === 0 ? 'it has none' : `its ${what}s are ${names.join(', ')}`}`,
      );
  }
}
