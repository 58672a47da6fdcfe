/**
 * What a pipeline is: nodes and the references between them. Invariant: a graph is immutable once built, acyclic by
 * construction (a node refers only to nodes made before it), and its node names are unique.
 */
import type { CombineFn } from './combine.ts';
import type { DoFn, ElementContext } from './dofn.ts';
import type { Key } from './key.ts';
import type { ModelAddress } from './models.ts';
import type { RetryPolicy } from './retry.ts';
import type { Schema, Source } from './source.ts';
import type { AnyStatefulDoFn } from './stateful.ts';
import type { Column } from './table.ts';
import type { Millis } from './time.ts';
import type { LookUpCache, LookUpClient } from './transforms/look-up.ts';
import type { WindowFn } from './windows.ts';
import type { WindowingStrategy } from './windowing.ts';

export const MAIN_OUTPUT = 'main';
/** The output of grouping steps to which elements go that come too late. */
export const LATE_OUTPUT = 'late';

/** One output of a node. */
export interface Ref {
  readonly node: Node;
  readonly output: string;
}

interface NodeBase {
  readonly name: string;
  readonly inputs: readonly Ref[];
}

export interface SourceNode extends NodeBase {
  readonly kind: 'source';
  readonly source: Source;
}
export interface MapNode extends NodeBase {
  readonly kind: 'map';
  readonly fn: (value: unknown, context: ElementContext) => unknown;
}
export interface FlatMapNode extends NodeBase {
  readonly kind: 'flatMap';
  readonly fn: (value: unknown, context: ElementContext) => Iterable<unknown>;
}
export interface FilterNode extends NodeBase {
  readonly kind: 'filter';
  readonly fn: (value: unknown, context: ElementContext) => boolean;
}
export interface ParDoNode extends NodeBase {
  readonly kind: 'parDo';
  /** Makes the DoFn of one chain of fused steps. */
  readonly makeDoFn: () => DoFn<unknown, unknown>;
  readonly outputs: readonly string[];
  /** How much earlier than its input an output may be, in milliseconds. */
  readonly allowedSkew: number;
}
export interface PartitionNode extends NodeBase {
  readonly kind: 'partition';
  readonly count: number;
  readonly fn: (value: unknown, context: ElementContext) => number;
}
export interface WindowNode extends NodeBase {
  readonly kind: 'window';
  readonly windowFn: WindowFn;
}
export interface FlattenNode extends NodeBase {
  readonly kind: 'flatten';
}
/** Groups or combines by key and window. */
export interface ReduceNode extends NodeBase {
  readonly kind: 'reduce';
  readonly strategy: WindowingStrategy;
  readonly combine: CombineFn<unknown, unknown, unknown>;
  /** Whether the combine may be applied to parts of a bundle at the sender. */
  readonly liftable: boolean;
}
/** What readers see of a view. `signal` has no content: it says only that its windows have closed. */
export type ViewShape = 'singleton' | 'list' | 'iterable' | 'map' | 'multimap' | 'signal';
/** Keeps a collection as a whole, for other steps to read. */
export interface ViewNode extends NodeBase {
  readonly kind: 'view';
  readonly shape: ViewShape;
  readonly strategy: WindowingStrategy;
  /** What a singleton's empty window shows. */
  readonly fallback: { readonly value: unknown } | undefined;
  readonly maxBytes: number;
  readonly changeAtMostEvery: Millis;
  readonly refreshEvery: Millis | undefined;
}
export interface SideInput {
  /** As the step's code calls it. */
  readonly name: string;
  readonly view: ViewNode;
}
/** A DoFn that reads views. Its elements may have to wait for them, so it stands at the head of a stage. */
export interface SideParDoNode extends NodeBase {
  readonly kind: 'sideParDo';
  readonly makeDoFn: () => DoFn<unknown, unknown>;
  readonly outputs: readonly string[];
  readonly allowedSkew: number;
  readonly sides: readonly SideInput[];
  /** Whether elements have keys, and go to the shards of their keys. */
  readonly keyed: boolean;
  /** Of its input: how long after its end a window may still bring elements. */
  readonly allowedLateness: Millis;
}
/** The author's code with state and timers. */
export interface StatefulNode extends NodeBase {
  readonly kind: 'stateful';
  readonly strategy: WindowingStrategy;
  /** Makes the DoFn of one shard. */
  readonly makeDoFn: () => AnyStatefulDoFn;
  readonly outputs: readonly string[];
  readonly allowedSkew: number;
  readonly retry: RetryPolicy | undefined;
  readonly timeSorted: boolean;
  /** Ready for each element that comes: its input is a `sideParDo` that waits for them. */
  readonly sides: readonly SideInput[];
}
/** Lets the first element of each key and window pass. */
export interface DeduplicateNode extends NodeBase {
  readonly kind: 'deduplicate';
  readonly strategy: WindowingStrategy;
  readonly by: (value: unknown, context: ElementContext) => unknown;
  readonly horizon: Millis;
  /** On which clock the horizon runs. */
  readonly clock: 'event' | 'processing';
}
/** Sends elements to shards and on, unchanged. */
export interface ReshuffleNode extends NodeBase {
  readonly kind: 'reshuffle';
  /** Whether elements have keys, and go to the shards of their keys. */
  readonly keyed: boolean;
}
/** Asks a store outside for what belongs to each element. */
export interface LookUpNode extends NodeBase {
  readonly kind: 'lookUp';
  readonly key: (value: unknown, context: ElementContext) => Key;
  readonly makeClient: () => LookUpClient<Key, unknown> | Promise<LookUpClient<Key, unknown>>;
  readonly schema: Schema<unknown> | undefined;
  /** Keys asked for at once. */
  readonly batch: number;
  readonly cache: LookUpCache;
}
/** Shows elements to a model, in batches. */
export interface EnrichNode extends NodeBase {
  readonly kind: 'enrich';
  readonly model: ModelAddress;
  readonly instance: (value: unknown, context: ElementContext) => unknown;
  readonly prediction: Schema<unknown>;
  readonly output: (value: unknown, prediction: unknown, context: ElementContext) => unknown;
  /** Whether the author's code may look at windows, so that elements of several are told apart. */
  readonly looksAtWindows: boolean;
  readonly requestsPerMinute: number;
  readonly batch: EnrichBatch;
  /** How answers are used again for equal instances. */
  readonly cache: { readonly keepFor: Millis; readonly entries: number } | undefined;
  readonly timeout: Millis;
  readonly giveUpAfter: Millis;
  readonly price: { readonly request: number; readonly instance: number; readonly thousandTokens: number };
}
/** What one request holds at most, and how long an element waits for others. */
export interface EnrichBatch {
  readonly instances: number;
  readonly bytes: number;
  readonly tokens: number;
  readonly wait: Millis;
}
export interface WriteBigQueryNode extends NodeBase {
  readonly kind: 'writeBigQuery';
  readonly table: string;
  readonly columns: readonly Column[];
  readonly key: readonly string[];
  readonly partitionBy: string | undefined;
  readonly clusterBy: readonly string[];
  readonly row: (value: unknown, context: ElementContext) => Readonly<Record<string, unknown>>;
  readonly flush: { readonly rows: number; readonly bytes: number; readonly every: number };
}
export interface WritePubSubNode extends NodeBase {
  readonly kind: 'writePubSub';
  readonly topic: string;
  readonly message: (
    value: unknown,
    context: ElementContext,
  ) => { data: unknown; attributes: Readonly<Record<string, string>> };
}

export type Node =
  | SourceNode
  | MapNode
  | FlatMapNode
  | FilterNode
  | ParDoNode
  | PartitionNode
  | WindowNode
  | FlattenNode
  | ReduceNode
  | ViewNode
  | LookUpNode
  | SideParDoNode
  | StatefulNode
  | DeduplicateNode
  | ReshuffleNode
  | EnrichNode
  | WriteBigQueryNode
  | WritePubSubNode;

/** The views that a node reads. */
export function sidesOf(node: Node): readonly SideInput[] {
  return node.kind === 'sideParDo' || node.kind === 'stateful' ? node.sides : [];
}

/** Whether a source's author names no times: its records count as of when they were published, or read. */
export function isTimeless(node: Node): boolean {
  return node.kind === 'source' && node.source.eventTime === undefined && node.source.arrivalTime === undefined;
}

/** A finished pipeline. */
export interface Graph {
  readonly name: string;
  /** In the order in which they were made, which is topological. */
  readonly nodes: readonly Node[];
}
