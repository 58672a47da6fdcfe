/**
 * How far a source of messages is known to be complete. All functions are pure.
 *
 * Invariants (design: "Source watermarks"):
 * - Everything published before the horizon is in the roots that are looked at: the backlog was sampled before they were
 *   read. So whoever computes this takes the sample first and the snapshot second.
 * - Only slices count that end a slice's length before the horizon, since publishers' clock and the sample's differ.
 * - A source without messages moves on only by a sample of zero that was taken well after the last message was taken in.
 */
import type { Source, WatermarkPolicy } from '../../model/source.ts';
import { type EpochMillis, later, MIN_TIMESTAMP, type Millis, plus } from '../../model/time.ts';
import type { BacklogSample } from '../../ports/backlog.ts';
import { largestCounted, type PublishSlices } from './publish-slices.ts';

/** What one snapshot of the roots tells of a source. */
export interface SourceActivity {
  readonly slices: PublishSlices;
  /** When a message was last taken in, on the clock of who took it; `MIN_TIMESTAMP` = never. */
  readonly active: EpochMillis;
}

export interface SourceTiming {
  /** How long a publish-time slice is, and how far the clocks involved may differ. */
  readonly slice: Millis;
  /** So long after the last message a source counts as idle. */
  readonly idleAfter: Millis;
}

/** Real samples are taken once a minute. */
export const SOURCE_TIMING: SourceTiming = { slice: 10_000 as Millis, idleAfter: 60_000 as Millis };

/** What is known of a source's completeness. */
export interface SourceProgress {
  /** Everything published before is in the snapshot. */
  readonly horizon: EpochMillis;
  /** Slices that end here or before count. */
  readonly counted: EpochMillis;
  readonly watermark: EpochMillis;
}

/**
 * @param sample the newest, taken before the snapshot of `activity`
 * @param now processing time before the snapshot
 */
export function sourceProgress(
  source: Source,
  activity: SourceActivity,
  sample: BacklogSample | undefined,
  now: EpochMillis,
  timing: SourceTiming = SOURCE_TIMING,
): SourceProgress {
  const { horizon, emptyAt } = evidenceOf(source.watermark, sample, now);
  const counted = plus(horizon, -timing.slice);
  const idle = emptyAt !== undefined && plus(activity.active, timing.idleAfter) <= emptyAt;
  return { horizon, counted, watermark: watermarkOf(source, activity.slices, counted, idle, now) };
}

interface Evidence {
  readonly horizon: EpochMillis;
  /** At this time nothing was unacknowledged. */
  readonly emptyAt: EpochMillis | undefined;
}

function evidenceOf(policy: WatermarkPolicy, sample: BacklogSample | undefined, now: EpochMillis): Evidence {
  if (policy.kind === 'trustArrival') {
    const trusted = plus(now, -policy.slack);
    return { horizon: trusted, emptyAt: trusted };
  }
  if (sample === undefined) return { horizon: MIN_TIMESTAMP, emptyAt: undefined };
  const { sampledAt, oldestUnackedAge, undelivered } = sample;
  const empty = undelivered === 0 && oldestUnackedAge === 0;
  return { horizon: plus(sampledAt, -oldestUnackedAge), emptyAt: empty ? sampledAt : undefined };
}

function watermarkOf(
  source: Source,
  slices: PublishSlices,
  counted: EpochMillis,
  idle: boolean,
  now: EpochMillis,
): EpochMillis {
  const policy = source.watermark;
  switch (policy.kind) {
    case 'boundedOutOfOrderness':
    case 'trustArrival': {
      const seen = plus(largestCounted(slices, counted), -policy.delay);
      const bounded = idle && advancesWhenIdle(source) ? later(seen, plus(counted, -policy.delay)) : seen;
      const maxLag = policy.kind === 'boundedOutOfOrderness' ? policy.maxLag : undefined;
      return maxLag === undefined ? bounded : later(bounded, plus(now, -maxLag));
    }
    case 'processingTime':
      return plus(now, -policy.lag);
    case 'atEnd':
      return MIN_TIMESTAMP;
  }
}

/** A source that names its arrival times is a replay, of which the silence on the real clock says nothing. */
function advancesWhenIdle({ watermark, arrivalTime }: Source): boolean {
  const chosen = 'whenIdle' in watermark ? watermark.whenIdle : undefined;
  return (chosen ?? (arrivalTime === undefined ? 'advance' : 'wait')) === 'advance';
}
