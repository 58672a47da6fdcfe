import { expect, it } from 'vitest';
import { z } from 'zod';
import { globalWindow, pipeline, RetryableError, vertexEndpoint } from '../../functions/index.ts';
import { type LocalModel, testPipeline } from '../../functions/local/testing.ts';

const words = pipeline('words', (p) => {
  p.readPubSub('words', { schema: z.string() })
    .window('ever', globalWindow())
    .enrichWithModel('length', {
      model: vertexEndpoint('lengths'),
      instance: (word) => word,
      prediction: z.number(),
      output: (word, length) => `${word} ${length}`,
      requestsPerMinute: 600,
    });
});

async function outcome(model: LocalModel): Promise<unknown> {
  const test = await testPipeline(words, { model });
  await test.send('words', 'a', 'bb');
  await test.drain();
  return { made: [...test.outputs('length')].sort(), failed: test.deadLetters().map(({ message }) => message) };
}

it('a model in this process may be async', async () => {
  expect(await outcome(async (word) => String(word).length)).toEqual({ made: ['a 1', 'bb 2'], failed: [] });
});

it('what it throws refuses the instance', async () => {
  const model: LocalModel = async (word) => {
    if (word === 'bb') throw new Error('no such word');
    return 1;
  };
  expect(await outcome(model)).toEqual({
    made: ['a 1'],
    failed: ['the model refused the instance: no such word'],
  });
});

it('a RetryableError of it is asked again, however often it takes', async () => {
  let calls = 0;
  const model: LocalModel = (word) => {
    calls += 1;
    if (calls <= 20) throw new RetryableError('overloaded');
    return String(word).length;
  };
  expect(await outcome(model)).toEqual({ made: ['a 1', 'bb 2'], failed: [] });
});

it('of a request that comes again, only the instances without an answer are asked for', async () => {
  const calls = new Map<unknown, number>();
  const model: LocalModel = async (word) => {
    calls.set(word, (calls.get(word) ?? 0) + 1);
    if (word === 'bb' && calls.get(word)! < 5) throw new RetryableError('overloaded');
    return String(word).length;
  };
  expect(await outcome(model)).toEqual({ made: ['a 1', 'bb 2'], failed: [] });
  expect(Object.fromEntries(calls)).toEqual({ a: 1, bb: 5 });
});
