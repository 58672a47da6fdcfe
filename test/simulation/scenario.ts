/** What one run of the simulation is about. Plain JSON, so that it can be printed, shrunk and run again. */
import type { Trigger } from '../../functions/model/triggers.ts';
import type { FaultRates } from './world/faults.ts';

export interface Scenario {
  /** Decides everything that the rest leaves open. */
  readonly seed: number;
  readonly pipeline: PipelineSpec;
  readonly records: readonly RecordSpec[];
  readonly world: WorldSpec;
  readonly faults: FaultRates;
  /** When given, no other faults happen than these occurrences, as `Faults.happened` names them. */
  readonly onlyFaults?: readonly string[];
  /** Once it is drained the pipeline is started afresh, and all is published again. Default: it is not. */
  readonly afresh?: AfreshSpec | undefined;
}

/** What a pipeline is in its second epoch. */
export interface AfreshSpec {
  readonly shards: number;
  readonly slots: number;
  /** Whether it is another pipeline then: what the first grouping does is done otherwise, and the others are gone. */
  readonly reshaped: boolean;
}

export interface PipelineSpec {
  readonly sources: readonly SourceSpec[];
  /** Each reads the panes of the one before; the first reads all sources. */
  readonly stages: readonly StageSpec[];
  readonly shards: number;
  /** A step with state and timers that reads all sources too. */
  readonly keeper?: KeeperSpec;
  readonly batches?: BatchesSpec;
  readonly side?: SideSpec;
  readonly enriched?: EnrichedSpec;
  readonly joined?: JoinedSpec;
  readonly spread?: SpreadSpec;
  readonly distinct?: DistinctSpec;
  readonly told?: ToldSpec;
  readonly stored?: StoredSpec;
  readonly refreshed?: RefreshedSpec;
}

/** Two sides, by key and window. */
export interface JoinedSpec {
  readonly windows: number;
  readonly lateness: number;
  readonly keys: number;
  readonly trigger: Trigger;
}

/** Keys that are combined in parts first. */
export interface SpreadSpec extends JoinedSpec {
  readonly fanout: number;
}

/** The first of each key and window. */
export interface DistinctSpec {
  readonly windows: number;
  readonly keys: number;
  readonly clock: 'event' | 'processing';
  /** Longer than a window, so that of each there is one. */
  readonly horizon: number;
}

/** A look-up, and a topic outside for what it finds. */
export interface ToldSpec {
  readonly keys: number;
  /** Keys of one request, at most. */
  readonly batch: number;
  /** Answers that are kept. */
  readonly entries: number;
  /** For how long. */
  readonly ttl: number;
}

/** All elements in a table of their own, which refuses some of them. */
export interface StoredSpec {
  /** Whether the table has a key; without one nothing replaces a row. */
  readonly hasKey: boolean;
  /** Every so manieth element is refused. */
  readonly refuses: number;
  readonly flushRows: number;
}

/** A view of a file that changes, shown to each element. */
export interface RefreshedSpec {
  readonly refreshEvery: number;
  /** How often the file changes, milliseconds. */
  readonly changesEvery: number;
  readonly lines: number;
}

/** A model that is asked of all elements. */
export interface EnrichedSpec {
  readonly requestsPerMinute: number;
  readonly maxInstances: number;
  /** How long an element waits for others at most. */
  readonly wait: number;
  readonly cache: boolean;
}

/** Batches of all elements. */
export interface BatchesSpec {
  readonly windows: number;
  readonly keys: number;
  readonly size: number;
  /** Absent: a batch that is not full waits for the end of its window. */
  readonly maxBuffering?: number;
  /** Over how many batches at a time a key is spread. */
  readonly spread: number;
}

/** All elements by window, shown to each of them. */
export interface SideSpec {
  readonly mainWindows: number;
  readonly sideWindows: number;
  /** In which form the window is shown. Default `singleton`: combined. */
  readonly shape?: 'singleton' | 'list' | 'iterable' | 'map' | 'multimap';
  /** When panes of a window are shown. Default: when the watermark is past it. */
  readonly panes?: { readonly trigger: Trigger; readonly accumulating: boolean; readonly lateness: number };
}

export interface KeeperSpec {
  /** The size of its windows; absent: the global one. */
  readonly windows?: number;
  readonly lateness: number;
  readonly keys: number;
  /** How long after an element its event-time timer fires; absent: it keeps elements until their window is over. */
  readonly eventDelay?: number;
  /** How long after an element its processing-time timer fires. */
  readonly processingDelay: number;
  /** Whether elements come in order of time. */
  readonly timeSorted: boolean;
  /** In which kind of state it keeps tokens. Default `bag`. */
  readonly keeps?: 'bag' | 'set' | 'map' | 'combining';
  /** How long it also keeps them in a state that forgets, until it calls them. Default: there is none. */
  readonly forgetsAfter?: number;
  /**
   * Whether it marks each element in a map, looks for the mark when it calls it, and takes it out; and says when no element
   * has come for as long as it waits to call one. Default false.
   */
  readonly marks?: boolean;
  /** Whether timers and expirations throw, some of them, until somebody replays what has failed. Default false. */
  readonly failsFirings?: boolean;
  /** The size of the windows of a view of all tokens that it reads with each element; absent: it reads none. */
  readonly sees?: number;
  /** How often it throws on every third element before it goes well; it tries more often than that. Default 0. */
  readonly throws?: number;
}

