import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  afterWatermark,
  boundedOutOfOrderness,
  count,
  fixedWindows,
  lookUp,
  type PCollection,
  type Pipeline,
  pipeline,
  slidingWindows,
  trustArrival,
  valueState,
  vertexEndpoint,
} from '../../functions/index.ts';

const schema = z.object({ id: z.string(), n: z.number() });
type Item = z.infer<typeof schema>;
const read = (p: Pipeline): PCollection<Item> => p.readPubSub('items', { schema });
const build = (use: (items: PCollection<Item>, p: Pipeline) => void) => () => pipeline('test', (p) => use(read(p), p));
/** What plain JavaScript, or a cast, may hand over. */
const any = (value: unknown): never => value as never;

const table = { columns: { id: 'STRING', n: 'INT64' }, key: ['id'], row: ({ id, n }: Item) => ({ id, n }) } as const;
const model = { model: vertexEndpoint('1'), instance: () => 1, prediction: schema, requestsPerMinute: 1 };

describe('a misspelled option is refused by name', () => {
  it.each<[string, () => unknown]>([
    ["readPubSub 'x'", () => pipeline('test', (p) => p.readPubSub('x', any({ schema, typo: 1 })))],
    ["readFile 'x'", () => pipeline('test', (p) => p.readFile('x', any({ schema, typo: 1 })))],
    ['boundedOutOfOrderness(options)', () => boundedOutOfOrderness('1m', any({ typo: 1 }))],
    ['trustArrival(options)', () => trustArrival('1m', 0, any({ typo: 1 }))],
    ['fixedWindows(options)', () => fixedWindows('1h', any({ typo: 1 }))],
    ['slidingWindows(options)', () => slidingWindows('1h', any({ every: '1m', typo: 1 }))],
    ['afterWatermark(options)', () => afterWatermark(any({ typo: 1 }))],
    ['valueState(options)', () => valueState(any({ typo: 1 }))],
    ["window 'w'", build((items) => items.window('w', fixedWindows('1h'), any({ typo: 1 })))],
    ["withTimestamps 's'", build((items) => items.withTimestamps('s', () => 0, any({ typo: 1 })))],
    ["parDo 'd'", build((items) => items.parDo('d', { process() {} }, any({ typo: 1 })))],
    ["deduplicate 'd'", build((items) => items.deduplicate('d', any({ typo: 1 })))],
    ["view 'v'", build((items) => items.window('w', fixedWindows('1h')).asList('v', any({ typo: 1 })))],
    ["view 'v'", build((items) => items.window('w', fixedWindows('1h')).asList('v', any({ default: [], typo: 1 })))],
    ["writeBigQuery 't'", build((items) => items.writeBigQuery('t', any({ ...table, typo: 1 })))],
    ["writeBigQuery 't' flush", build((items) => items.writeBigQuery('t', any({ ...table, flush: { typo: 1 } })))],
    ["writePubSub 't'", build((items) => items.writePubSub('t', any({ typo: 1 })))],
    ["enrichWithModel 'e'", build((items) => items.enrichWithModel('e', any({ ...model, typo: 1 })))],
    ["enrichWithModel 'e' batch", build((items) => items.enrichWithModel('e', any({ ...model, batch: { typo: 1 } })))],
    ["lookUp 'l'", build((items) => lookUp('l', items, any({ key: () => 1, client: () => 1, typo: 1 })))],
    [
      "lookUp 'l' cache",
      build((items) => lookUp('l', items, any({ key: () => 1, client: () => 1, cache: { typo: 1 } }))),
    ],
    [
      "combinePerKey 'c'",
      build((items) =>
        items
          .keyBy('k', ({ id }) => id)
          .window('w', fixedWindows('1h'))
          .combinePerKey('c', count(), any({ typo: 1 })),
      ),
    ],
    [
      "groupIntoBatches 'b'",
      build((items) => items.keyBy('k', ({ id }) => id).groupIntoBatches('b', any({ size: 1, typo: 1 }))),
    ],
    [
      "statefulParDo 's'",
      build((items) => items.keyBy('k', ({ id }) => id).statefulParDo('s', { process() {} }, any({ typo: 1 }))),
    ],
    [
      "statefulParDo 's' retry",
      build((items) =>
        items.keyBy('k', ({ id }) => id).statefulParDo('s', { process() {} }, any({ retry: { attempts: 2, typo: 1 } })),
      ),
    ],
  ])('%s', (where, make) => {
    expect(make).toThrow(`${where}: there is no option '`);
  });
});

