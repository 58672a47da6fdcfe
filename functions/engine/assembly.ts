/**
 * Puts a stage's shards together from the engine's parts: the same whether a pipeline runs embedded or in functions.
 */
import { ConfigurationError } from '../model/errors.ts';
import { type EnrichNode, LATE_OUTPUT, type SideParDoNode, type StatefulNode, type ViewNode } from '../model/graph.ts';
import { describeModel } from '../model/models.ts';
import type { Plan, Stage } from '../plan/plan.ts';
import type { Predictor } from '../ports/predictor.ts';
import type { Store } from '../ports/store.ts';
import type { Warehouse } from '../ports/warehouse.ts';
import type { Chain } from './chain/chain.ts';
import { chainOf } from './chain/stage-chain.ts';
import { DeduplicateWork } from './deduplicate/deduplicate-work.ts';
import { EnrichCaller } from './enrich/caller.ts';
import { EnrichWork } from './enrich/enrich-work.ts';
import { idRulesOf } from './ids/id-rules.ts';
import { type ShardId, shardId } from './protocol/names.ts';
import { ReshuffleWork } from './reshuffle/reshuffle-work.ts';
import type { CellProgram } from './shard/cell.ts';
import type { CellLimits } from './shard/cell-limits.ts';
import { CellWork } from './shard/cell-work.ts';
import { ReduceProgram } from './shard/reduce-program.ts';
import { Shard } from './shard/shard.ts';
import { Flusher } from './sink/flusher.ts';
import type { FlushPolicy } from './sink/sink-state.ts';
import { SinkWork } from './sink/sink-work.ts';
import { CellSides } from './stateful/cell-sides.ts';
import { StatefulProgram } from './stateful/stateful-program.ts';
import { BundleSides } from './views/bundle-sides.ts';
import { type OpenSource, ViewLoader } from './views/loader.ts';
import { type PublisherSetting, ViewPublisher } from './views/publisher.ts';
import { SideWork } from './views/side-work.ts';
import { ViewReader } from './views/view-reader.ts';
import { ViewWork } from './views/view-work.ts';

export interface AssemblySetting extends PublisherSetting {
  readonly warehouse: Warehouse;
  /** Grows with every fresh start or drain; see `FlusherSetting`. */
  readonly epoch: number;
  /** Replaces a table's own flush policy; absent: as its author says. */
  readonly flushPolicy?: (own: FlushPolicy) => FlushPolicy;
  /** Asks models; needed where the pipeline has any. */
  readonly predictor?: Predictor;
  /** Whether time goes on while a call is held open; see `CallerSetting`. Default true. */
  readonly waits?: boolean;
  /** Reads views, for all shards of the process, so that each view is in memory once. Absent: one for each shard. */
  readonly views?: ViewReader;
  /** Opens the sources of views that refresh. Needed where there are any. */
  readonly openSource?: OpenSource;
  /** How much of a key lies in its cell. Default: the engine's own limits. */
  readonly cellLimits?: CellLimits;
}

/** A shard that keeps a cell for each key. */
export interface KeyedShard {
  readonly kind: 'keyed';
  readonly shard: Shard;
  /** Its fused steps; whoever owns the shard sets them up and tears them down. */
  readonly chain: Chain;
}

/** The one shard of a table. */
export interface SinkShard {
  readonly kind: 'sink';
  readonly shard: Shard;
  readonly flusher: Flusher;
  readonly policy: FlushPolicy;
}

/** The one shard of a view. Whoever owns it tells the publisher of each commit. */
export interface ViewShard {
  readonly kind: 'view';
  readonly shard: Shard;
  readonly publisher: ViewPublisher;
  /** Of a view that refreshes: the steps between its source and it. */
  readonly chain?: Chain;
}

/** A shard that shows its elements to a model. Whoever owns it drives the caller when something is due. */
export interface EnrichShard {
  readonly kind: 'enrich';
  readonly shard: Shard;
  readonly chain: Chain;
  readonly caller: EnrichCaller;
}

export type AssembledShard = KeyedShard | SinkShard | ViewShard | EnrichShard;

