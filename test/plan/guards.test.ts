import { describe, expect, it } from 'vitest';
import { count, fixedWindows, type Pipeline, pipeline } from '../../functions/index.ts';
import { plan } from '../../functions/plan/plan.ts';

const schema = { parse: (input: unknown) => input as { readonly key: string } };
const row = { table: 't', columns: { key: 'STRING' }, key: [] } as const;
const read = (p: Pipeline) => p.readPubSub('events', { schema });

describe('a reshuffle by id', () => {
  it('stands before a table that a source of messages reaches directly', () => {
    const graph = pipeline('direct', (p) => {
      read(p)
        .map('trim', (event) => event)
        .writeBigQuery('landing', { ...row, row: ({ key }) => ({ key }) });
    });
    const { stages, sources } = plan(graph);
    expect(stages.map(({ id, head, inputs }) => [id, head.kind, inputs])).toEqual([
      ['landing-once', 'reshuffle', ['events']],
      ['landing', 'writeBigQuery', ['landing-once']],
    ]);
    expect(sources[0]!.steps).toEqual(['trim']);
  });

  it('stands before messages to outside topics, and behind it they are its steps', () => {
    const graph = pipeline('direct', (p) => read(p).writePubSub('announce', {}));
    expect(plan(graph).stages.map(({ id, steps }) => [id, steps])).toEqual([['announce-once', ['announce']]]);
  });

  it('is one for each effect, under a name that is free', () => {
    const graph = pipeline('direct', (p) => {
      const events = read(p).map('landing-once', (event) => event);
      events.writeBigQuery('landing', { ...row, row: ({ key }) => ({ key }) });
      events.writePubSub('announce', {});
    });
    expect(plan(graph).stages.map(({ id }) => id)).toEqual(['landing-once-2', 'landing', 'announce-once']);
  });

  it('guards all that comes by a way which a source of messages takes too', () => {
    const graph = pipeline('mixed', (p) => {
      const events = read(p);
      const counted = events
        .keyBy('by-key', ({ key }) => key)
        .window('minutely', fixedWindows('1m'))
        .combinePerKey('counts', count())
        .map('as-event', ({ key }) => ({ key }));
      const direct = events.window('minutely-too', fixedWindows('1m'));
      p.flatten('both', counted, direct).writeBigQuery('landing', { ...row, row: ({ key }) => ({ key }) });
    });
    expect(plan(graph).stages.map(({ id, inputs }) => [id, inputs])).toEqual([
      ['counts', ['events']],
      ['landing-once', ['events', 'counts']],
      ['landing', ['landing-once']],
    ]);
  });

  it('is not needed behind a keyed stage, for files, or where at least once is enough', () => {
    const keyed = pipeline('keyed', (p) => {
      read(p)
        .keyBy('by-key', ({ key }) => key)
        .window('minutely', fixedWindows('1m'))
        .combinePerKey('counts', count())
        .writeBigQuery('landing', { ...row, row: ({ key }) => ({ key }) });
    });
    const direct = pipeline('direct', (p) => read(p).writePubSub('announce', {}));
    const often = pipeline('often', (p) => {
      p.readPubSub('events', { schema, delivery: 'atLeastOnce' }).writePubSub('announce', {});
    });
    expect(plan(keyed).stages.map(({ id }) => id)).toEqual(['counts', 'landing']);
    expect(plan(direct, { files: new Set(['events']) }).stages).toEqual([]);
    expect(plan(often).stages).toEqual([]);
  });
});