describe('what is of another kind is refused where it is given', () => {
  it.each<[string, () => unknown, string]>([
    [
      'no options',
      () => pipeline('test', (p) => p.readPubSub('x', any(undefined))),
      "readPubSub 'x': expected options { schema, eventTime, arrivalTime, id, watermark, maxAhead, topic, delivery, idHorizon }, got undefined",
    ],
    [
      'no options of a sink',
      build((items) => items.writePubSub('t', any(undefined))),
      "writePubSub 't': expected options",
    ],
    [
      'sliding windows without every',
      () => slidingWindows('1h', any(undefined)),
      'slidingWindows(options): expected options',
    ],
    [
      'a text for windows',
      build((items) => items.window('w', any('1h'))),
      `window 'w': expected windows, such as fixedWindows('1h') or globalWindow(), got "1h"`,
    ],
    [
      'windows that were not made',
      build((items) => items.window('w', any(fixedWindows))),
      'got a function; call it: fixedWindows(…)',
    ],
    [
      'a trigger that was not made',
      build((items) => items.window('w', fixedWindows('1h'), any({ trigger: afterWatermark }))),
      "window 'w' trigger: expected a trigger, such as afterWatermark(), got a function; call it: afterWatermark(…)",
    ],
    [
      'a combine that was not made',
      build((items) => items.window('w', fixedWindows('1h')).combineGlobally('c', any(count))),
      "'c': expected a CombineFn, got a function; call it, as in sum()",
    ],
    [
      'a function of an element for a DoFn',
      build((items) =>
        items.parDo(
          'd',
          any((item: Item) => item),
        ),
      ),
      "parDo 'd': a function that makes a DoFn has no parameters",
    ],
    [
      'a table without columns',
      build((items) => items.writeBigQuery('t', any({ ...table, columns: {}, key: [] }))),
      "table 't': expected columns, such as",
    ],
    [
      'a table without a key option',
      build((items) => items.writeBigQuery('t', any({ columns: table.columns, row: table.row }))),
      "writeBigQuery 't': key: expected a list of columns, such as ['id'], or [] where rows are appended; got undefined",
    ],
    ['a text for a key', build((items) => items.writeBigQuery('t', any({ ...table, key: 'id' }))), 'got id'],
    [
      'a key that names a column twice',
      build((items) => items.writeBigQuery('t', any({ ...table, key: ['id', 'id'] }))),
      "key names 'id' twice",
    ],
    [
      'a key that BigQuery cannot compare',
      build((items) => items.writeBigQuery('t', any({ ...table, columns: { id: 'JSON', n: 'INT64' } }))),
      "key column 'id' is of type JSON, which BigQuery cannot compare",
    ],
    [
      'two columns that differ in case only',
      build((items) => items.writeBigQuery('t', any({ ...table, columns: { id: 'STRING', ID: 'STRING' } }))),
      "table 't': 'id' and 'ID' are one column to BigQuery",
    ],
    [
      'a column that Millrace adds, in another case',
      build((items) => items.writeBigQuery('t', any({ ...table, columns: { id: 'STRING', Pane_Epoch: 'INT64' } }))),
      "column 'Pane_Epoch' is added by Millrace itself",
    ],
    [
      'a column that begins as those of BigQuery',
      build((items) => items.writeBigQuery('t', any({ ...table, columns: { id: 'STRING', _partition_x: 'INT64' } }))),
      "column '_partition_x' begins as BigQuery's own columns do",
    ],
    [
      'clusters by what BigQuery cannot cluster by',
      build((items) =>
        items.writeBigQuery('t', any({ ...table, columns: { id: 'STRING', n: 'FLOAT64' }, clusterBy: ['n'] })),
      ),
      "clusterBy names 'n', by whose type BigQuery cannot cluster",
    ],
  ])('%s', (_, make, message) => {
    expect(make).toThrow(message);
  });

  it('a key is clustered by as far as BigQuery can', () => {
    const graph = build((items) =>
      items.writeBigQuery('t', {
        columns: { id: 'STRING', at: 'TIME', n: 'FLOAT64' },
        key: ['n', 'at', 'id'],
        row: ({ id, n }) => ({ id, n, at: '10:00:00' }),
      }),
    )();
    expect(graph.nodes.at(-1)).toMatchObject({ clusterBy: ['id'] });
  });
});
