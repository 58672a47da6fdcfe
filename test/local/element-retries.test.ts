/** What fails behind a file and is worth trying again is tried again by the run itself. */
import { describe, expect, it } from 'vitest';
import { PoisonError, RetryableError } from '../../functions/index.ts';
import type { PCollection } from '../../functions/model/collection.ts';
import { pipeline } from '../../functions/model/pipeline.ts';
import { runEmbedded } from './run-embedded.ts';

/** Runs numbers through steps; gives what came out and what failed. */
async function through(numbers: readonly number[], build: (numbers: PCollection<number>) => PCollection<unknown>) {
  const graph = pipeline('numbers', (p) => {
    const read = p.readFile<number>('numbers', { schema: { parse: Number }, eventTime: (value) => value });
    build(read).writePubSub('out', { data: String });
  });
  const { published, letters } = await runEmbedded(graph, { numbers });
  return {
    out: published.map(({ data }) => data),
    failed: letters.map(({ step, code, attempts, message }) => ({ step, code, attempts, message })),
  };
}

/** Counts calls for each value, and throws where it is told to. */
function failing(error: (value: number, call: number) => Error | undefined) {
  const calls = new Map<number, number>();
  const step = (value: number): number => {
    const call = (calls.get(value) ?? 0) + 1;
    calls.set(value, call);
    const thrown = error(value, call);
    if (thrown !== undefined) throw thrown;
    return value * 10;
  };
  return { calls, step };
}

const down = () => new RetryableError('the server is down');

describe('a step behind a file that throws a RetryableError', () => {
  it('gets its element again until it succeeds, and the others once', async () => {
    const { calls, step } = failing((value, call) => (value === 2 && call < 4 ? down() : undefined));
    const { out, failed } = await through([1, 2, 3], (read) => read.map('ask', step));
    expect([...out].sort()).toEqual(['10', '20', '30']);
    expect(failed).toEqual([]);
    expect([...calls]).toEqual([
      [1, 1],
      [2, 4],
      [3, 1],
    ]);
  });

  it('makes a dead letter that says how often it was tried', async () => {
    const { calls, step } = failing((value) => (value === 2 ? down() : undefined));
    const { out, failed } = await through([1, 2], (read) => read.map('ask', step));
    expect(out).toEqual(['10']);
    expect(failed).toEqual([{ step: 'ask', code: 'RETRYABLE', attempts: 5, message: 'the server is down' }]);
    expect(calls.get(2)).toBe(5);
  });

  it('is counted by itself where an element fails in several steps', async () => {
    const first = failing((_, call) => (call < 3 ? down() : undefined));
    const second = failing(() => down());
    const { failed } = await through([1], (read) => read.map('first', first.step).map('second', second.step));
    expect(failed).toEqual([{ step: 'second', code: 'RETRYABLE', attempts: 5, message: 'the server is down' }]);
    expect([first.calls.get(1), second.calls.get(10)]).toEqual([3, 5]);
  });

  it('may be a DoFn whose process is async, and each of its outputs comes once', async () => {
    const { step } = failing((_, call) => (call < 2 ? down() : undefined));
    const { out } = await through([1, 2], (read) =>
      read.parDo<number>('ask', {
        async process(value, { output }) {
          output(value);
          output(step(value));
        },
      }),
    );
    expect([...out].sort()).toEqual(['1', '10', '2', '20']);
  });
});

describe('what is not worth it', () => {
  it.each([new PoisonError('bad'), new Error('broken'), new TypeError('no function')])(
    'fails at once: %s',
    async (error) => {
      const { calls, step } = failing(() => error);
      const { failed } = await through([1], (read) => read.map('ask', step));
      expect(failed).toMatchObject([{ step: 'ask', attempts: 1 }]);
      expect(calls.get(1)).toBe(1);
    },
  );

  it('is what fails otherwise the next time, and says how often it was tried', async () => {
    const { step } = failing((_, call) => (call === 1 ? down() : new Error('it never was there')));
    const { failed } = await through([1], (read) => read.map('ask', step));
    expect(failed).toMatchObject([{ step: 'ask', attempts: 2, message: 'it never was there' }]);
  });
});
