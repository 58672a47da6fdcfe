/** Faults in asking a model. */
import type { Mutation } from './mutation.ts';

export const ENRICH_MUTATIONS: readonly Mutation[] = [
  {
    name: 'two instances ask for the same batch',
    file: 'functions/engine/enrich/claiming.ts',
    from: 'return current === undefined ? due <= now : current.lease <= now;',
    to: 'return due <= now || current !== undefined;',
  },
  {
    name: 'a claim of the model that is lost is never taken over',
    file: 'functions/engine/enrich/claiming.ts',
    from: 'return current === undefined ? due <= now : current.lease <= now;',
    to: 'return current === undefined && due <= now;',
  },
  {
    name: 'requests cost no tokens',
    file: 'functions/engine/enrich/token-bucket.ts',
    from: 'return { ...bucket, tokens: bucket.tokens - tokens };',
    to: 'return { ...bucket, tokens: bucket.tokens };',
  },
  {
    name: 'a bucket saves up without an end',
    file: 'functions/engine/enrich/token-bucket.ts',
    from: 'const tokens = Math.min(burst(full), bucket.tokens + (passed * bucket.rate) / MINUTE);',
    to: 'const tokens = bucket.tokens + (passed * bucket.rate * 20) / MINUTE;',
  },
  {
    name: 'a result that comes too late is taken',
    file: 'functions/engine/enrich/settling.ts',
    from: 'const batch = state.batches.find(({ number, claim }) => number === ended.batch && claim?.id === ended.claim);',
    to: 'const batch = state.batches.find(({ number }) => number === ended.batch) ?? ({ pieces: [], count: 0 } as unknown as Batch);',
  },
  {
    name: 'half of a batch that was refused is forgotten',
    file: 'functions/engine/enrich/settling.ts',
    from: 'half(state.batch + 2, second, batch.count - middle)]',
    to: 'half(state.batch + 2, first, middle)]',
  },
  {
    name: 'answers in part are taken as they are',
    file: 'functions/engine/enrich/model-call.ts',
    from: 'if (predictions.length === instances.length) return',
    to: 'if (predictions.length > 0) return',
  },
  {
    name: 'what waits for a model holds no watermark',
    file: 'functions/engine/enrich/keep-state.ts',
    from: 'moveHolds(draft.holds, holdsOf(before), holdsOf(state));',
    to: '',
  },
  {
    name: 'runs are deleted while a batch needs them',
    file: 'functions/engine/enrich/enrich-turns.ts',
    from: '.filter((run) => !isNeeded(after, run))',
    to: '',
  },
  {
    name: 'runs of a model are never deleted',
    file: 'functions/engine/enrich/enrich-turns.ts',
    from: '.filter((run) => !isNeeded(after, run))',
    to: '.filter((run) => run < 0)',
  },
  {
    name: 'what is with a model holds no watermark',
    file: 'functions/engine/enrich/enrich-state.ts',
    from: 'return [...waiting, ...batches].map(({ earliest }) => earliest);',
    to: 'return [...waiting].map(({ earliest }) => earliest);',
  },
  {
    name: 'an answer is remembered for another question',
    file: 'functions/engine/enrich/instance.ts',
    from: `hash: hash('sha256', text, 'base64'), bytes`,
    to: `hash: 'same', bytes`,
  },
  {
    name: 'elements of a run are read one too far',
    file: 'functions/engine/enrich/run-memory.ts',
    from: 'this.#runs.get(run)!.slice(from, to));',
    to: 'this.#runs.get(run)!.slice(from, to + 1));',
  },
  {
    name: 'what waits for a model holds as its last element',
    file: 'functions/engine/enrich/enrich-work.ts',
    from: 'earliest = earlier(earliest, pending[to]!.element.timestamp);',
    to: 'earliest = pending[to]!.element.timestamp;',
  },
  {
    name: 'an answer that is kept is that of the question before',
    file: 'functions/engine/enrich/answer-cache.ts',
    from: 'this.#answers.set(hash, { answer, at });',
    to: 'for (const known of [hash, ...this.#answers.keys()]) this.#answers.set(known, { answer, at });',
  },
  {
    name: 'an element on its way to a model holds nothing',
    file: 'functions/engine/enrich/enrich-outlet.ts',
    from: 'text, earliest: element.timestamp, count: 1 });',
    to: 'text, earliest: 8.64e15 as typeof element.timestamp, count: 1 });',
  },
  {
    name: 'what a model said is given to another element',
    file: 'functions/engine/enrich/enriched.ts',
    from: 'return { ...element, value: node.output(element.value, prediction, contextOf(element)) };',
    to: 'return { ...element, value: node.output({ ...(element.value as object), token: element.timestamp }, prediction, contextOf(element)) };',
  },
];
