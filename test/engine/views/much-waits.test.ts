/** Elements that have waited for a view, and are too much for one commit together, or one of them alone. */
import { describe, expect, it } from 'vitest';
import { emits, fixedWindows, sum } from '../../../functions/index.ts';
import { testPipeline, timestamped } from '../../../functions/local/testing.ts';
import { pipeline } from '../../../functions/model/pipeline.ts';
import { limitCommits } from '../shard/limited-store.ts';
import { values } from '../stateful/keyed-stream.ts';

interface Line {
  readonly name: string;
  readonly text: string;
  readonly times: number;
}

/** Each line as often as it says, with the sum that it waited for. */
const graph = pipeline('lines', (p) => {
  const total = values<number>(p, 'side')
    .window('side-hours', fixedWindows('1h'))
    .combineGlobally('side-sum', sum())
    .asSingleton('total');
  values<Line>(p, 'main')
    .window('main-hours', fixedWindows('1h'))
    .parDo(
      'join',
      {
        emits: emits<Line>(),
        process({ name, ...line }, { output, side }) {
          output({ ...line, name: `${name} ${side.total}` });
        },
      },
      { sideInputs: { total } },
    )
    .flatMap('copies', (line) => Array.from({ length: line.times }, () => line))
    .keyBy('together', () => 'all')
    .statefulParDo('end', { emits: emits<string>(), process: ({ value }, { output }) => output(value.name) });
});

const lines = (count: number, characters: number, times: (i: number) => number = () => 1): Line[] =>
  Array.from({ length: count }, (_, i) => ({ name: String(i), text: 'x'.repeat(characters), times: times(i) }));

async function joined(sent: readonly Line[], troubles = {}) {
  const test = await testPipeline(graph, { shards: 1, watch: ['end'], troubles });
  limitCommits(test);
  await test.send('main', ...sent.map((line) => timestamped(line, 1)));
  expect(test.outputs('end')).toEqual([]);
  await test.send('side', timestamped(7, 1));
  await test.drain();
  return test;
}

describe('elements that have waited for a view', { timeout: 30_000 }, () => {
  it.each([{}, { crashAfterCommits: true }])(
    'go on in several commits where they are much, each once, under %j',
    async (troubles) => {
      const test = await joined(lines(90, 100_000), troubles);
      expect([...test.outputs('end')].sort()).toEqual(Array.from({ length: 90 }, (_, i) => `${i} 7`).sort());
      expect(test.deadLetters()).toEqual([]);
      expect(test.remains()).toEqual([]);
    },
  );

  it('go on one by one where the steps behind make much of each', async () => {
    const test = await joined(lines(8, 3_000, () => 350));
    expect(test.outputs('end')).toHaveLength(8 * 350);
    expect(test.deadLetters()).toEqual([]);
    expect(test.remains()).toEqual([]);
  });

  it('fail alone where one makes more than any commit holds', async () => {
    const test = await joined(lines(5, 3_000, (i) => (i === 2 ? 1_100 : 1)));
    expect([...test.outputs('end')].sort()).toEqual(['0 7', '1 7', '3 7', '4 7']);
    expect(
      test.deadLetters().map(({ step, code, value, message }) => [step, code, (value as Line).name, message]),
    ).toEqual([
      [
        'join',
        'TOO_LARGE',
        '2',
        expect.stringMatching(
          /^what 'join' makes of one element of key .* has 3\d{6} bytes, above the limit of 3000000$/,
        ),
      ],
    ]);
    expect(test.remains()).toEqual([]);
  });
});
