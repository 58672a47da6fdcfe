/** Faults in how watermarks are computed, published and adopted. */
import type { Mutation } from './mutation.ts';

export const WATERMARK_MUTATIONS: readonly Mutation[] = [
  {
    name: 'the watermark does not look at open ranges',
    file: 'functions/engine/protocol/watermarks.ts',
    from: 'let watermark: EpochMillis = inFlight.get(stage.id) ?? MAX_TIMESTAMP;',
    to: 'let watermark: EpochMillis = MAX_TIMESTAMP;',
  },
  {
    name: 'holds are dropped',
    file: 'functions/engine/protocol/watermarks.ts',
    from: 'output[stage.id] = earlier(watermark, held.get(stage.id) ?? MAX_TIMESTAMP);',
    to: 'output[stage.id] = watermark;',
  },
  {
    name: 'open ranges instead of the smaller of them and the stage before',
    file: 'functions/engine/protocol/watermarks.ts',
    from: 'for (const upstream of stage.inputs) watermark',
    to: 'if (!inFlight.has(stage.id)) for (const upstream of stage.inputs) watermark',
  },
  {
    name: 'a stored watermark is mixed into an older snapshot',
    file: 'functions/engine/protocol/watermarks.ts',
    from: 'const output: Record<string, EpochMillis> = { ...sources };',
    to: 'const output: Record<string, EpochMillis> = { ...sources }; const mixed = globalThis as unknown as { stored?: Record<string, EpochMillis> }; mixed.stored ??= {}; for (const source in sources) output[source] = mixed.stored[source] = later(mixed.stored[source] ?? MIN_TIMESTAMP, sources[source]!);',
  },
  {
    name: 'the watermark of a source forgets how far it is out of order',
    file: 'functions/engine/ingest/split-reader.ts',
    from: 'return plus(largest, -policy.delay);',
    to: 'return largest;',
  },
  {
    name: 'maxAhead is ignored',
    file: 'functions/engine/ingest/source-decoder.ts',
    from: 'advances: earlier(timestamp, plus(arrival, source.maxAhead))',
    to: 'advances: timestamp',
  },
  {
    name: 'a shard’s processing time steps back',
    file: 'functions/engine/shard/shard.ts',
    from: 'draft.processingTime = later(draft.processingTime, this.#setting.clock.now());',
    to: 'draft.processingTime = this.#setting.clock.now();',
  },
  {
    name: 'nothing holds for an empty pane on time',
    file: 'functions/engine/shard/reduce-program.ts',
    from: 'this.#reduction.timerHold()',
    to: 'undefined as EpochMillis | undefined',
  },
  {
    name: 'an element is late one instant too soon',
    file: 'functions/engine/reduce/key-reduction.ts',
    from: 'return expiryOf(window, this.#spec.strategy) < context.inputWatermark;',
    to: 'return expiryOf(window, this.#spec.strategy) <= context.inputWatermark;',
  },
];