/** A source that is read by position, or one of messages that are delivered at least once. */
export type SourceSpec = SplitSourceSpec | MessageSourceSpec;

export interface SplitSourceSpec {
  readonly kind: 'splits';
  readonly name: string;
  readonly splits: number;
  /** Records are out of order by so much; `undefined` = the watermark waits for the end. */
  readonly delay?: number;
  readonly maxAhead: number;
}

export interface MessageSourceSpec {
  readonly kind: 'messages';
  readonly name: string;
  readonly delay: number;
  readonly maxAhead: number;
  /** Whether elements are identified by what is in them, or by their messages. */
  readonly named: boolean;
  /** How long ids are remembered. */
  readonly idHorizon: number;
  /** Whether the watermark goes on while no message comes. */
  readonly advancesWhenIdle: boolean;
}

export type WindowsSpec =
  | { readonly kind: 'fixed'; readonly size: number; readonly offset: number }
  | { readonly kind: 'sliding'; readonly size: number; readonly every: number }
  | { readonly kind: 'sessions'; readonly gap: number }
  | { readonly kind: 'global' };

/** A grouping by key and window, whose panes all go to a table. */
export interface StageSpec {
  readonly name: string;
  /** Absent: the windows of the stage before. */
  readonly windows?: WindowsSpec;
  readonly trigger: Trigger;
  readonly accumulating: boolean;
  readonly lateness: number;
  readonly timestamps: 'endOfWindow' | 'earliest' | 'latest';
  readonly emptyOnTime: boolean;
  readonly emptyLast: boolean;
  /** Whether parts are combined at the sender where that is legal. */
  readonly lifted: boolean;
  /** Whether late elements go to a table instead of the dead letters. */
  readonly readsLate: boolean;
  /** Whether the newest pane of each window goes to another table. */
  readonly keepsNewest: boolean;
  /** Into how many keys the stage groups. */
  readonly keys: number;
  /** How soon its tables are flushed, milliseconds. */
  readonly flushEvery: number;
  readonly flushRows: number;
}

/** What is wrong with a record: it cannot be read, a step throws on it, the combine does, or the model refuses it. */
export type Flaw = 'decode' | 'step' | 'add' | 'model';

export interface RecordSpec {
  readonly source: number;
  /** Which split it is read from; 0 for messages. */
  readonly split: number;
  readonly id: string;
  readonly key: string;
  /** Event time. */
  readonly at: number;
  /** When it can be read, or is published; processing time. */
  readonly arrival: number;
  /** When its publisher, which has heard nothing, publishes it once more, as another message. */
  readonly publishedAgain?: number;
  readonly flaw?: Flaw;
}

export interface WorldSpec {
  /** Whether one service runs all stages, or each stage has its own. */
  readonly services: 'one' | 'perStage';
  readonly slots: number;
  /** Between two sweeps, milliseconds. */
  readonly sweepEvery: number;
  /** The usual time of a call to the store, milliseconds. */
  readonly storeLatency: number;
  readonly busLatency: number;
  /** A message that is not answered for so long is delivered again. */
  readonly ackDeadline: number;
  /** How often a message is delivered at most. */
  readonly maxAttempts: number;
  /** How often a message of a source is delivered at most, before it is given up. Default: for ever. */
  readonly sourceAttempts?: number;
  /** Records of one bundle of a reader, at most. */
  readonly readBundle: number;
  /** Whether the store copies and freezes all bodies. */
  readonly strictStore: boolean;
  /** How long a publish-time slice is. */
  readonly slice: number;
  /** Between two samples of a backlog. */
  readonly sampleEvery: number;
  /** How old a sample is at most when it can first be read. */
  readonly sampleDelay: number;
  /** The roots of ingest instances that are not written for so long are retired. */
  readonly retireAfter: number;
  /** What was not taken is sent again when it is so old. */
  readonly republishAfter: number;
  /** Commits of a root under load begin no sooner than so long after one another. */
  readonly cadence: number;
  /** Faults go on for so long after the last record, milliseconds. */
  readonly stormAfter: number;
  /** Whether cells are small: little outgrows them, in small pieces. Default false. */
  readonly smallCells?: boolean;
  /** When an operator drains the pipeline, milliseconds from the beginning; absent: when all was read. */
  readonly drainAt?: number;
}

/** Where virtual time begins: 2020-09-13T12:26:40Z. */
export const START = 1_600_000_000_000;
