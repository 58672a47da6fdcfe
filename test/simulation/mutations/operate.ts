/** Faults in what operators do to a pipeline that runs. */
import type { Mutation } from './mutation.ts';

export const OPERATE_MUTATIONS: readonly Mutation[] = [
  {
    name: 'two who replay a letter at once both bring it back',
    file: 'functions/operate/replay/replayer.ts',
    from: 'preconditions.push(precondition);',
    to: '',
  },
  {
    name: 'a letter that was replayed stays as it was',
    file: 'functions/operate/replay/replayer.ts',
    from: 'sets.push(document, ',
    to: 'sets.push(',
  },
  {
    name: 'what is counted is counted before it is committed',
    file: 'functions/engine/shard/shard.ts',
    from: '    const sets = [...result.sets, ...outbox.documents, ...written.flatMap(({ documents }) => documents)];',
    to: '    const sets = [...result.sets, ...outbox.documents, ...written.flatMap(({ documents }) => documents)]; this.#setting.counted?.(this.#stage, result.counts);',
  },
  {
    name: 'a table writes a run for each envelope, instead of one for each bundle',
    file: 'functions/engine/sink/sink-work.ts',
    from: 'if (waiting + envelope.body.length > MAX_RUN_CHARACTERS) close();',
    to: 'close();',
  },
];
