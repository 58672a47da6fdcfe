import { expect, it } from 'vitest';
import { z } from 'zod';
import type { PCollection } from '../../functions/index.ts';
import { pipeline } from '../../functions/index.ts';
import { testPipeline } from '../../functions/local/testing.ts';

/** Why an element failed, of which a step has made something else than it says. */
async function failure(use: (words: PCollection<string>) => void): Promise<string[]> {
  const test = await testPipeline(pipeline('test', (p) => use(p.readPubSub('words', { schema: z.string() }))));
  await test.send('words', 'ab');
  await test.drain();
  return test.deadLetters().map(({ message }) => message);
}

it.each([
  ['the letters of a text', (word: string): unknown => word, 'ab'],
  ['an object', () => ({ a: 1 }), '[object Object]'],
  ['nothing', () => undefined, 'undefined'],
])('flatMap takes %s for no list of outputs', async (_, made, named) => {
  expect(await failure((words) => words.flatMap('split', made as () => string[]))).toEqual([
    `flatMap 'split': expected a list of outputs, got ${named}`,
  ]);
});

it('a row that is none is named as it is', async () => {
  const row = (() => null) as unknown as () => { word: string };
  expect(await failure((words) => words.writeBigQuery('out', { columns: { word: 'STRING' }, key: [], row }))).toEqual([
    "table 'out': expected a row as an object, got null",
  ]);
});
