/** What every command's --json prints, to the letter: a field more or less fails. */
import { z } from 'zod';

const instant = z.int();
const moment = z.union([instant, z.enum(['beginning', 'end'])]);
const maybe = instant.nullable();
const span = z.number().min(0).nullable();
const count = z.int().min(0);

const counters = z.strictObject({
  calls: count,
  instances: count,
  cached: count,
  throttled: count,
  retries: count,
  halved: count,
  dead: count,
  millis: z.number(),
  tokens: count,
  cost: z.number(),
});

export const STATUS = z.strictObject({
  pipeline: z.string(),
  now: instant,
  topology: z.int().nullable(),
  epoch: z.int().nullable(),
  lastSweep: maybe,
  drainingSince: maybe,
  sources: z.array(
    z.strictObject({
      id: z.string(),
      reader: z.string(),
      watermark: moment,
      lag: span,
      roots: count,
      lastRead: maybe,
      deadLetters: count,
    }),
  ),
  stages: z.array(
    z.strictObject({
      id: z.string(),
      kind: z.string(),
      shards: count,
      inputWatermark: moment,
      outputWatermark: moment,
      lag: span,
      movedAt: maybe,
      backlog: z.strictObject({ envelopes: count, oldest: maybe }),
      cells: count,
      due: count,
      holds: z.strictObject({ count, earliest: maybe, key: z.string().nullable() }),
      parked: count,
      pausedSince: maybe,
      pauseStep: z.enum(['pausing', 'resuming']).nullable(),
      model: z.strictObject({ calling: count, waiting: count, rate: z.number().nullable(), counters }).nullable(),
      rows: z.strictObject({ waiting: count, flushing: z.boolean(), since: maybe }).nullable(),
      deadLetters: count,
      counts: z.strictObject({
        elements: count,
        duplicates: count,
        late: count,
        deadLetters: count,
        panes: z.strictObject({ EARLY: count, ON_TIME: count, LATE: count }),
      }),
    }),
  ),
  deadLetters: count,
  lateRecords: count,
});

export const WHY = z.strictObject({
  stage: z.string(),
  outputWatermark: moment,
  path: z.array(z.string()).min(1),
  culprit: z.strictObject({
    kind: z.enum(['pause', 'envelope', 'key', 'window', 'timer', 'view', 'retry', 'batch', 'source', 'nothing']),
    where: z.string(),
    root: z.string().optional(),
    name: z.string().optional(),
    what: z.string().optional(),
    at: moment,
    since: instant.optional(),
    sentence: z.string(),
  }),
});

const windows = z.array(z.strictObject({ start: instant, end: instant }));

export const LETTER = z.strictObject({
  id: z.string(),
  kind: z.enum(['element', 'firing', 'source', 'late', 'row']),
  stage: z.string(),
  step: z.string(),
  code: z.string(),
  errorClass: z.string(),
  message: z.string(),
  stack: z.string().optional(),
  answer: z.unknown().optional(),
  key: z.unknown().optional(),
  value: z.unknown(),
  timestamp: instant.optional(),
  windows: windows.optional(),
  pane: z.looseObject({ timing: z.string(), index: count }).optional(),
  received: z.strictObject({ inlet: count, lifted: z.boolean(), count, latest: instant }).optional(),
  timer: z.unknown().optional(),
  arrival: instant.optional(),
  attributes: z.record(z.string(), z.string()).optional(),
  unparsed: z.boolean().optional(),
  watermark: instant.optional(),
  count,
  messageId: z.string().optional(),
  elementId: z.string().optional(),
  attempts: count,
  firstFailedAt: instant,
  failedAt: instant,
  generation: count,
  origin: z.string(),
  version: z.string(),
  status: z.enum(['dead', 'replayed', 'discarded']),
  ended: z.strictObject({ at: instant, by: z.string() }).optional(),
});

export const LETTERS = z.strictObject({
  pipeline: z.string(),
  total: count,
  causes: z.array(
    z.strictObject({
      stage: z.string(),
      step: z.string(),
      kind: z.string(),
      code: z.string(),
      cause: z.string(),
      letters: count,
      elements: count,
      first: instant,
      last: instant,
      example: z.string(),
    }),
  ),
  letters: z.array(LETTER),
});

export const REPLAY = z.strictObject({
  pipeline: z.string(),
  dryRun: z.boolean(),
  replayed: count,
  failed: count,
  skipped: count,
  late: count,
  unknown: z.array(z.string()),
  outcomes: z.array(
    z.discriminatedUnion('outcome', [
      z.strictObject({ outcome: z.literal('replayed'), id: z.string(), sent: count, late: count }),
      z.strictObject({
        outcome: z.literal('failed'),
        id: z.string(),
        sent: count,
        late: count,
        next: z.array(z.string()),
        reason: z.string(),
      }),
      z.strictObject({ outcome: z.literal('skipped'), id: z.string(), reason: z.string() }),
    ]),
  ),
});

export const DISCARD = z.strictObject({
  pipeline: z.string(),
  discarded: count,
  outcomes: z.array(z.strictObject({ id: z.string(), outcome: z.enum(['discarded', 'skipped']) })),
});

export const STATE = z.strictObject({
  stage: z.string(),
  shard: z.string(),
  key: z.unknown(),
  hold: maybe,
  holders: z.array(z.strictObject({ kind: z.string(), at: instant, what: z.string() })).nullable(),
  eventDue: maybe,
  processingDue: maybe,
  state: z.string(),
});

export const TIMERS = z.strictObject({
  stage: z.string(),
  timers: z.array(
    z.strictObject({ shard: z.string(), key: z.unknown(), clock: z.enum(['event', 'processing']), at: instant }),
  ),
});

const batches = z.array(
  z.strictObject({
    stage: z.string(),
    shard: z.string(),
    kind: z.enum(['table', 'model']),
    state: z.enum(['waiting', 'under way', 'parked']),
    count,
    since: maybe,
    until: maybe,
    reason: z.string().nullable(),
  }),
);

export const BATCHES = z.strictObject({ pipeline: z.string(), batches });
export const FLUSHED = z.strictObject({ pipeline: z.string(), before: batches, after: batches });

export const DOCTOR = z.strictObject({
  pipeline: z.string(),
  diagnoses: z.array(
    z.strictObject({
      check: z.string(),
      severity: z.enum(['ok', 'unknown', 'warning', 'error']),
      sentence: z.string(),
      remedies: z.array(z.string()),
    }),
  ),
});

export const PAUSED = z.strictObject({ pipeline: z.string(), stage: z.string(), paused: z.boolean() });

export const RUN = z.strictObject({
  pipeline: z.string(),
  events: count,
  panes: z.strictObject({ EARLY: count, ON_TIME: count, LATE: count }),
  late: count,
  deadLettered: count,
  seconds: z.number(),
  eventsPerSecond: z.number().nullable(),
});

export const RESTARTED = z.strictObject({ pipeline: z.string(), topology: z.int(), epoch: z.int() });

export const DRAIN = z.strictObject({
  pipeline: z.string(),
  drained: z.boolean(),
  open: z.array(z.string()),
  cells: count,
  envelopes: count,
  rows: count,
  messages: count,
});

/** Of `admit --deployed`. */
export const ORDERS = z.strictObject({ pipeline: z.string(), paused: z.array(z.string()), drainingSince: maybe });
