/**
 * Puts a stage's shards together from the engine's parts: the same whether a pipeline runs embedded or in functions.
 */
import { LATE_OUTPUT } from '../model/graph.ts';
import type { Plan, Stage } from '../plan/plan.ts';
import type { Warehouse } from '../ports/warehouse.ts';
import type { Chain } from './chain/chain.ts';
import { chainOf } from './chain/stage-chain.ts';
import { shardId } from './protocol/names.ts';
import { CellWork } from './shard/cell-work.ts';
import { ReduceProgram } from './shard/reduce-program.ts';
import { Shard, type ShardSetting } from './shard/shard.ts';
import { Flusher } from './sink/flusher.ts';
import type { FlushPolicy } from './sink/sink-state.ts';
import { SinkWork } from './sink/sink-work.ts';

export interface AssemblySetting extends ShardSetting {
  readonly warehouse: Warehouse;
  /** Grows with every fresh start or drain; see `FlusherSetting`. */
  readonly epoch: number;
  /** Replaces a table's own flush policy; absent: as its author says. */
  readonly flushPolicy?: (own: FlushPolicy) => FlushPolicy;
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

export type AssembledShard = KeyedShard | SinkShard;

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
  const chain = chainOf(plan, stage, setting.inputWatermarkOf);
  const readsLate = plan.consumers({ node: head, output: LATE_OUTPUT }).length > 0;
  const work = new CellWork(new ReduceProgram(head), chain, readsLate, setting.store);
  return { kind: 'keyed', shard: new Shard(id, setting, work), chain };
}
