import type { Instant } from '../../model/instant.ts';
import type { LocalModel } from '../memory-predictor.ts';

/** What goes wrong on purpose. Results must be the same with and without. */
export interface Troubles {
  /** Every message between stages comes twice. */
  readonly everyMessageTwice?: boolean;
  /** The share of messages between stages that is lost, from 0 to below 1. They are sent again a minute later. */
  readonly lost?: number;
  /** Messages come in another order. */
  readonly reordered?: boolean;
  /**
   * The process dies after each commit, before anything else of it is known, and starts anew. It survives a commit that
   * changes nothing, and one that only notes what is to be done outside it (a model to be asked, a table to be written)
   * when a process before has died over that.
   */
  readonly crashAfterCommits?: boolean;
  /** The steps before the first shuffle run twice, and what they make is compared: they must be repeatable. */
  readonly checkIngest?: boolean;
}

export interface TestOptions {
  /** Shards of each stage. Default 2. */
  readonly shards?: number;
  /** The transforms whose collections are watched, by name. Default: all; fewer are faster. */
  readonly watch?: readonly string[];
  /** When the test begins, in processing time. Default 1970-01-01T00:00Z. */
  readonly startAt?: Instant;
  readonly troubles?: Troubles;
  /** Answers in a model's place. Needed where the pipeline asks one. */
  readonly model?: LocalModel;
  /** Decides what is lost and in what order messages come. Default 1. */
  readonly seed?: number;
}
