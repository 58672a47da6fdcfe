/** DoFns, tags, partitions and flattened collections (catalogue part L). */
import { describe, expect, it } from 'vitest';
import { count, fixedWindows, pipeline, sum, tag, type DoFn } from '../../../functions/index.ts';
import { testPipeline, timestamped } from '../../../functions/local/testing.ts';
import { runEmbedded } from '../../local/run-embedded.ts';
import { GLOBAL_WINDOW, type Window } from '../../../functions/model/windows.ts';
import { values } from '../stateful/keyed-stream.ts';

const numbers = { schema: { parse: (value: unknown) => value as number } };

/** Writes down what is called, and throws where it is told to. */
class Noted implements DoFn<number, number> {
  readonly #calls: string[];
  readonly #failing: string;

  constructor(calls: string[], failing = '') {
    this.#calls = calls;
    this.#failing = failing;
  }

  #note(call: string): void {
    this.#calls.push(call);
    if (call === this.#failing) throw new Error(`${call} failed`);
  }

  setup(): void {
    this.#note('setup');
  }
  startBundle(): void {
    this.#note('startBundle');
  }
  process(value: number, { output }: { output(value: number): void }): void {
    this.#note(`process ${value}`);
    output(value);
  }
  finishBundle(): void {
    this.#note('finishBundle');
  }
  teardown(): void {
    this.#note('teardown');
  }
}

const noted = (calls: string[], failing?: string) =>
  pipeline('noted', (p) => {
    p.readPubSub('in', numbers)
      .parDo('noted', () => new Noted(calls, failing))
      .writePubSub('out', { topic: 'out' });
  });

const TENS = { start: 10, end: 20 } as Window;

describe('the life of a DoFn', () => {
  it('L01: setup once, then bundles from start to finish, teardown last', async () => {
    const calls: string[] = [];
    const test = await testPipeline(noted(calls), { shards: 1 });
    await test.send('in', 1, 2);
    await test.send('in', 3);
    await test.drain();
    expect(calls.filter((call) => !call.includes('Bundle'))).toEqual([
      'setup',
      'process 1',
      'process 2',
      'process 3',
      'teardown',
    ]);
    const bundles = calls.join(' ').split('startBundle').slice(1);
    expect(bundles.every((bundle) => bundle.includes('finishBundle'))).toBe(true);
    expect(bundles.filter((bundle) => bundle.includes('process 1 process 2 finishBundle'))).toHaveLength(1);
  });

  it.each(['setup', 'startBundle', 'finishBundle'])(
    'L02: when %s throws, the error goes up and teardown is called all the same',
    async (failing) => {
      const calls: string[] = [];
      await expect(runEmbedded(noted(calls, failing), { in: [1, 2] }, { shards: 1 })).rejects.toThrow(
        `${failing} failed`,
      );
      expect(calls.filter((call) => call === 'teardown')).toHaveLength(1);
      expect(calls.at(-1)).toBe('teardown');
    },
  );

  it('L02: when process throws, its element fails, the others go on, and teardown is called', async () => {
    const calls: string[] = [];
    const test = await testPipeline(noted(calls, 'process 2'), { shards: 1 });
    await test.send('in', 1, 2, 3);
    await test.drain();
    expect(test.outputs('noted')).toEqual([1, 3]);
    expect(test.deadLetters().map(({ step, value, message }) => [step, value, message])).toEqual([
      ['noted', 2, 'process 2 failed'],
    ]);
    expect(calls.at(-1)).toBe('teardown');
  });

  it('L03: what finishBundle emits has the timestamp and window that it says', async () => {
    const graph = pipeline('buffering', (p) => {
      values<number>(p)
        .window('tens', fixedWindows(10))
        .parDo('buffered', () => {
          let buffered: number[] = [];
          return {
            process: (value: number) => void buffered.push(value),
            finishBundle({ output }) {
              for (const value of buffered) output(value, 12, TENS);
              buffered = [];
            },
          } satisfies DoFn<number, number>;
        });
    });
    const test = await testPipeline(graph);
    await test.send('in', timestamped(7, 11));
    expect(test.panes('buffered').map(({ value, timestamp, window }) => [value, timestamp, window])).toEqual([
      [7, 12, { start: 10, end: 20 }],
    ]);
  });

  it('L04: what a field holds until finishBundle holds the watermark: of 20,100 elements none is late', async () => {
    const graph = pipeline('held', (p) => {
      values<number>(p)
        .parDo('buffered', () => {
          let buffered: number[] = [];
          return {
            process: (at: number) => void buffered.push(at),
            finishBundle({ output }) {
              for (const at of buffered) output(at, at, GLOBAL_WINDOW);
              buffered = [];
            },
          } satisfies DoFn<number, number>;
        })
        .window('ones', fixedWindows(1))
        .combineGlobally('counted', count())
        .window('all', fixedWindows(1_000))
        .combineGlobally('total', sum());
    });
    const test = await testPipeline(graph, { watch: ['total-value'] });
    for (let round = 0; round < 200; round++) {
      await test.send('in', ...Array.from({ length: round + 1 }, () => timestamped(round, round)));
      await test.advanceWatermark(round + 1);
    }
    await test.drain();
    expect(test.outputs('total-value')).toEqual([20_100]);
    expect(test.late()).toEqual([]);
  }, 60_000);
});

