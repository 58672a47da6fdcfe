/** What pipelines are written with. */
export type { CombineFn } from './model/combine.ts';
export * from './model/combine.ts';
export type { GroupedByKey, KeyedPCollection, PCollection } from './model/collection.ts';
export { waitOn } from './model/transforms/wait-on.ts';
export type { SideInputs, SingletonOptions, ViewOptions } from './model/views.ts';
export {
  type DoFn,
  type ElementContext,
  emits,
  type FinishContext,
  type OutputOptions,
  type ProcessContext,
  type SideContext,
  type SideDoFn,
  type Tag,
  tag,
} from './model/dofn.ts';
export {
  ConfigurationError,
  DecodeError,
  MillraceError,
  PoisonError,
  RetryableError,
  TooLargeError,
} from './model/errors.ts';
export type { Key, KV } from './model/key.ts';
export type { LateRecord } from './model/late.ts';
export type { PaneInfo } from './model/pane.ts';
export { type Pipeline, pipeline } from './model/pipeline.ts';
export { type Instant, utc } from './model/instant.ts';
export { boundedOutOfOrderness, monotonic, processingTime, type Schema, trustArrival } from './model/source.ts';
export type { ColumnType, RowOf } from './model/table.ts';
export type { Duration } from './model/time.ts';
export {
  afterAll,
  afterCount,
  afterEach,
  afterFirst,
  afterProcessingTime,
  afterWatermark,
  defaultTrigger,
  never,
  orFinally,
  repeatedly,
} from './model/triggers.ts';
export { fixedWindows, globalWindow, sessions, slidingWindows, type Window, type WindowFn } from './model/windows.ts';
export { embeddings, gemini, type ModelAddress, vertexEndpoint } from './model/models.ts';
export type { Readable } from './model/readable.ts';
export type { RetryOptions } from './model/retry.ts';
export {
  type BagState,
  bagState,
  type CombiningState,
  combiningState,
  type MapState,
  mapState,
  type SetState,
  setState,
  type StateOptions,
  type StateSpecs,
  type ValueState,
  valueState,
} from './model/state.ts';
export type {
  KeyedContext,
  SideStatefulContext,
  SideStatefulDoFn,
  StatefulContext,
  StatefulDoFn,
  StatefulOptions,
  TimerContext,
} from './model/stateful.ts';
export {
  eventTimer,
  eventTimerFamily,
  processingTimer,
  processingTimerFamily,
  type Timer,
  type TimerFamily,
} from './model/timers.ts';
export type { SideMap, SideMultimap, View } from './model/views.ts';
export {
  type CoGroup,
  coGroupByKey,
  fullJoin,
  innerJoin,
  type Joined,
  leftJoin,
  onlyOne,
} from './model/transforms/co-group-by-key.ts';
export { type LookedUp, lookUp, type LookUpClient, type LookUpOptions } from './model/transforms/look-up.ts';
export type { EnrichOptions } from './model/transforms/enrich.ts';
export { type ScheduledStatement, type ScoringOptions, scheduleScoring } from './model/transforms/schedule-scoring.ts';
export type { BatchOptions } from './model/transforms/batches.ts';
export type { DeduplicateOptions } from './model/transforms/deduplicate.ts';
export type { CombineOptions } from './model/transforms/fanout.ts';
