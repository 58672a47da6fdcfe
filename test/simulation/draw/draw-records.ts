import type { Flaw, PipelineSpec, RecordSpec } from '../scenario.ts';
import type { Random } from '../world/random.ts';

const FLAWS: readonly Flaw[] = ['decode', 'step', 'add', 'model'];

/** A publisher gives up sooner than ids are forgotten. */
const MOST_REPUBLISHING = 30_000;

/**
 * Draws what the sources deliver: times that are out of order, now and then more than was promised, or in the future.
 * @param isFlawed whether something is to be wrong with some of them in any case
 */
export function drawRecords(random: Random, pipeline: PipelineSpec, start: number, isFlawed: boolean): RecordSpec[] {
  const count = random.pick([6, 12, 30]);
  const pace = random.spread(100, 5_000);
  const tardy = random.chance(0.5) ? random.pick([0.02, 0.2]) : 0;
  const ahead = random.chance(0.2) ? 0.05 : 0;
  const flawed = isFlawed || random.chance(0.3) ? 0.1 : 0;
  // At the bounds of windows and sessions everything is decided by one millisecond.
  const grid = random.chance(0.3) ? 500 : 1;
  const records: RecordSpec[] = [];
  let now = start;
  for (let i = 0; i < count; i++) {
    now += random.next() * 2 * pace;
    const source = random.whole(0, pipeline.sources.length - 1);
    const spec = pipeline.sources[source]!;
    const { delay, maxAhead } = spec;
    // What is in time is never older than the newest that came before it, less the delay: so it is drawn from there.
    let at = now - random.next() * (delay ?? 60_000);
    if (random.chance(tardy)) at -= random.spread(1_000, 200_000);
    if (random.chance(ahead)) at = now + maxAhead + random.spread(1, 3_600_000);
    const flaw = random.chance(flawed) ? random.pick(FLAWS) : undefined;
    records.push({
      source,
      split: spec.kind === 'splits' ? random.whole(0, spec.splits - 1) : 0,
      id: `r${i}`,
      key: random.pick(['a', 'b', 'c', 'd', 'e', 'f', 'g']),
      at: Math.ceil(at / grid) * grid,
      arrival: Math.round(now),
      ...(flaw === undefined ? {} : { flaw }),
      // What cannot be read has no name by which its repetition is known.
      ...(spec.kind === 'messages' && spec.named && flaw !== 'decode' && random.chance(0.1)
        ? { publishedAgain: Math.round(now + random.spread(100, MOST_REPUBLISHING)) }
        : {}),
    });
  }
  return records;
}
