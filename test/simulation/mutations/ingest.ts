/** Faults in how messages are taken in, told from their repetitions, and their instances retired. */
import type { Mutation } from './mutation.ts';

export const INGEST_MUTATIONS: readonly Mutation[] = [
  {
    name: 'ids are forgotten at once',
    file: 'functions/engine/ids/id-index.ts',
    from: 'if (known !== undefined) {',
    to: "if (known !== undefined && kept === '') {",
  },
  {
    name: 'ids are not written',
    file: 'functions/engine/ids/id-index.ts',
    from: 'const { documents, characters } = this.#writer.finish();',
    to: 'const { characters } = this.#writer.finish(); const documents: Document[] = [];',
  },
  {
    name: 'the horizon of ids runs from their own time',
    file: 'functions/engine/ids/id-state.ts',
    from: 'return plus(span.written, rules.get(span.source)?.horizon ?? 0);',
    to: 'return plus(span.from, (rules.get(span.source)?.horizon ?? 0) / 1000);',
  },
  {
    name: 'ids are kept for ever',
    file: 'functions/engine/ids/id-state.ts',
    from: 'return plus(span.written, rules.get(span.source)?.horizon ?? 0);',
    to: 'return 8.64e15 as EpochMillis;',
  },
  {
    name: 'the name of a root is used again',
    file: 'functions/engine/ingest/instance-root.ts',
    from: 'ingestRootId(this.#source, ids.unique())',
    to: "ingestRootId(this.#source, 'again')",
  },
  {
    name: 'a root is retired while something of it is not taken',
    file: 'functions/engine/sweep/retire.ts',
    from: 'return open.every((range) => covers(done, range.from, range.to));',
    to: 'return open.length === 0 || done !== undefined;',
  },
  {
    name: 'done ranges are dropped while their sender lives',
    file: 'functions/engine/sweep/ticks.ts',
    from: 'const gone = Object.keys(root.done).filter((sender) => !roots.has(sender) && !isShardRoot(sender));',
    to: 'const gone = Object.keys(root.done).filter((sender) => !isShardRoot(sender));',
  },
  {
    name: 'a sender that is not known is believed to exist',
    file: 'functions/engine/shard/shard.ts',
    from: 'const gone = strangers.filter((_, i) => roots[i] === undefined);',
    to: 'const gone: string[] = [];',
  },
  {
    name: 'the watermark does not wait for the backlog',
    file: 'functions/engine/ingest/source-watermark.ts',
    from: 'return { horizon: plus(sampledAt, -oldestUnackedAge), emptyAt: empty ? sampledAt : undefined };',
    to: 'return { horizon: sampledAt, emptyAt: empty ? sampledAt : undefined };',
  },
  {
    name: 'an idle source forgets how far it is out of order',
    file: 'functions/engine/ingest/source-watermark.ts',
    from: 'later(seen, plus(counted, -policy.delay))',
    to: 'later(seen, counted)',
  },
  {
    name: 'the backlog is sampled after the snapshot',
    file: 'functions/engine/sweep/sweeper.ts',
    from: 'const { roots } = snapshot;',
    to: 'const { roots } = snapshot; for (const [source, sample] of await takeSamples(plan, this.#setting.backlog)) (samples as Map<string, unknown>).set(source, sample);',
  },
  {
    name: 'a dead letter of a message is written each time that it comes',
    file: 'functions/engine/ingest/message-bundle.ts',
    from: 'letterPlace(place, message.id), rawRecord(message), error',
    to: 'letterPlace(place, message.id + place.unique), rawRecord(message), error',
  },
  {
    name: 'a message is acknowledged though it was not committed',
    file: 'functions/engine/ingest/message-ingest.ts',
    from: 'for (const { reject } of waiting) reject(error);',
    to: 'for (const { resolve } of waiting) resolve();',
  },
  {
    name: 'a slice counts before it is over',
    file: 'functions/engine/ingest/publish-slices.ts',
    from: 'for (const slice of slices) if (slice.to <= counted) largest = later(largest, slice.largest);',
    to: 'for (const slice of slices) largest = later(largest, slice.largest);',
  },
  {
    name: 'the identity of an element has its time in it',
    file: 'functions/engine/ids/element-id.ts',
    from: `return match === null ? id : \`\${match[2]!.slice(1)}~\${id.slice(match[0].length)}\`;`,
    to: 'return id + Math.abs(id.length % 2) + Math.random();',
  },
  {
    name: 'what was taken in is a dead letter when its answers were lost',
    file: 'functions/engine/ids/fate.ts',
    from: 'if (others.length > 0) await lookAmongIds(store, others);',
    to: '',
  },
  {
    name: 'an element that is spread anew holds nothing',
    file: 'functions/engine/reshuffle/reshuffle-outlet.ts',
    from: '{ target, text, earliest: element.timestamp, count: 1 }',
    to: '{ target, text, earliest: 8.64e15 as typeof element.timestamp, count: 1 }',
  },
];
