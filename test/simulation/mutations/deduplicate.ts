/** Faults in letting the first of each pass. */
import type { Mutation } from './mutation.ts';

export const DEDUPLICATE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'what was seen is not written',
    file: 'functions/engine/deduplicate/seen-index.ts',
    from: `const number = this.#writer.add('', slice.from, fingerprint);`,
    to: 'const number = 1;',
  },
  {
    name: 'what was seen is not read again',
    file: 'functions/engine/deduplicate/seen-index.ts',
    from: 'for (const fingerprint of fingerprints) bySlice.get(from)?.seen.add(wordsOf(fingerprint));',
    to: '',
  },
  {
    name: 'what was seen is forgotten at once',
    file: 'functions/engine/deduplicate/seen-index.ts',
    from: 'return plus(from, this.#length + this.#horizon);',
    to: 'return from;',
  },
  {
    name: 'what was seen is never forgotten',
    file: 'functions/engine/deduplicate/seen-index.ts',
    from: 'return plus(from, this.#length + this.#horizon);',
    to: 'return MAX_TIMESTAMP;',
  },
  {
    name: 'a fingerprint is told by its first word alone',
    file: 'functions/engine/deduplicate/fingerprint-set.ts',
    from: 'words[word] = bytes.readUInt32LE(4 * word);',
    to: 'words[word] = word === 0 ? bytes.readUInt32LE(0) % 3 : 1;',
  },
  {
    name: 'windows are not told apart',
    file: 'functions/engine/deduplicate/deduplicate-work.ts',
    from: 'const identity = isGlobal ? keyText :',
    to: `const identity = isGlobal || keyText !== '' ? keyText :`,
  },
  {
    name: 'equal elements go to different shards',
    file: 'functions/engine/deduplicate/deduplicate-outlet.ts',
    from: 'const target = this.#shards.of(by);',
    to: 'const target = this.#shards.of(by + timestamp);',
  },
];
