/**
 * From graph to stages. Invariant: a stage begins at a shuffle (a node whose work needs all elements of a key in one
 * place) and ends where the next ones begin; stateless steps between are fused into the stage or source before them.
 */
import { ConfigurationError } from '../model/errors.ts';
import type {
  DeduplicateNode,
  EnrichNode,
  Graph,
  Node,
  ReduceNode,
  Ref,
  ReshuffleNode,
  SideParDoNode,
  SourceNode,
  StatefulNode,
  ViewNode,
  WriteBigQueryNode,
} from '../model/graph.ts';
import { canLift } from '../model/trigger-properties.ts';
import { withGuards } from './guards.ts';
import { loadedSources } from './loads.ts';

/** Nodes that need a shuffle before them. */
export type HeadNode =
  | ReduceNode
  | ViewNode
  | SideParDoNode
  | StatefulNode
  | DeduplicateNode
  | ReshuffleNode
  | EnrichNode
  | WriteBigQueryNode;

/** Reads of one output: the node that reads it, and as which of its inputs. */
export interface Consumer {
  readonly node: Node;
  readonly input: number;
}

export interface Stage {
  /** The head's name; unique among stages and sources. */
  readonly id: string;
  readonly head: HeadNode;
  /** Fixed for a pipeline's life. */
  readonly shards: number;
  /** Where shards run; slot = shard mod slots. */
  readonly slots: number;
  /** The stages and sources that send to it. */
  readonly inputs: readonly string[];
  /** The names of the steps that are fused behind the head, in order. */
  readonly steps: readonly string[];
  /** Of a view that refreshes: the source that the stage itself reads again and again. */
  readonly loads?: PlannedSource;
}

export interface PlannedSource {
  readonly id: string;
  readonly node: SourceNode;
  /** `splits` have a position and are read once; `messages` are delivered at least once. */
  readonly reader: 'messages' | 'splits';
  readonly steps: readonly string[];
}

export interface Plan {
  readonly pipeline: string;
  readonly graph: Graph;
  readonly sources: readonly PlannedSource[];
  /** In topological order. */
  readonly stages: readonly Stage[];
  /** Who reads an output of a node. */
  consumers(ref: Ref): readonly Consumer[];
  stage(id: string): Stage;
}

export interface PlanOptions {
  /** Shards of a stage. Default 4. */
  readonly shards?: number;
  /** Slots of a stage. Default 1. */
  readonly slots?: number;
  /** Sources that are read from files by position, whatever the pipeline declares. */
  readonly files?: ReadonlySet<string>;
}

const DEFAULT_SHARDS = 4;
const MAX_SHARDS = 1_000;

/** @throws {ConfigurationError} when shards or slots are out of range, or `files` names no source */
export function plan(pipeline: Graph, options: PlanOptions = {}): Plan {
  const shards = wholeNumber('shards', options.shards ?? DEFAULT_SHARDS, MAX_SHARDS);
  const slots = wholeNumber('slots', options.slots ?? 1, shards);
  const sources = pipeline.nodes.filter((node): node is SourceNode => node.kind === 'source');
  for (const file of options.files ?? [])
    if (!sources.some((source) => source.name === file))
      throw new ConfigurationError(
        `'${file}' is no source of pipeline '${pipeline.name}'; its sources are ${sources.map((source) => source.name).join(', ')}`,
      );
  refuseTwoSinksOfOneTable(pipeline);
  const readerOf = ({ name, source }: SourceNode): PlannedSource['reader'] =>
    source.kind === 'file' || options.files?.has(name) ? 'splits' : 'messages';
  const repeating = sources.filter((node) => readerOf(node) === 'messages' && node.source.exactlyOnce);
  const consumers = consumersOf(pipeline);
  const { graph, find } = withGuards(pipeline, repeating, (ref) => consumers.get(ref.node)?.get(ref.output) ?? [], {
    isHead,
    outputsOf,
  });
  const loads = loadedSources(graph, find, isHead);
  const loaded = new Set(loads.values());
  const heads = graph.nodes.filter(isHead);
  const reached = new Map<Node, string[]>(heads.map((head) => [head, []]));
  const fused = new Map<Node, string[]>();
  for (const start of graph.nodes)
    if (start.kind === 'source' || isHead(start)) {
      const sends = start.kind !== 'source' || !loaded.has(start);
      const steps = follow(start, find, (head) => sends && reached.get(head)?.push(start.name));
      fused.set(start, steps);
    }
  const planned = (node: SourceNode): PlannedSource => ({
    id: node.name,
    node,
    reader: readerOf(node),
    steps: fused.get(node) ?? [],
  });
  const stages = heads.map((head) => ({
    id: head.name,
    head,
    shards: shardsOf(head, shards),
    slots: Math.min(slots, shardsOf(head, shards)),
    inputs: [...new Set(reached.get(head))],
    steps: fused.get(head) ?? [],
    ...(head.kind === 'view' && loads.has(head) ? { loads: planned(loads.get(head)!) } : {}),
  }));
  return {
    pipeline: graph.name,
    graph,
    stages,
    sources: sources.filter((node) => !loaded.has(node)).map(planned),
    consumers: find,
    stage: (id) => {
      const stage = stages.find((candidate) => candidate.id === id);
      if (stage === undefined)
        throw new ConfigurationError(
          `pipeline '${graph.name}' has no stage '${id}'; its stages are ${stages.map((each) => each.id).join(', ')}`,
        );
      return stage;
    },
  };
}

