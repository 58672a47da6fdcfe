/** Builds the chain of fused steps behind a source or a stage's head. */
import type { EpochMillis } from '../../model/time.ts';
import { mayLift, outputsOf, type Plan, type PlannedSource, type Stage } from '../../plan/plan.ts';
import { DeduplicateOutlet } from '../deduplicate/deduplicate-outlet.ts';
import { EnrichOutlet } from '../enrich/enrich-outlet.ts';
import { ReshuffleOutlet } from '../reshuffle/reshuffle-outlet.ts';
import { SinkOutlet } from '../sink/sink-outlet.ts';
import { Chain, type OutletFactory } from './chain.ts';
import type { SideValues } from '../views/side-values.ts';
import { ValueOutlet, ViewOutlet } from '../views/outlets.ts';
import { LiftingOutlet } from './lifting-outlet.ts';
import { PlainOutlet, ShardChooser } from './outlet.ts';

/**
 * @param inputWatermarkOf the newest published input watermark of a stage, as known here
 * @param sides what its views show, of a stage whose head reads them; the head is the chain's first step then
 */
export function chainOf(
  plan: Plan,
  sender: Stage | PlannedSource,
  inputWatermarkOf: (stage: string) => EpochMillis,
  sides?: SideValues,
): Chain {
  const node = 'head' in sender ? sender.head : sender.node;
  if (node.kind === 'sideParDo' && sides !== undefined)
    return new Chain(plan, [], outletsOf(plan, sender, inputWatermarkOf), undefined, { node, sides });
  return new Chain(
    plan,
    outputsOf(node).map((output) => ({ node, output })),
    outletsOf(plan, sender, inputWatermarkOf),
  );
}

/** @param sender undefined (a replay): nothing is combined before it is sent */
export function outletsOf(
  plan: Plan,
  sender: Stage | PlannedSource | undefined,
  inputWatermarkOf: (stage: string) => EpochMillis,
): OutletFactory {
  return (head, inlet, output) => {
    if (head.kind === 'writeBigQuery') return new SinkOutlet(head, output);
    const shards = new ShardChooser(head.name, plan.stage(head.name).shards);
    if (head.kind === 'view') return new ViewOutlet(head, output);
    if (head.kind === 'sideParDo') return new ValueOutlet(head, shards, output);
    if (head.kind === 'deduplicate') return new DeduplicateOutlet(head, shards, output);
    if (head.kind === 'enrich') return new EnrichOutlet(head, shards, output);
    if (head.kind === 'reshuffle') return new ReshuffleOutlet(head, shards, output);
    if (sender === undefined || !mayLift(sender, head)) return new PlainOutlet(inlet, shards, output);
    const { combine, strategy } = head;
    const inputWatermark = (): EpochMillis => inputWatermarkOf(head.name);
    return new LiftingOutlet(
      inlet,
      shards,
      { combine, allowedLateness: strategy.allowedLateness, inputWatermark },
      output,
    );
  };
}
