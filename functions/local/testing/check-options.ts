import { ConfigurationError } from '../../model/errors.ts';
import type { Graph } from '../../model/graph.ts';
import { checkOptions, type OptionNames } from '../../model/options.ts';
import type { TestOptions, Troubles } from './test-options.ts';

const OPTIONS: OptionNames<TestOptions> = {
  shards: true,
  watch: true,
  startAt: true,
  troubles: true,
  model: true,
  seed: true,
};
const TROUBLES: OptionNames<Troubles> = {
  everyMessageTwice: true,
  lost: true,
  reordered: true,
  crashAfterCommits: true,
  checkIngest: true,
};

/** @throws {ConfigurationError} for what is no pipeline, and naming the option that is none or out of range */
export function checkTest(graph: Graph, options: TestOptions): void {
  if (!Array.isArray(graph?.nodes))
    throw new ConfigurationError('testPipeline(graph): expected a pipeline, as pipeline(…) makes it');
  checkOptions('testPipeline(options)', options, OPTIONS);
  const { troubles = {}, watch = [] } = options;
  checkOptions('testPipeline(options) troubles', troubles, TROUBLES);
  const { lost = 0 } = troubles;
  if (typeof lost !== 'number' || !(lost >= 0 && lost < 1))
    throw new ConfigurationError(
      `testPipeline(options) troubles.lost: expected a share from 0 to below 1, got ${lost}`,
    );
  const names = graph.nodes.map(({ name }) => name);
  for (const name of watch)
    if (!names.includes(name))
      throw new ConfigurationError(
        `testPipeline(options) watch: pipeline '${graph.name}' has no transform '${name}'; there are ${names.join(', ')}`,
      );
}
