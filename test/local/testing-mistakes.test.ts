import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fixedWindows, count, pipeline, tag } from '../../functions/index.ts';
import { type TestOptions, type TestPipeline, testPipeline } from '../../functions/local/testing.ts';

const odd = tag<number>('odd');
const numbers = pipeline('numbers', (p) => {
  const parts = p
    .readPubSub('in', { schema: z.number(), eventTime: (n) => n })
    .parDo(
      'split',
      { process: (n, { output, outputTo }) => (n % 2 === 0 ? output(n) : outputTo(odd, n)) },
      { outputs: [odd] },
    );
  parts.get(odd).writePubSub('odd-numbers', { topic: 'odds' });
  parts
    .keyBy('all', () => 'all')
    .window('tens', fixedWindows(10))
    .combinePerKey('counted', count())
    .writeBigQuery('even-numbers', {
      columns: { at: 'INT64', n: 'INT64' },
      key: ['at'],
      row: ({ value }, { window }) => ({ at: window.start, n: value }),
    });
});

describe('a name that the pipeline does not have is refused', () => {
  it.each<[string, (test: TestPipeline) => unknown, string]>([
    ['source', (test) => test.send('out', 1), "has no source 'out'; its sources are in"],
    ['source of a watermark', (test) => test.advanceWatermark(1, 'out'), "has no source 'out'; its sources are in"],
    ['source that ends', (test) => test.advanceWatermarkToInfinity('out'), "has no source 'out'; its sources are in"],
    [
      'transform',
      (test) => test.panes('splits'),
      "has no transform 'splits'; its transforms are in, split, odd-numbers",
    ],
    [
      'output',
      (test) => test.outputs('split', 'even'),
      "'split' has no output 'even'; its outputs are main, odd, late",
    ],
    ['stage', (test) => test.late('split'), "has no stage 'split'; its stages are "],
    ['stage of a watermark', (test) => test.inputWatermark('split'), "has no stage 'split'; its stages are "],
    ['stage or source', (test) => test.outputWatermark('out'), "has no stage 'out'; its stages are "],
    ['table', (test) => test.rows('even-numbers'), "has no table 'even-numbers'; its tables are even_numbers"],
    ['topic', (test) => test.messages('odd-numbers'), "has no topic 'odd-numbers'; its topics are odds"],
  ])('%s', async (_, ask, message) => {
    const test = await testPipeline(numbers);
    await expect((async () => ask(test))()).rejects.toThrow(message);
  });

  it('and those that it has are not', async () => {
    const test = await testPipeline(numbers);
    await test.send('in', 1, 2);
    await test.advanceWatermark(20, 'in');
    expect([test.inputWatermark('counted'), test.outputWatermark('in')]).toEqual([20, 20]);
    expect([test.outputs('split'), test.outputs('split', 'odd'), test.late('counted')]).toEqual([[2], [1], []]);
    expect(test.messages('odds').map(({ data }) => data)).toEqual(['1']);
    expect(await test.rows('even_numbers')).toMatchObject([{ at: 0, n: 1 }]);
  });
});

it.each<[string, unknown, string]>([
  [
    'a misspelled option',
    { trouble: {} },
    "testPipeline(options): there is no option 'trouble'; there are shards, watch",
  ],
  ['a misspelled trouble', { troubles: { lose: 0.1 } }, "testPipeline(options) troubles: there is no option 'lose'"],
  ['all messages lost', { troubles: { lost: 1 } }, 'troubles.lost: expected a share from 0 to below 1, got 1'],
  ['less than none lost', { troubles: { lost: -1 } }, 'troubles.lost: expected a share from 0 to below 1, got -1'],
  [
    'what is not there watched',
    { watch: ['nope'] },
    "watch: pipeline 'numbers' has no transform 'nope'; there are in, ",
  ],
])('%s is refused', (_, options, message) => {
  expect(() => testPipeline(numbers, options as TestOptions)).toThrow(message);
});

it('what is no pipeline is refused', () => {
  expect(() => testPipeline({} as typeof numbers)).toThrow('testPipeline(graph): expected a pipeline');
});