export function isHead(node: Node): node is HeadNode {
  return HEADS.has(node.kind);
}

const HEADS: ReadonlySet<Node['kind']> = new Set([
  'reduce',
  'view',
  'sideParDo',
  'stateful',
  'deduplicate',
  'reshuffle',
  'enrich',
  'writeBigQuery',
]);

/** Of a model's stage: batches fill where few shards gather, and one commits about 600 requests a minute with ease. */
const REQUESTS_A_SHARD = 600;

/** One flush of a table at a time is what makes MERGE safe, and a view's content has one writer: they have one shard. */
function shardsOf(head: HeadNode, shards: number): number {
  if (head.kind === 'writeBigQuery' || head.kind === 'view') return 1;
  if (head.kind === 'enrich') return head.requestsPerMinute > REQUESTS_A_SHARD ? 2 : 1;
  return shards;
}

/** Whether `producer` may combine parts of a bundle itself before it sends to `head`. */
export function mayLift(producer: Stage | PlannedSource, head: HeadNode): head is ReduceNode {
  if (head.kind !== 'reduce' || !head.liftable) return false;
  const once = 'head' in producer || producer.reader === 'splits' || !producer.node.source.exactlyOnce;
  return once && head.strategy.windowFn.kind !== 'sessions' && canLift(head.strategy.trigger);
}

function consumersOf(graph: Graph): Map<Node, Map<string, Consumer[]>> {
  const consumers = new Map<Node, Map<string, Consumer[]>>();
  for (const node of graph.nodes)
    for (const [input, ref] of node.inputs.entries()) {
      let outputs = consumers.get(ref.node);
      if (outputs === undefined) {
        outputs = new Map();
        consumers.set(ref.node, outputs);
      }
      outputs.set(ref.output, [...(outputs.get(ref.output) ?? []), { node, input }]);
    }
  return consumers;
}

/** The stateless steps behind `start`, in the graph's order; tells each head that they lead to. */
function follow(start: Node, find: (ref: Ref) => readonly Consumer[], atHead: (head: HeadNode) => unknown): string[] {
  const seen = new Set<Node>();
  const visit = (node: Node): void => {
    for (const output of outputsOf(node))
      for (const { node: next } of find({ node, output })) {
        if (isHead(next)) atHead(next);
        else if (!seen.has(next)) {
          seen.add(next);
          visit(next);
        }
      }
  };
  visit(start);
  return [...seen].map((node) => node.name);
}

/** The names of a node's outputs. */
export function outputsOf(node: Node): readonly string[] {
  switch (node.kind) {
    case 'parDo':
    case 'sideParDo':
      return ['main', ...node.outputs];
    case 'partition':
      return Array.from({ length: node.count }, (_, i) => String(i));
    case 'stateful':
      return ['main', 'late', ...node.outputs];
    case 'reduce':
      return ['main', 'late'];
    case 'view':
    case 'writeBigQuery':
    case 'writePubSub':
      return [];
    default:
      return ['main'];
  }
}

function refuseTwoSinksOfOneTable(graph: Graph): void {
  const tables = new Map<string, string>();
  for (const node of graph.nodes) {
    if (node.kind !== 'writeBigQuery') continue;
    const other = tables.get(node.table);
    if (other !== undefined)
      throw new ConfigurationError(
        `'${other}' and '${node.name}' both write table '${node.table}'; two sinks cannot keep the order of one table's panes, so flatten their inputs into one`,
      );
    tables.set(node.table, node.name);
  }
}

function wholeNumber(field: string, value: number, most: number): number {
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw new ConfigurationError(`${field}: expected a whole number from 1 to ${most}, got ${value}`);
  return value;
}
