/**
 * The shape of what a pipeline stores: what must stay the same for a new version to go on with the state of an old one.
 * Invariant: equal shapes read each other's cells, roots and rows; where they differ, `misfits` says in words what does not.
 */
import type { StatefulNode } from '../model/graph.ts';
import type { StateSpecs } from '../model/state.ts';
import { describeTrigger } from '../model/triggers.ts';
import type { WindowingStrategy } from '../model/windowing.ts';
import { describeWindows } from '../model/windowing.ts';
import type { HeadNode, Plan } from './plan.ts';

export interface StoredStage {
  readonly id: string;
  /** What its head does. */
  readonly kind: string;
  readonly shards: number;
  /** May change: no state moves. */
  readonly slots: number;
  /** The stages and sources that send to it. */
  readonly inputs: readonly string[];
  /** What its cells depend on, by name: windows, trigger, state, key of the table … Values are for people and for comparing. */
  readonly holds: Readonly<Record<string, string>>;
}

/** Plain JSON; stored in the pipeline's control documents. */
export interface StoredShape {
  readonly pipeline: string;
  readonly sources: readonly { readonly id: string; readonly reader: string }[];
  /** In topological order. */
  readonly stages: readonly StoredStage[];
}

export function storedShape(plan: Plan): StoredShape {
  return {
    pipeline: plan.pipeline,
    sources: plan.sources.map(({ id, reader }) => ({ id, reader })),
    stages: plan.stages.map(({ id, head, shards, slots, inputs }) => ({
      id,
      kind: head.kind,
      shards,
      slots,
      inputs,
      holds: holdsOf(head),
    })),
  };
}

/** What in `next` cannot go on with the state of `stored`, a sentence each. Stages and sources that are new fit. */
export function misfits(stored: StoredShape, next: StoredShape): string[] {
  const problems: string[] = [];
  for (const stage of stored.stages) {
    const now = next.stages.find(({ id }) => id === stage.id);
    if (now === undefined) problems.push(`stage '${stage.id}' (${stage.kind}) is gone, and with it its state`);
    else problems.push(...stageMisfits(stage, now));
  }
  for (const source of stored.sources) {
    const now = next.sources.find(({ id }) => id === source.id);
    if (now === undefined) problems.push(`source '${source.id}' is gone; its watermark would never move again`);
    else if (now.reader !== source.reader)
      problems.push(`source '${source.id}' was read as ${source.reader} and is read as ${now.reader}`);
  }
  return problems;
}

export function sameShape(a: StoredShape, b: StoredShape): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function stageMisfits(stored: StoredStage, next: StoredStage): string[] {
  const { id } = stored;
  if (stored.kind !== next.kind) return [`stage '${id}' was ${stored.kind} and is ${next.kind}`];
  const problems: string[] = [];
  if (stored.shards !== next.shards)
    problems.push(
      `stage '${id}' had ${stored.shards} shards and has ${next.shards}; the number is fixed for a pipeline's life`,
    );
  for (const what in stored.holds) {
    const was = stored.holds[what]!;
    const is = next.holds[what];
    if (is === undefined) problems.push(`stage '${id}': ${what} (${was}) is gone`);
    else if (is !== was) problems.push(`stage '${id}': ${what} was ${was} and is ${is}`);
  }
  return problems;
}

function holdsOf(head: HeadNode): Record<string, string> {
  switch (head.kind) {
    case 'reduce':
      return windowing(head.strategy);
    case 'view':
      return { ...windowing(head.strategy), shape: head.shape };
    case 'sideParDo':
      return { 'side inputs': head.sides.map(({ view }) => view.name).join(', '), keyed: String(head.keyed) };
    case 'stateful':
      return { windows: describeWindows(head.strategy.windowFn), ...statesOf(head) };
    case 'deduplicate':
      return { windows: describeWindows(head.strategy.windowFn), clock: head.clock };
    case 'writeBigQuery':
      return { table: head.table, key: head.key.join(', ') || 'none' };
    default:
      return {};
  }
}

/** New states may come; one that is stored keeps its kind. */
function statesOf(head: StatefulNode): Record<string, string> {
  const states: StateSpecs = head.makeDoFn().state ?? {};
  return Object.fromEntries(Object.entries(states).map(([id, { kind }]) => [`state.${id}`, kind]));
}

/** Lateness and empty panes may change: cells do not depend on them. */
function windowing({ windowFn, trigger, accumulation, timestampCombiner }: WindowingStrategy): Record<string, string> {
  return {
    windows: describeWindows(windowFn),
    trigger: describeTrigger(trigger),
    accumulation,
    'timestamp combiner': timestampCombiner,
  };
}
