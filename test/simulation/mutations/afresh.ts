/** Faults in how a drained pipeline is started afresh. */
import type { Mutation } from './mutation.ts';

const FRESH_START = 'functions/operate/fresh-start.ts';

export const AFRESH_MUTATIONS: readonly Mutation[] = [
  {
    name: 'who stood still goes on with a fresh start that is over',
    file: FRESH_START,
    from: 'await store.commit({ preconditions: [underWay], sets: [], deletes });',
    to: 'await store.commit({ preconditions: [], sets: [], deletes });',
  },
  {
    name: 'the ids that a quiet shard keeps are never forgotten in the next epoch',
    file: FRESH_START,
    from: '{ ids: root.ids, processingDue: root.processingDue }',
    to: '{ ids: root.ids }',
  },
  {
    name: 'an instance takes what an earlier epoch has sent',
    file: 'functions/engine/protocol/epochs.ts',
    from: 'return sent === own;',
    to: 'return sent <= own;',
  },
  {
    name: 'an ingest instance of an earlier epoch begins a root',
    file: 'functions/engine/control.ts',
    from: 'stored.body.epoch > epoch)',
    to: 'stored.body.epoch > epoch + 1)',
  },
  {
    name: 'epochs publish their watermarks in the same place',
    file: 'functions/engine/pipeline-document.ts',
    from: 'return epoch === 1 ?',
    to: 'return epoch >= 1 ?',
  },
  {
    name: 'panes of a later epoch are no newer than those before',
    file: 'functions/engine/sink/rows.ts',
    from: "row['pane_epoch'] = replay?.epoch ?? epoch;",
    to: "row['pane_epoch'] = replay?.epoch ?? Math.min(1, epoch);",
  },
  {
    name: 'a view of a file is not read in the next epoch',
    file: 'functions/engine/views/tidings.ts',
    from: 'return isLoadMissing(head, state, passed) || (state.claim',
    to: 'return (state.claim',
  },
];
