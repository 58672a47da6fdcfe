/**
 * Trouble on demand: what a service does to its callers now and then, made by a seeded chance or for the next few calls.
 * Set when the server starts, and changed while it runs by `PUT /emulator/v1/troubles`.
 */
import { invalid } from './api-error.ts';

/** One kind of trouble. Both ways may be set; the counted calls come first. */
export interface Trouble {
  /** Chance of each call, 0 to 1. Default 0. */
  readonly probability?: number;
  /** So many of the next calls, each counted down. Default 0. */
  readonly next?: number;
}

export interface SlowJobs extends Trouble {
  /** How long a job of this kind takes at least, in milliseconds. Default 1000. */
  readonly delayMillis?: number;
}

export interface Troubles {
  /** The work of a jobs.insert, jobs.query or insertAll is done, then the connection drops without an answer. */
  readonly lostAnswers?: Trouble;
  /** A 503 with reason `backendError`, before anything is done. */
  readonly unavailable?: Trouble;
  /** A job fails with `jobRateLimitExceeded`, having done nothing. */
  readonly rateLimited?: Trouble;
  /** A statement that changes rows fails with "Could not serialize access". */
  readonly notSerialized?: Trouble;
  /** A job takes its time between reading and committing. */
  readonly slowJobs?: SlowJobs;
  /** Milliseconds for which rows of insertAll cannot be changed by DML. Default 1,800,000: the 30 minutes of BigQuery. */
  readonly streamingBufferMillis?: number;
  /** How often a statement that met a conflict is run again before its job fails. Default 0; BigQuery does so 3 times. */
  readonly conflictReruns?: number;
  /** DML statements that a table takes in 10 seconds; those beyond fail. Default 0: any number. BigQuery's is 25. */
  readonly dmlPerTenSeconds?: number;
}

export type TroubleKind = 'lostAnswers' | 'unavailable' | 'rateLimited' | 'notSerialized' | 'slowJobs';

const KINDS: readonly TroubleKind[] = ['lostAnswers', 'unavailable', 'rateLimited', 'notSerialized', 'slowJobs'];
const DEFAULT_BUFFER_MILLIS = 1_800_000;
const DEFAULT_DELAY_MILLIS = 1_000;

/** mulberry32: small, even enough, and the same on every machine. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function number(value: unknown, name: string, low: number, high: number): number {
  if (typeof value === 'number' && value >= low && value <= high) return value;
  throw invalid(`Expected ${name} to be a number from ${low} to ${high}, got ${JSON.stringify(value)}`);
}

function readTrouble(value: unknown, name: string): SlowJobs {
  if (typeof value !== 'object' || value === null)
    throw invalid(`Expected ${name} to be an object with probability or next, got ${JSON.stringify(value)}`);
  const source = value as Record<string, unknown>;
  for (const key of Object.keys(source)) {
    if (!['probability', 'next', ...(name === 'slowJobs' ? ['delayMillis'] : [])].includes(key))
      throw invalid(`Unknown setting ${name}.${key}`);
  }
  return {
    ...(source['probability'] !== undefined && {
      probability: number(source['probability'], `${name}.probability`, 0, 1),
    }),
    ...(source['next'] !== undefined && { next: number(source['next'], `${name}.next`, 0, 1_000_000) }),
    ...(source['delayMillis'] !== undefined && {
      delayMillis: number(source['delayMillis'], `${name}.delayMillis`, 0, 3_600_000),
    }),
  };
}

/** @throws {ApiError} naming the setting that is wrong. */
export function readTroubles(value: unknown): Troubles {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('Troubles must be an object');
  const result: Record<string, unknown> = {};
  for (const [key, given] of Object.entries(value)) {
    if ((KINDS as readonly string[]).includes(key)) result[key] = readTrouble(given, key);
    else if (key === 'streamingBufferMillis') result[key] = number(given, key, 0, 86_400_000);
    else if (key === 'conflictReruns') result[key] = number(given, key, 0, 100);
    else if (key === 'dmlPerTenSeconds') result[key] = number(given, key, 0, 1_000_000);
    else
      throw invalid(
        `Unknown trouble ${key}: ${[...KINDS, 'streamingBufferMillis', 'conflictReruns', 'dmlPerTenSeconds'].join(', ')} are known`,
      );
  }
  return result as Troubles;
}

export class TroubleMaker {
  #troubles: Troubles;
  #random: () => number;
  readonly #left = new Map<TroubleKind, number>();

  constructor(troubles: Troubles, seed: number) {
    this.#troubles = troubles;
    this.#random = randomFrom(seed);
    this.set(troubles, seed);
  }

  /** Replaces all settings; with a seed, chance begins anew. */
  set(troubles: Troubles, seed?: number): void {
    this.#troubles = troubles;
    if (seed !== undefined) this.#random = randomFrom(seed);
    this.#left.clear();
    for (const kind of KINDS) this.#left.set(kind, troubles[kind]?.next ?? 0);
  }

  /** The settings, with what is left of each count. */
  get(): Troubles {
    const counted = KINDS.filter((kind) => this.#troubles[kind]).map((kind) => [
      kind,
      { ...this.#troubles[kind], next: this.#left.get(kind) ?? 0 },
    ]);
    return { ...this.#troubles, ...Object.fromEntries(counted) };
  }

  /** Whether this call is hit. */
  strikes(kind: TroubleKind): boolean {
    const left = this.#left.get(kind) ?? 0;
    if (left > 0) {
      this.#left.set(kind, left - 1);
      return true;
    }
    const probability = this.#troubles[kind]?.probability ?? 0;
    return probability > 0 && this.#random() < probability;
  }

  /** Milliseconds by which a job is held up; 0 for most. */
  delay(): number {
    return this.strikes('slowJobs') ? (this.#troubles.slowJobs?.delayMillis ?? DEFAULT_DELAY_MILLIS) : 0;
  }

  get streamingBufferMillis(): number {
    return this.#troubles.streamingBufferMillis ?? DEFAULT_BUFFER_MILLIS;
  }

  get conflictReruns(): number {
    return this.#troubles.conflictReruns ?? 0;
  }

  get dmlPerTenSeconds(): number {
    return this.#troubles.dmlPerTenSeconds ?? 0;
  }
}
