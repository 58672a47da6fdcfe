/**
 * What one bundle (or one element of it, run alone) has produced so far. Appending one output to another is how work
 * that may fail is kept apart until it has succeeded.
 */
import type { EpochMillis } from '../../model/time.ts';
import type { Element } from '../element.ts';
import type { ShardId } from '../protocol/names.ts';
import { OutputWeight } from './output-weight.ts';

/** An encoded element for a shard. */
export interface Outgoing {
  readonly target: ShardId;
  readonly text: string;
  /** No element in it has an earlier timestamp. */
  readonly earliest: EpochMillis;
  /** How many elements it stands for. */
  readonly count: number;
}

/** A message for a topic outside. */
export interface Outside {
  readonly step: string;
  readonly topic: string;
  readonly data: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** As what an element came to a head. */
export interface Received {
  readonly inlet: number;
  /** The value is an accumulator of several elements. */
  readonly lifted: boolean;
  /** How many elements it stands for. */
  readonly count: number;
  /** The largest timestamp of those. */
  readonly latest: EpochMillis;
}

/** User code that failed on an element for good. */
export interface StepFailure {
  readonly step: string;
  readonly element: Element;
  readonly error: unknown;
  /** Where the step is a head. Absent: as a single element. */
  readonly received?: Received;
  /** How often it was tried. Default 1. */
  readonly attempts?: number;
}

export class BundleOutput {
  readonly outgoing: Outgoing[] = [];
  readonly outside: Outside[] = [];
  readonly failures: StepFailure[] = [];
  readonly weight = new OutputWeight(this);

  append(other: BundleOutput): void {
    for (const item of other.outgoing) this.outgoing.push(item);
    for (const item of other.outside) this.outside.push(item);
    for (const item of other.failures) this.failures.push(item);
  }
}
