/**
 * Watching a pipeline under test: every collection gets a reader beside its own, which tells what comes by. Invariant: the
 * pipeline does what it does unwatched; what is read of late elements stays as it is, since reading them changes their end.
 */
import { decodeValue, encodeValue } from '../../model/json.ts';
import { LATE_OUTPUT, type Graph, type Node, type Ref, type WritePubSubNode } from '../../model/graph.ts';
import type { PaneInfo } from '../../model/pane.ts';
import type { Window } from '../../model/windows.ts';
import { outputsOf } from '../../plan/plan.ts';
import type { OutsideMessage } from '../../ports/bus.ts';

/** An element of a collection, with all that is known of it. */
export interface Seen {
  /** Of keyed collections `{ key, value }`. */
  readonly value: unknown;
  /** Epoch milliseconds. */
  readonly timestamp: number;
  readonly window: Window;
  readonly pane: PaneInfo;
}

const TOPIC = 'watched~';

/** @param names the transforms to watch; undefined: all */
export function watched(graph: Graph, names: ReadonlySet<string> | undefined): Graph {
  const nodes = graph.nodes.flatMap((node): Node[] => {
    if (names !== undefined && !names.has(node.name)) return [node];
    const outputs = outputsOf(node).filter((output) => output !== LATE_OUTPUT || isRead({ node, output }, graph));
    return [node, ...outputs.map((output) => watcher({ node, output }))];
  });
  return { ...graph, nodes };
}

/** What came by, in order; what is published again under the same id counts once. */
export function seen(published: readonly OutsideMessage[], name: string, output: string): Seen[] {
  const byId = new Map<string, Seen>();
  const topic = topicOf(name, output);
  for (const message of published)
    if (message.topic === topic && !byId.has(message.attributes['id']!))
      byId.set(message.attributes['id']!, decodeValue(JSON.parse(message.data)) as Seen);
  return [...byId.values()];
}

/** What the pipeline itself has published. */
export function unwatched(published: readonly OutsideMessage[]): OutsideMessage[] {
  const byId = new Map<string, OutsideMessage>();
  for (const message of published)
    if (!message.topic.startsWith(TOPIC)) byId.set(`${message.topic} ${message.attributes['id']}`, message);
  return [...byId.values()];
}

/** Whether a node of a watched pipeline is one that watches. */
export function isWatcher(node: Node): boolean {
  return node.kind === 'writePubSub' && node.topic.startsWith(TOPIC);
}

function watcher(ref: Ref): WritePubSubNode {
  return {
    kind: 'writePubSub',
    name: `${ref.node.name}~${ref.output}`,
    inputs: [ref],
    topic: topicOf(ref.node.name, ref.output),
    message: (value, { timestamp, window, pane }) => ({
      data: { value: carried(value), timestamp, window, pane },
      attributes: {},
    }),
  };
}

/** What fused steps hand to one another need not be anything that could be stored. */
function carried(value: unknown): unknown {
  try {
    encodeValue(value);
    return value;
  } catch {
    return String(value);
  }
}

function isRead({ node, output }: Ref, { nodes }: Graph): boolean {
  return nodes.some(({ inputs }) => inputs.some((input) => input.node === node && input.output === output));
}

function topicOf(name: string, output: string): string {
  return `${TOPIC}${name}~${output}`;
}
