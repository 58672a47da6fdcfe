import { describe, expect, it } from 'vitest';
import type { SideContext } from '../../../functions/model/dofn.ts';
import { PoisonError } from '../../../functions/model/errors.ts';
import type { RawRecord } from '../../../functions/engine/ingest/source-decoder.ts';
import { pipeline, type Pipeline } from '../../../functions/model/pipeline.ts';
import { epochMillis } from '../../../functions/model/time.ts';
import { plan } from '../../../functions/plan/plan.ts';
import { capture, Harness, source } from './harness.ts';

interface Rate {
  readonly currency: string;
  readonly rate: number;
}

const Schema = {
  parse(input: unknown): Rate {
    if (typeof (input as Rate).rate !== 'number') throw new Error('rate is no number');
    return input as Rate;
  },
};

function rates(p: Pipeline) {
  return p
    .readFile<Rate>('rates', { schema: Schema, path: 'rates.jsonl' })
    .filter('known', ({ currency }) => {
      if (currency === 'BAD') throw new PoisonError('no such currency');
      return currency !== 'OLD';
    })
    .keyBy('by-currency', ({ currency }) => currency)
    .mapValues('rate', ({ rate }) => rate);
}

/** The rate that an element sees for its currency. */
const converted = pipeline('converted', (p) => {
  const table = rates(p).asMap('table', { refreshEvery: '1h', maxBytes: 2_000 });
  const process = async (currency: string, context: SideContext<unknown, { table: typeof table }>): Promise<void> =>
    context.output([currency, (await context.side.table.get(currency)) ?? null]);
  capture(source<string>(p, 'main').parDo('convert', { process }, { sideInputs: { table } }));
});

/** A file that changes. */
class RatesFile {
  records: unknown[] = [{ currency: 'EUR', rate: 1 }];
  reads = 0;

  async *open(): AsyncGenerator<readonly RawRecord[]> {
    this.reads += 1;
    yield this.records.map((value, i) => ({ value, id: String(i), arrival: epochMillis(0) }));
  }
}

async function start(): Promise<{ file: RatesFile; harness: Harness }> {
  const file = new RatesFile();
  const harness = await Harness.start(converted, { shards: 1, openSource: () => file.open() });
  await harness.settle();
  return { file, harness };
}

const MINUTE = 60_000;

describe('a view that refreshes', () => {
  it('is read at the start, and again after so long; elements see the version of their time', async () => {
    const { file, harness } = await start();
    await harness.send('main', { at: 1, value: 'EUR' });
    expect(harness.values()).toEqual([['EUR', 1]]);
    file.records = [
      { currency: 'EUR', rate: 2 },
      { currency: 'CHF', rate: 3 },
      { currency: 'OLD', rate: 4 },
    ];
    await harness.advance(59 * MINUTE);
    await harness.send('main', { at: 2, value: 'EUR' });
    expect(file.reads).toBe(1);
    await harness.advance(MINUTE);
    expect(file.reads).toBe(2);
    for (const value of ['EUR', 'CHF', 'OLD']) await harness.send('main', { at: 3, value });
    expect(harness.values().slice(1)).toEqual([
      ['EUR', 1],
      ['EUR', 2],
      ['CHF', 3],
      ['OLD', null],
    ]);
  });

  it('costs the same however often it was read, and leaves nothing when its readers have ended', async () => {
    const { file, harness } = await start();
    for (let hour = 0; hour < 5; hour++) await harness.advance(60 * MINUTE);
    expect(file.reads).toBe(6);
    await harness.advance(MINUTE);
    expect(harness.store.size('views')).toBe(2);
    await harness.finish('main');
    await harness.advance(120 * MINUTE);
    expect(file.reads).toBe(6);
    expect(harness.remains()).toEqual([]);
  });

  it('records that cannot be read, and steps that fail, are dead letters of the view', async () => {
    const { file, harness } = await start();
    file.records = [
      { currency: 'EUR', rate: 'x' },
      { currency: 'BAD', rate: 1 },
      { currency: 'EUR', rate: 7 },
    ];
    await harness.advance(60 * MINUTE);
    await harness.send('main', { at: 1, value: 'EUR' });
    expect(harness.values()).toEqual([['EUR', 7]]);
    expect(harness.deadLetters().map(({ stage, kind, message }) => [stage, kind, message])).toEqual([
      ['table', 'source', "source 'rates': rate is no number"],
      ['table', 'element', 'no such currency'],
    ]);
  });

  it('what does not fit it leaves readers what they had, until it fits again', async () => {
    const { file, harness } = await start();
    const many = Array.from({ length: 1_000 }, (_, i) => ({ currency: `C${i}`, rate: i }));
    file.records = [...many, { currency: 'EUR', rate: 2 }];
    await harness.advance(60 * MINUTE);
    await harness.send('main', { at: 1, value: 'EUR' });
    file.records = [
      { currency: 'EUR', rate: 3 },
      { currency: 'EUR', rate: 4 },
    ];
    await harness.advance(60 * MINUTE);
    await harness.send('main', { at: 2, value: 'EUR' });
    file.records = [{ currency: 'EUR', rate: 5 }];
    await harness.advance(60 * MINUTE);
    await harness.send('main', { at: 3, value: 'EUR' });
    expect(harness.values()).toEqual([
      ['EUR', 1],
      ['EUR', 1],
      ['EUR', 5],
    ]);
    expect(harness.deadLetters().map(({ code, count }) => [code, count])).toEqual([
      ['VIEW_TOO_LARGE', 1_001],
      ['VIEW_SHAPE', 2],
    ]);
  });
});

describe('what can refresh', () => {
  it('the source belongs to the view, and is no source of the pipeline', () => {
    const { sources, stages } = plan(converted);
    expect(sources.map(({ id }) => id)).toEqual(['main']);
    expect(stages.map(({ id, inputs, loads }) => [id, inputs, loads?.id, loads?.steps])).toEqual([
      ['table', [], 'rates', ['known', 'by-currency', 'rate']],
      ['convert', ['main'], undefined, undefined],
    ]);
  });

  it('not what was grouped, what others read too, or what has no end', () => {
    const build = (make: (p: Pipeline) => unknown) => () => plan(pipeline('refused', (p) => void make(p)));
    expect(build((p) => rates(p).groupByKey('group').asMap('table', { refreshEvery: '1h' }))).toThrow(
      "view 'table': refreshEvery reads its source again, and between the two is 'group' (reduce); only steps on single elements may be there",
    );
    expect(
      build((p) => {
        const shared = rates(p);
        shared.asMap('table', { refreshEvery: '1h' });
        capture(shared);
      }),
    ).toThrow(
      "view 'table': refreshEvery reads its source again, and 'rate' is read by others too (out); read it twice, once for the view",
    );
    expect(build((p) => p.readPubSub('topic', { schema: Schema }).asList('list', { refreshEvery: '1h' }))).toThrow(
      "view 'list'",
    );
    expect(build((p) => rates(p).asMap('table', { refreshEvery: 0 }))).toThrow(
      "view 'table' refreshEvery: expected whole milliseconds, 1000 or more",
    );
  });
});
