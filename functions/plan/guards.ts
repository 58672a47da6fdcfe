/**
 * A source that delivers at least once must not reach an effect before its repetitions are told apart. Stages that keep a
 * cell for each key do so themselves; before all others that it reaches, the plan puts a reshuffle by id.
 */
import { type Graph, MAIN_OUTPUT, type Node, type Ref, type ReshuffleNode } from '../model/graph.ts';
import type { Consumer } from './plan.ts';

/** Heads that leave out repetitions by their ids. */
const TAKES_IDS: ReadonlySet<Node['kind']> = new Set(['reduce', 'stateful', 'deduplicate', 'reshuffle', 'enrich']);

type Find = (ref: Ref) => readonly Consumer[];

/** What the plan needs to know of nodes. */
export interface NodeFacts {
  readonly isHead: (node: Node) => boolean;
  readonly outputsOf: (node: Node) => readonly string[];
}

export interface Guarded {
  /** With the guards, each before what it guards. */
  readonly graph: Graph;
  /** Who reads an output of a node; where there is a guard, it reads instead of what it guards. */
  readonly find: Find;
}

/**
 * @param sources those that deliver at least once, and whose elements shall count once
 * @param find who reads an output of a node
 */
export function withGuards(graph: Graph, sources: readonly Node[], find: Find, facts: NodeFacts): Guarded {
  const { isHead, outputsOf } = facts;
  const names = new Set(graph.nodes.map(({ name }) => name));
  const guards = new Map<string, ReshuffleNode>();
  const guarded = new Map<Node, Consumer>();
  const seen = new Set<Node>();
  const visit = (node: Node): void => {
    if (seen.has(node)) return;
    seen.add(node);
    for (const output of outputsOf(node))
      for (const consumer of find({ node, output })) {
        if (needsGuard(consumer.node, isHead)) guard({ node, output }, consumer);
        else if (!isHead(consumer.node)) visit(consumer.node);
      }
  };
  const guard = (ref: Ref, consumer: Consumer): void => {
    const name = freeName(`${consumer.node.name}-once`, names);
    const node: ReshuffleNode = { kind: 'reshuffle', name, inputs: [ref], keyed: false };
    guards.set(placeOf(ref, consumer), node);
    guarded.set(node, consumer);
  };
  for (const source of sources) visit(source);
  if (guards.size === 0) return { graph, find };
  const before = (node: Node): Node[] => [...guarded].filter(([, to]) => to.node === node).map(([guard]) => guard);
  const nodes = graph.nodes.flatMap((node) => [...before(node), node]);
  const findGuarded: Find = (ref) => {
    const behind = guarded.get(ref.node);
    if (behind !== undefined) return ref.output === MAIN_OUTPUT ? [behind] : [];
    return find(ref).map((consumer) => {
      const node = guards.get(placeOf(ref, consumer));
      return node === undefined ? consumer : { node, input: 0 };
    });
  };
  return { graph: { ...graph, nodes }, find: findGuarded };
}

function needsGuard(node: Node, isHead: (node: Node) => boolean): boolean {
  // What a look-up answers changes with time, so a repetition could take another way.
  return node.kind === 'writePubSub' || node.kind === 'lookUp' || (isHead(node) && !TAKES_IDS.has(node.kind));
}

/** The names of nodes are unique, and hold no blanks. */
function placeOf({ node, output }: Ref, consumer: Consumer): string {
  return `${node.name} ${output} ${consumer.node.name} ${consumer.input}`;
}

function freeName(wanted: string, names: Set<string>): string {
  let name = wanted;
  for (let i = 2; names.has(name); i++) name = `${wanted}-${i}`;
  names.add(name);
  return name;
}
