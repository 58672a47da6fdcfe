/** What can be built but hardly is meant: said when a pipeline is planned or run, and never in the way. */
import type { EnrichNode, Node, WriteBigQueryNode } from '../model/graph.ts';
import { outputsOf, type Plan } from './plan.ts';

/** A sentence each. */
export function warningsOf(plan: Plan): string[] {
  const enriched = plan.graph.nodes.filter((node) => node.kind === 'enrich');
  return [...writesNothing(plan), ...enriched.flatMap((node) => scoredForDailyTables(plan, node))];
}

/** Steps may act on the outside by themselves, so a pipeline without a sink can be meant; as a rule one was forgotten. */
function writesNothing(plan: Plan): string[] {
  const { name, nodes } = plan.graph;
  if (nodes.some(({ kind }) => kind === 'writeBigQuery' || kind === 'writePubSub')) return [];
  const ends = nodes.filter((node) => outputsOf(node).every((output) => plan.consumers({ node, output }).length === 0));
  const names = ends.map((node) => `'${node.name}'`).join(', ');
  return [
    `pipeline '${name}' writes nothing: what ${names} gives goes nowhere, unless its code acts on the outside itself; end with writeBigQuery(…) or writePubSub(…)`,
  ];
}

/**
 * Every element goes through a model while it streams, and nobody looks at the answer before a table of days has it: scoring
 * what has landed, in batches, is cheaper.
 */
function scoredForDailyTables(plan: Plan, node: EnrichNode): string[] {
  const ends = endsBehind(plan, node);
  const tables = ends.filter((end): end is WriteBigQueryNode => end.kind === 'writeBigQuery');
  if (tables.length === 0 || tables.length < ends.length || tables.some(({ partitionBy }) => partitionBy === undefined))
    return [];
  const names = tables.map(({ table }) => `'${table}'`).join(' and ');
  return [
    `'${node.name}' shows every element to a model, and only the daily table${tables.length > 1 ? 's' : ''} ${names} read${tables.length > 1 ? '' : 's'} it; scoring new partitions after they have landed (scheduleScoring) costs less and can be done again with a newer model`,
  ];
}

/** The nodes without outputs that an element reaches, and those with outputs that nobody reads. A grouping is an end: it looks at the answer. */
function endsBehind(plan: Plan, start: Node): Node[] {
  const ends = new Set<Node>();
  const visit = (node: Node): void => {
    const readers = outputsOf(node).flatMap((output) => plan.consumers({ node, output }));
    if (node !== start && (readers.length === 0 || node.kind === 'reduce' || node.kind === 'stateful')) ends.add(node);
    else for (const { node: reader } of readers) visit(reader);
  };
  visit(start);
  return [...ends];
}
