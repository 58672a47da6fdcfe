/** Faults in how envelopes are numbered, taken, kept and sent again. */
import type { Mutation } from './mutation.ts';

export const PROTOCOL_MUTATIONS: readonly Mutation[] = [
  {
    name: 'done ranges are not checked',
    file: 'functions/engine/protocol/root.ts',
    from: 'return contains(done[sender], number);',
    to: 'return false;',
  },
  {
    name: 'the root version is not checked',
    file: 'functions/engine/protocol/commit.ts',
    from: "preconditions: [{ collection: 'roots', id, version }, ...(changes.preconditions ?? [])],",
    to: 'preconditions: [...(changes.preconditions ?? [])],',
  },
  {
    name: 'the outbox is never sent again',
    file: 'functions/engine/sweep/republish.ts',
    from: 'let at = born;',
    to: 'return false; let at = born;',
  },
  {
    name: 'a range is dropped before it is settled',
    file: 'functions/engine/sweep/settle.ts',
    from: 'if (!covers(done, from, to)) continue;',
    to: '',
  },
  {
    name: 'a range counts as covered by its first number',
    file: 'functions/engine/protocol/ranges.ts',
    from: 'if (low <= from) return to <= high;',
    to: 'if (low <= from) return from <= high;',
  },
  {
    name: 'an outbox document is deleted while another target needs it',
    file: 'functions/engine/protocol/root.ts',
    from: 'if (!this.#isNamed(document)) documents.push(document);',
    to: 'documents.push(document);',
  },
  {
    name: 'an outbox document is never deleted',
    file: 'functions/engine/protocol/root.ts',
    from: 'if (!this.#isNamed(document)) documents.push(document);',
    to: '',
  },
  {
    name: 'it is published before it is committed',
    file: 'functions/engine/shard/shard.ts',
    from: 'const draft = this.#draft(memory.root, ticks);',
    to: 'const draft = this.#draft(memory.root, ticks); for (const envelope of fresh) draft.take(envelope.sender, envelope.number + 1);',
  },
  {
    name: 'numbers are given again',
    file: 'functions/engine/protocol/root.ts',
    from: 'given: this.#given ?? base.given,',
    to: 'given: base.given,',
  },
  {
    name: 'a number is taken in another commit than its elements',
    file: 'functions/engine/protocol/root.ts',
    from: 'done: this.#done ?? base.done,',
    to: 'done: base.done,',
  },
  {
    name: 'joined ranges forget the earlier timestamp',
    file: 'functions/engine/protocol/open-ranges.ts',
    from: 'earliest: earlier(first.earliest, second.earliest),',
    to: 'earliest: second.earliest,',
  },
  {
    name: 'joined ranges forget the first outbox document',
    file: 'functions/engine/protocol/open-ranges.ts',
    from: 'firstDocument: first.firstDocument,',
    to: 'firstDocument: second.firstDocument,',
  },
  {
    name: 'memory is kept after a commit that failed',
    file: 'functions/engine/shard/shard.ts',
    from: `return tryAgain(clock, ids, attempt, () => {
      this.#memory = undefined;`,
    to: 'return tryAgain(clock, ids, attempt, () => {',
  },
  {
    name: 'a mixture of two commits counts as an error of the engine',
    file: 'functions/engine/shard/shard.ts',
    from: 'if ((await this.#storedVersion()) === version) throw cause;',
    to: 'throw cause;',
  },
  {
    name: 'a split begins anew when it is taken over',
    file: 'functions/engine/ingest/split-reader.ts',
    from: 'position: before.position + taken,',
    to: 'position: taken,',
  },
  {
    name: 'what could not be published outside is left to sweeps for ever',
    file: 'functions/engine/shard/shard.ts',
    from: 'if (ticks.length > 0) await this.#publishLeft(memory.root);',
    to: '',
  },
  {
    name: 'a split forgets what it could not publish outside',
    file: 'functions/engine/ingest/split-reader.ts',
    from: 'if (this.hasOutside) this.#published',
    to: 'if (this.#version === undefined) this.#published',
  },
  {
    name: 'an instance of an older deployment goes on',
    file: 'functions/engine/protocol/commit.ts',
    from: 'if (root.topology > topology)',
    to: 'if (root.topology < 0)',
  },
  {
    name: 'an envelope is not as early as its earliest element',
    file: 'functions/engine/protocol/outbox.ts',
    from: 'parcel.earliest = earlier(parcel.earliest, earliest);',
    to: 'parcel.earliest = earliest;',
  },
  {
    name: 'an envelope counts its first element only',
    file: 'functions/engine/protocol/outbox.ts',
    from: 'parcel.count += count;',
    to: '',
  },
  {
    name: 'what is tried again is tried with what it remembered',
    file: 'functions/engine/protocol/try-again.ts',
    from: `      forget();
`,
    to: '',
  },
  {
    name: 'what was published outside is not noted',
    file: 'functions/engine/shard/tick-facts.ts',
    from: 'for (const document of this.#published) draft.published(document);',
    to: '',
  },
  {
    name: 'an element of an envelope that came again is taken',
    file: 'functions/engine/ids/open-envelopes.ts',
    from: 'const repeated = new Set(places.filter((_, i) => !isNew[i]));',
    to: 'const repeated = new Set<number>();',
  },
  {
    name: 'late elements are counted for the last bundle only',
    file: 'functions/engine/protocol/counts.ts',
    from: 'late: a.late + b.late,',
    to: 'late: b.late,',
  },
  {
    name: 'an answer of a look-up is kept for another key',
    file: 'functions/engine/chain/look-up-step.ts',
    from: 'const answer = this.#read(key, given[i]);',
    to: 'const answer = this.#read(key, given[0 * i]);',
  },
];
