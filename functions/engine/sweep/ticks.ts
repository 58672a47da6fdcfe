import { type EpochMillis, later, MIN_TIMESTAMP } from '../../model/time.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Tick } from '../../ports/bus.ts';
import { isShardRoot, type RootId, shardId } from '../protocol/names.ts';
import { hasDueTimers, type Root, type SettledFacts } from '../protocol/root.ts';
import type { Watermarks } from '../protocol/watermarks.ts';
import { SETTLE_AFTER } from '../shard/tick-facts.ts';
import { ViewTidings } from '../views/tidings.ts';

/** A tick for each shard that has something due, something to drop, a sender to forget, or news of a view. */
export function ticksFor(
  plan: Plan,
  roots: ReadonlyMap<RootId, Root>,
  settled: ReadonlyMap<RootId, SettledFacts>,
  watermarks: Watermarks,
  now: EpochMillis,
): Tick[] {
  const ticks: Tick[] = [];
  const tidings = new ViewTidings(plan, roots, watermarks);
  for (const stage of plan.stages) {
    const inputWatermark = watermarks.input[stage.id] ?? MIN_TIMESTAMP;
    const outputWatermark = watermarks.output[stage.id] ?? MIN_TIMESTAMP;
    for (let shard = 0; shard < stage.shards; shard++) {
      const target = shardId(stage.id, shard);
      const root = roots.get(target);
      if (root === undefined) {
        if (tidings.hasToBegin(stage)) ticks.push(firstTick(target, tidings.of(stage)!, now));
        continue;
      }
      const facts = settled.get(target);
      const gone = Object.keys(root.done).filter((sender) => !roots.has(sender) && !isShardRoot(sender));
      const due = hasDueTimers(root, inputWatermark, later(now, root.processingTime));
      const views = tidings.of(stage);
      const news = views !== undefined && tidings.areNews(stage, root, now);
      // An idle shard's own: what it has published for topics outside is dropped from its outbox by its next commit.
      const published = root.outside.some(({ born }) => now - born >= SETTLE_AFTER);
      if (!due && facts === undefined && gone.length === 0 && !news && !published) continue;
      const watermarksHere = { inputWatermark, outputWatermark };
      const told = views === undefined ? {} : { views };
      ticks.push({ kind: 'tick', target, ...watermarksHere, processingTime: now, settled: facts ?? {}, gone, ...told });
    }
  }
  return ticks;
}

/** For a shard without a root that has to begin by itself, which no element will make it do. */
function firstTick(target: string, views: NonNullable<Tick['views']>, processingTime: EpochMillis): Tick {
  const watermarks = { inputWatermark: MIN_TIMESTAMP, outputWatermark: MIN_TIMESTAMP };
  return { kind: 'tick', target, ...watermarks, processingTime, settled: {}, gone: [], views };
}