/** @param number which of the stage's shards, from 0 */
export function assembleShard(plan: Plan, stage: Stage, number: number, setting: AssemblySetting): AssembledShard {
  const id = shardId(stage.id, number);
  const { head } = stage;
  if (head.kind === 'writeBigQuery') {
    const { rows, bytes, every } = head.flush;
    const own: FlushPolicy = { rows, bytes, every };
    const policy = setting.flushPolicy?.(own) ?? own;
    const shard = new Shard(id, setting, new SinkWork(policy));
    return { kind: 'sink', shard, flusher: new Flusher(shard, head, policy, setting), policy };
  }
  if (head.kind === 'view') {
    const shard = new Shard(id, setting, new ViewWork(head));
    const loader = loaderOf(plan, stage, head, setting);
    const publisher = new ViewPublisher(shard, head, setting, loader);
    return { kind: 'view', shard, publisher, ...(loader === undefined ? {} : { chain: loader.chain }) };
  }
  if (head.kind === 'sideParDo') return assembleReader(plan, stage, head, id, setting);
  const chain = chainOf(plan, stage, setting.inputWatermarkOf);
  if (head.kind === 'enrich') return assembleEnricher(plan, stage, head, id, chain, setting);
  if (head.kind === 'reshuffle') {
    const work = new ReshuffleWork(head, chain, setting.store, idRulesOf(plan, stage));
    return { kind: 'keyed', shard: new Shard(id, setting, work), chain };
  }
  const readsLate = plan.consumers({ node: head, output: LATE_OUTPUT }).length > 0;
  if (head.kind === 'deduplicate') {
    const { store } = setting;
    const work = new DeduplicateWork({ node: head, chain, store, idRules: idRulesOf(plan, stage) });
    return { kind: 'keyed', shard: new Shard(id, setting, work), chain };
  }
  const program: CellProgram =
    head.kind === 'stateful' ? statefulProgram(plan, head, setting) : new ReduceProgram(head);
  chain.lead(program);
  const work = new CellWork(program, chain, readsLate, setting.store, idRulesOf(plan, stage), setting.cellLimits);
  return { kind: 'keyed', shard: new Shard(id, setting, work), chain };
}

function statefulProgram(plan: Plan, node: StatefulNode, { store, views }: AssemblySetting): CellProgram {
  if (node.sides.length === 0) return new StatefulProgram(node);
  return new StatefulProgram(node, new CellSides(node.sides, views ?? viewReader(plan, store)));
}

/** A shard of a stage that shows its elements to a model. */
function assembleEnricher(
  plan: Plan,
  stage: Stage,
  node: EnrichNode,
  id: ShardId,
  chain: Chain,
  setting: AssemblySetting,
): EnrichShard {
  const { store, predictor, waits = true } = setting;
  if (predictor === undefined)
    throw new ConfigurationError(
      `'${node.name}' asks ${describeModel(node.model)}, and there is nobody to ask: for runs on this machine export a model from the pipeline's module, as in export const localModel = (instance) => prediction; give tests { model }, and operators' commands --project`,
    );
  const work = new EnrichWork({ node, chain, store, ids: idRulesOf(plan, stage) });
  const shard = new Shard(id, setting, work);
  const caller = new EnrichCaller(shard, node, stage.shards, chain, work, { ...setting, predictor, waits });
  return { kind: 'enrich', shard, chain, caller };
}

/** A shard of a stage whose head reads views. */
function assembleReader(
  plan: Plan,
  stage: Stage,
  node: SideParDoNode,
  id: ShardId,
  setting: AssemblySetting,
): KeyedShard {
  const { store, inputWatermarkOf, views = viewReader(plan, store) } = setting;
  const sides = new BundleSides(node);
  const chain = chainOf(plan, stage, inputWatermarkOf, sides);
  const work = new SideWork({ node, chain, sides, views, store });
  return { kind: 'keyed', shard: new Shard(id, setting, work), chain };
}

function loaderOf(plan: Plan, { loads }: Stage, node: ViewNode, setting: AssemblySetting): ViewLoader | undefined {
  if (loads === undefined) return undefined;
  if (setting.openSource === undefined)
    throw new ConfigurationError(
      `view '${node.name}' has refreshEvery and reads '${loads.id}' again and again, which nothing here can open`,
    );
  return new ViewLoader(plan, node, loads, setting.openSource, setting);
}

/** A reader with room for all views of a pipeline. */
export function viewReader(plan: Plan, store: Store): ViewReader {
  const budgets = plan.stages.map(({ head }) => (head.kind === 'view' ? head.maxBytes : 0));
  return new ViewReader(
    store,
    budgets.reduce((sum, bytes) => sum + bytes, 0),
  );
}
