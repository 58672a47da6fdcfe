/** Faults in how rows reach a table. */
import type { Mutation } from './mutation.ts';

export const SINK_MUTATIONS: readonly Mutation[] = [
  {
    name: 'flush n + 1 is claimed before n is settled',
    file: 'functions/engine/sink/sink-state.ts',
    from: 'if (state.claim !== null) {',
    to: 'if (state.claim !== null && state.rows === 0) {',
  },
  {
    name: 'a lease is believed to have run out at once',
    file: 'functions/engine/sink/sink-state.ts',
    from: 'const takeOver = state.claim.owner === owner || state.claim.lease <= now;',
    to: 'const takeOver = true; state = { ...state, claim: { ...state.claim, attempt: state.claim.attempt + 1 } };',
  },
  {
    name: 'a claim of an instance that died is never taken over',
    file: 'functions/engine/sink/sink-state.ts',
    from: 'const takeOver = state.claim.owner === owner || state.claim.lease <= now;',
    to: 'const takeOver = state.claim.owner === owner;',
  },
  {
    name: 'another attempt goes under the same job id',
    file: 'functions/engine/sink/sink-state.ts',
    from: 'attempt: state.claim.attempt + 1 } };',
    to: 'attempt: state.claim.attempt } };',
  },
  {
    name: 'a job id does not say which flush it is',
    file: 'functions/engine/sink/sink-state.ts',
    from: `  attempt: number,
): string {`,
    to: `  attempt: number,
): string {
  flush = 0;`,
  },
  {
    name: 'an unknown outcome counts as done',
    file: 'functions/engine/sink/flusher.ts',
    from: "if (outcome.state !== 'unknown') return outcome;",
    to: "return outcome.state === 'unknown' ? { state: 'done', refused: [] } : outcome;",
  },
  {
    name: 'what may have been written is sent again under another job id',
    file: 'functions/engine/sink/flusher.ts',
    from: "if (outcome.state !== 'unknown') return outcome;",
    to: "return outcome.state === 'unknown' ? { ...outcome, state: 'failed', again: true } : outcome;",
  },
  {
    name: 'a row that is refused is no dead letter',
    file: 'functions/engine/sink/flusher.ts',
    from: 'letters = refused.map(',
    to: 'letters = refused.slice(1).map(',
  },
  {
    name: 'a row that is refused is not counted',
    file: 'functions/engine/sink/flusher.ts',
    from: 'deadLetters: letters.length }',
    to: 'deadLetters: 0 }',
  },
  {
    name: 'rows carry no sequence',
    file: 'functions/engine/sink/rows.ts',
    from: "row['pane_sequence'] = sequence;",
    to: "row['pane_sequence'] = 0;",
  },
  {
    name: 'of the rows of a place the oldest is written',
    file: 'functions/engine/sink/rows.ts',
    from: 'return epoch === otherEpoch ? row[0] >= other[0] : epoch > otherEpoch;',
    to: 'return epoch === otherEpoch ? row[0] < other[0] : epoch > otherEpoch;',
  },
  {
    name: 'rows of panes are told apart by their time',
    file: 'functions/engine/sink/sink-outlet.ts',
    from: 'return pane === UNGROUPED ? timestamp : pane.index;',
    to: 'return pane === UNGROUPED ? timestamp : 0;',
  },
];
