/**
 * Event time still rules: whether a window would still take what a replay brings. Judged by the watermark that goes along
 * with it, as the shard will judge it (catalogue R2).
 */
import type { Outgoing } from '../../engine/chain/bundle-output.ts';
import { decodeBody, type Incoming } from '../../engine/element-codec.ts';
import { parseShardId } from '../../engine/protocol/names.ts';
import { expiryOf } from '../../engine/reduce/spec.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Plan } from '../../plan/plan.ts';

/**
 * How many of the elements come too late for at least one of their windows.
 * @param inputWatermarkOf the watermarks that the replay sends along
 */
export function countLate(
  outgoing: readonly Outgoing[],
  plan: Plan,
  inputWatermarkOf: (stage: string) => EpochMillis,
): number {
  let late = 0;
  for (const { target, text } of outgoing) {
    const { stage } = parseShardId(target);
    const { head } = plan.stage(stage);
    if (head.kind !== 'reduce' && head.kind !== 'stateful') continue;
    const watermark = inputWatermarkOf(stage);
    for (const { windows, count } of decodeBody(`[${text}]`) as Incoming[])
      if (windows.some((window) => watermark > expiryOf(window, head.strategy))) late += count;
  }
  return late;
}
