import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  afterCount,
  afterWatermark,
  count,
  type DoFn,
  fixedWindows,
  type PCollection,
  type Pipeline,
  pipeline,
  tag,
} from '../../functions/index.ts';
import { plan } from '../../functions/plan/plan.ts';

const schema = z.object({ id: z.string(), n: z.number() });
type Item = z.infer<typeof schema>;
const read = (p: Pipeline): PCollection<Item> => p.readPubSub('items', { schema });
const build = (use: (items: PCollection<Item>, p: Pipeline) => void) => () => pipeline('test', (p) => use(read(p), p));

const table = { columns: { id: 'STRING', n: 'INT64' }, key: ['id'], row: ({ id, n }: Item) => ({ id, n }) } as const;

class Lifecycle implements DoFn<Item, Item> {
  startBundle(): void {}
  process(): void {}
}

describe('refused while the pipeline is built', () => {
  it.each<[string, () => unknown, string]>([
    [
      'a pipeline name that is none',
      () => pipeline('My Pipeline', () => {}),
      'expected a name of lower-case words with dashes',
    ],
    ['a pipeline that reads nothing', () => pipeline('test', () => {}), "pipeline 'test' reads nothing"],
    [
      'two transforms of one name',
      build((items) => {
        items.map('same', (item) => item);
        items.filter('same', () => true);
      }),
      "has two transforms named 'same' (map and filter)",
    ],
    [
      'a name that Millrace uses itself',
      build((items) => items.map('ingest', (item) => item)),
      "'ingest' is a name that Millrace itself uses",
    ],
    [
      'an unsafe finishing trigger',
      build((items) =>
        items.window('w', fixedWindows('1h'), {
          trigger: afterCount(1),
          accumulation: 'discarding',
          allowedLateness: 0,
        }),
      ),
      'may finish, and everything that its window gets afterwards would be lost; wrap it in repeatedly(…)',
    ],
    [
      'a watermark trigger without late firings where lateness is allowed',
      build((items) =>
        items.window('w', fixedWindows('1h'), {
          trigger: afterWatermark(),
          accumulation: 'discarding',
          allowedLateness: '1h',
        }),
      ),
      'give it late firings, e.g. late: afterCount(1), or allowedLateness: 0',
    ],
    [
      'lateness without a chosen accumulation mode',
      build((items) => items.window('w', fixedWindows('1h'), { allowedLateness: '1h' })),
      'allowedLateness "1h" needs an accumulation mode',
    ],
    [
      'grouping an unbounded global window without a trigger',
      build((items) => items.keyBy('k', ({ id }) => id).groupByKey('g')),
      'which would never emit; put a window(…) before it',
    ],
    [
      'a partition count below one',
      build((items) => items.partition('p', 0, () => 0)),
      "partition 'p': expected a count of 1 or more, got 0",
    ],
    [
      'windows of no length',
      build((items) => items.window('w', fixedWindows(0))),
      'fixedWindows(size): expected whole milliseconds, 1 or more',
    ],
    [
      'a duration that is none',
      build((items) => items.window('w', fixedWindows('1 hour' as '1h'))),
      'got "1 hour" (string)',
    ],
    [
      'a DoFn without process',
      build((items) => items.parDo('d', {} as DoFn<Item, Item>)),
      "parDo 'd': expected a DoFn with a process method",
    ],
    [
      'a DoFn with fields that is shared',
      build((items) => items.parDo('d', new Lifecycle())),
      'give a function that makes one, such as () => new MyDoFn()',
    ],
    [
      'an output that was not declared',
      build((items) => items.parDo('d', { process: () => {} }).get(tag('other'))),
      "parDo 'd' has no output 'other'",
    ],
    [
      'a source without a schema',
      () => pipeline('test', (p) => p.readPubSub('x', {} as { schema: typeof schema })),
      "source 'x': schema: expected something with a parse method",
    ],
    [
      'a column type that is none',
      build((items) => items.writeBigQuery('t', { ...table, columns: { id: 'TEXT' } } as never)),
      "column 'id' has type 'TEXT'",
    ],
    [
      'a key that is no column',
      build((items) => items.writeBigQuery('t', { ...table, key: ['nope'] } as never)),
      "key names 'nope', which is not among the columns id, n",
    ],
    [
      'a key that may be NULL',
      build((items) => items.writeBigQuery('t', { ...table, columns: { id: 'STRING NULL', n: 'INT64' } } as never)),
      "key column 'id' admits NULL, which never matches in a MERGE",
    ],
    [
      'a column that Millrace adds',
      build((items) => items.writeBigQuery('t', { ...table, columns: { id: 'STRING', pane_epoch: 'INT64' } } as never)),
      "column 'pane_epoch' is added by Millrace itself",
    ],
    [
      'a partition by a column that is no time',
      build((items) => items.writeBigQuery('t', { ...table, partitionBy: 'id' })),
      "partitionBy names 'id' of type STRING; expected TIMESTAMP or DATE",
    ],
    [
      'a flush of no rows',
      build((items) => items.writeBigQuery('t', { ...table, flush: { rows: 0 } })),
      'flush.rows: expected a whole number of 1 or more, got 0',
    ],
    [
      'two sinks of one table',
      () =>
        plan(
          build((items) => {
            items.writeBigQuery('a', { ...table, table: 'same' });
            items.writeBigQuery('b', { ...table, table: 'same' });
          })(),
        ),
      "'a' and 'b' both write table 'same'",
    ],
    [
      'flattening windows that differ',
      build((items, p) => p.flatten('f', items.window('a', fixedWindows('1m')), items.window('b', fixedWindows('2m')))),
      "flatten 'f'",
    ],
    [
      'a transform of another pipeline',
      () => {
        let other: PCollection<Item> | undefined;
        pipeline('one', (p) => {
          other = read(p);
        });
        pipeline('two', (p) => {
          read(p);
          p.flatten('f', other!);
        });
      },
      "'f' reads 'items', which belongs to another pipeline",
    ],
    [
      'a transform after the pipeline was built',
      () => {
        let items: PCollection<Item> | undefined;
        pipeline('one', (p) => {
          items = read(p);
        });
        items!.map('afterwards', (item) => item);
      },
      "'afterwards' was added after pipeline 'one' was built",
    ],
    [
      'shards out of range',
      () => plan(build(() => {})(), { shards: 0 }),
      'shards: expected a whole number from 1 to 1000, got 0',
    ],
    [
      'a file for no source',
      () => plan(build(() => {})(), { files: new Set(['nope']) }),
      "'nope' is no source of pipeline 'test'; its sources are items",
    ],
  ])('%s', (_, make, message) => {
    expect(make).toThrow(message);
  });

  it('what can work is taken', () => {
    const graph = build((items) =>
      items
        .keyBy('k', ({ id }) => id)
        .window('w', fixedWindows('1h'))
        .combinePerKey('c', count()),
    )();
    expect(plan(graph).stages.map(({ id, shards, inputs }) => ({ id, shards, inputs }))).toEqual([
      { id: 'c', shards: 4, inputs: ['items'] },
    ]);
  });
});
