/**
 * Views that read their source again and again (`refreshEvery`). Such a source belongs to its view: the view's stage reads
 * it, and it is no source of the pipeline otherwise.
 */
import { ConfigurationError } from '../model/errors.ts';
import type { Graph, Node, Ref, SourceNode, ViewNode } from '../model/graph.ts';
import type { Consumer } from './plan.ts';

/**
 * @param find who reads an output of a node
 * @returns the source of each view that refreshes
 * @throws {ConfigurationError} where between source and view there is more than steps on single elements
 */
export function loadedSources(
  { nodes }: Graph,
  find: (ref: Ref) => readonly Consumer[],
  isHead: (node: Node) => boolean,
): Map<ViewNode, SourceNode> {
  const loads = new Map<ViewNode, SourceNode>();
  for (const view of nodes) {
    if (view.kind !== 'view' || view.refreshEvery === undefined) continue;
    loads.set(view, sourceOf(view, find, isHead));
  }
  return loads;
}

function sourceOf(
  view: ViewNode,
  find: (ref: Ref) => readonly Consumer[],
  isHead: (node: Node) => boolean,
): SourceNode {
  let ref = view.inputs[0]!;
  for (;;) {
    const { node } = ref;
    const others = find(ref)
      .filter((consumer) => consumer.node !== view)
      .map((consumer) => consumer.node.name);
    if (isHead(node) || node.inputs.length > 1)
      throw new ConfigurationError(
        `view '${view.name}': refreshEvery reads its source again, and between the two is '${node.name}' (${node.kind}); only steps on single elements may be there`,
      );
    if (find(ref).length > 1)
      throw new ConfigurationError(
        `view '${view.name}': refreshEvery reads its source again, and '${node.name}' is read by others too (${others.join(', ')}); read it twice, once for the view`,
      );
    if (node.kind === 'source') return node;
    ref = node.inputs[0]!;
  }
}
