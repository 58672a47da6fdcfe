/**
 * Which ids a shard remembers, and where: what its root keeps of them. All functions are pure.
 *
 * Invariants: every id that is remembered lies in the span that its source and time fall into, and in one of that span's
 * documents; a document is deleted in the commit that drops the last span that names it; a span is dropped when its
 * horizon has passed since the last commit that took an id of it, new or again, however old the times in it are, and the source cannot deliver
 * any message of it again.
 */
import { type EpochMillis, earlier, later, type Millis, plus } from '../../model/time.ts';

/** Ids of one source whose times lie in `[from, to)`. */
export interface IdSpan {
  readonly source: string;
  readonly from: EpochMillis;
  readonly to: EpochMillis;
  /** Processing time of the last commit that added to it, or met an id of it again. */
  readonly written: EpochMillis;
  /** The documents `first..last` hold its ids, and possibly those of other spans. */
  readonly first: number;
  readonly last: number;
}

export interface IdState {
  readonly spans: readonly IdSpan[];
  /** The number of the last document. */
  readonly documents: number;
}

export const NO_IDS: IdState = { spans: [], documents: 0 };

/** How the ids of one source are remembered. */
export interface IdRule {
  /** For so long after the last commit that took an id of a span, new or again. */
  readonly horizon: Millis;
  /**
   * What their times are. `publishTime`: a message's own, the same for each of its deliveries. `eventTime`: the same for all
   * messages that an author gives one id. `publishTimes`: an author gives ids and no event times, so that the messages of
   * one id have times of their own, and are looked for in all spans.
   */
  readonly by: 'publishTime' | 'eventTime' | 'publishTimes';
}

/** By source; the sources that a stage is the first to take elements of by their ids. */
export type IdRules = ReadonlyMap<string, IdRule>;

/** How many spans a root keeps; beyond it the neighbours that together are shortest are joined. */
export const MAX_SPANS = 48;

/** The slice into which a time falls. A span begins as one slice. */
export function sliceOf({ horizon }: IdRule, time: EpochMillis): { from: EpochMillis; to: EpochMillis } {
  const length = Math.max(60_000, Math.ceil(horizon / 12));
  const from = (Math.floor(time / length) * length) as EpochMillis;
  return { from, to: plus(from, length) };
}

/** Which two spans to join next, as places in a list in order of source and time; undefined when they are few enough. */
export function closestSpans(spans: readonly IdSpan[]): number | undefined {
  if (spans.length <= MAX_SPANS) return undefined;
  let best: number | undefined;
  let shortest = Number.POSITIVE_INFINITY;
  for (let i = 0; i + 1 < spans.length; i++) {
    const [a, b] = [spans[i]!, spans[i + 1]!];
    if (a.source !== b.source || b.to - a.from >= shortest) continue;
    best = i;
    shortest = b.to - a.from;
  }
  return best;
}

export function joinedSpans(a: IdSpan, b: IdSpan): IdSpan {
  return {
    source: a.source,
    from: earlier(a.from, b.from),
    to: later(a.to, b.to),
    written: later(a.written, b.written),
    first: Math.min(a.first, b.first),
    last: Math.max(a.last, b.last),
  };
}

/** When a span is forgotten, as far as time alone decides. */
export function expiryOf(span: IdSpan, rules: IdRules): EpochMillis {
  return plus(span.written, rules.get(span.source)?.horizon ?? 0);
}

/**
 * The source's horizon at which it cannot deliver a message of the span again: all that was published before it was taken
 * in and acknowledged. Messages of ids by event time were published before they were taken.
 */
export function lastPublished(span: IdSpan, { by }: IdRule): EpochMillis {
  return by === 'eventTime' ? span.written : span.to;
}

/** What lies in the documents `first..last`. */
type InDocuments = Pick<IdSpan, 'first' | 'last'>;

/** The documents of a span that no other span names, in order. */
export function documentsOnlyIn({ first, last }: InDocuments, others: readonly InDocuments[]): number[] {
  const numbers: number[] = [];
  for (let document = first; document <= last; document++)
    if (!others.some((other) => other.first <= document && document <= other.last)) numbers.push(document);
  return numbers;
}

/** The order in which a root lists spans. */
export function bySourceAndTime(a: IdSpan, b: IdSpan): number {
  if (a.source !== b.source) return a.source < b.source ? -1 : 1;
  return a.from - b.from;
}
