/**
 * The backlog in memory: exact, or as late as the real one, which is looked at every so often and read only later.
 */
import { type EpochMillis, earlier, MIN_TIMESTAMP, type Millis, plus } from '../model/time.ts';
import type { Backlog, BacklogSample } from '../ports/backlog.ts';
import type { Clock } from '../ports/clock.ts';

/** Cloud Monitoring looks once a minute, and what it saw can be read two minutes later. */
export interface Lateness {
  readonly every: Millis;
  readonly delay: Millis;
}

interface SourceBacklog {
  /** Publish times of what is not acknowledged, by message id. */
  readonly outstanding: Map<string, EpochMillis>;
  /** The looks that somebody may still ask for, oldest first. */
  samples: BacklogSample[];
  lookedAt: EpochMillis;
}

export class MemoryBacklog implements Backlog {
  readonly #clock: Clock;
  readonly #lateness: Lateness | undefined;
  readonly #sources = new Map<string, SourceBacklog>();

  /** @param lateness absent: samples are exact, and taken whenever somebody asks */
  constructor(clock: Clock, lateness?: Lateness) {
    this.#clock = clock;
    this.#lateness = lateness;
  }

  /** A message waits for delivery; once more has no effect. */
  published(source: string, id: string, publishTime: EpochMillis): void {
    this.#upToNow(source).outstanding.set(id, publishTime);
  }

  acknowledged(source: string, id: string): void {
    this.#upToNow(source).outstanding.delete(id);
  }

  async sample(source: string): Promise<BacklogSample | undefined> {
    const backlog = this.#upToNow(source);
    const now = this.#clock.now();
    if (this.#lateness === undefined) return lookAt(backlog, now);
    const readable = plus(now, -this.#lateness.delay);
    return backlog.samples.findLast(({ sampledAt }) => sampledAt <= readable);
  }

  /** Takes the looks that have been due since the last change, which is to say of what did not change in between. */
  #upToNow(source: string): SourceBacklog {
    let backlog = this.#sources.get(source);
    if (backlog === undefined) {
      backlog = { outstanding: new Map(), samples: [], lookedAt: MIN_TIMESTAMP };
      this.#sources.set(source, backlog);
    }
    if (this.#lateness === undefined) return backlog;
    const { every, delay } = this.#lateness;
    const now = this.#clock.now();
    const last = (Math.floor(now / every) * every) as EpochMillis;
    const stillAsked = Math.ceil(delay / every) + 1;
    for (let i = stillAsked; i >= 0; i--) {
      const at = plus(last, -i * every);
      if (at <= backlog.lookedAt) continue;
      backlog.samples.push(lookAt(backlog, at));
      backlog.lookedAt = at;
    }
    backlog.samples = backlog.samples.slice(-stillAsked - 1);
    return backlog;
  }
}

function lookAt({ outstanding }: SourceBacklog, at: EpochMillis): BacklogSample {
  let oldest = at;
  for (const publishTime of outstanding.values()) oldest = earlier(oldest, publishTime);
  return { sampledAt: at, oldestUnackedAge: (at - oldest) as Millis, undelivered: outstanding.size };
}