describe('tags', () => {
  const even = tag<number>('even');
  const none = tag<number>('none');

  it('L05: several outputs keep timestamp and window, and one that gets nothing is an empty collection', async () => {
    const graph = pipeline('tagged', (p) => {
      const parted = values<number>(p)
        .window('tens', fixedWindows(10))
        .parDo(
          'parted',
          {
            process: (value: number, { output, outputTo }) => (value % 2 === 0 ? outputTo(even, value) : output(value)),
          },
          { outputs: [even, none] },
        );
      parted.get(even).map('evens', (value) => value);
      parted.get(none).combineGlobally('nothing', sum());
    });
    const test = await testPipeline(graph);
    await test.send('in', timestamped(4, 12), timestamped(5, 13));
    await test.drain();
    expect(test.outputs('parted')).toEqual([5]);
    expect(test.panes('evens').map(({ value, timestamp, window }) => [value, timestamp, window])).toEqual([
      [4, 12, { start: 10, end: 20 }],
    ]);
    expect(test.outputs('nothing-value')).toEqual([]);
  });

  it('L05: a tag that is not declared fails the element, with its name', async () => {
    const graph = pipeline('undeclared', (p) => {
      values<number>(p).parDo('parted', { process: (value: number, { outputTo }) => outputTo(even, value) });
    });
    const test = await testPipeline(graph);
    await test.send('in', 4);
    expect(test.deadLetters().map(({ step, message }) => [step, message])).toEqual([
      ['parted', "'parted' emits to the output 'even', which it has not declared; add its tag to { outputs: […] }"],
    ]);
  });
});

it('L06: what fails is a dead letter with element, error, message and stack, and the main output goes on', async () => {
  class Broken extends Error {}
  const graph = pipeline('failing', (p) => {
    values<number>(p).map('halved', (value) => {
      if (value === 3) throw new Broken('three cannot be halved');
      return value / 2;
    });
  });
  const test = await testPipeline(graph);
  await test.send('in', 2, 3, 4);
  expect(test.outputs('halved')).toEqual([1, 2]);
  const [letter, ...others] = test.deadLetters();
  expect(others).toEqual([]);
  expect(letter).toMatchObject({ kind: 'element', step: 'halved', value: 3, message: 'three cannot be halved' });
  expect(JSON.stringify(letter)).toContain('par-do.test.ts');
});

describe('partitions', () => {
  it.each([-1, 5])('L07: the index %i fails the element', async (index) => {
    const graph = pipeline('parted', (p) => {
      values<number>(p).partition('parts', 5, () => index);
    });
    const test = await testPipeline(graph);
    await test.send('in', 1);
    expect(test.deadLetters().map(({ message }) => message)).toEqual([
      `Partition function returned out of bounds index: ${index} not in [0..5)`,
    ]);
  });

  it('L07: there must be one at least', () => {
    expect(() => pipeline('parted', (p) => void values<number>(p).partition('parts', 0, () => 0))).toThrow(
      "partition 'parts': expected a count of 1 or more, got 0",
    );
  });
});

describe('flattened collections', () => {
  it('L08: the same input twice gives everything twice', async () => {
    const graph = pipeline('twice', (p) => {
      const input = values<number>(p);
      p.flatten('both', input, input);
    });
    const test = await testPipeline(graph);
    await test.send('in', 1, 2);
    expect([...test.outputs('both')].sort()).toEqual([1, 1, 2, 2]);
  });

  it('L08: of nothing there is no flatten, and an empty one is an empty view', async () => {
    expect(() => pipeline('empty', (p) => void p.flatten('none'))).toThrow(
      "flatten 'none': expected at least one collection",
    );
    const graph = pipeline('viewed', (p) => {
      const empty = values<number>(p, 'side').filter('nothing', () => false);
      const side = p.flatten('empty', empty, empty).window('side-tens', fixedWindows(10)).asList('view');
      values<number>(p)
        .window('tens', fixedWindows(10))
        .parDo(
          'sized',
          { process: (value, { side: { all }, output }) => output(value + all.length) },
          { sideInputs: { all: side } },
        );
    });
    const test = await testPipeline(graph);
    await test.send('in', timestamped(3, 1));
    await test.drain();
    expect(test.outputs('sized')).toEqual([3]);
  });
});
