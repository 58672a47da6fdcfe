import { describe, expect, it } from 'vitest';
import { outsideOf } from '../../../functions/engine/chain/outside.ts';
import { testPipeline } from '../../../functions/local/testing.ts';
import { PoisonError } from '../../../functions/model/errors.ts';
import { pipeline } from '../../../functions/model/pipeline.ts';

const SINK = { name: 'out', topic: 'results' };
const message = (attributes: Record<string, string>) => () => outsideOf(SINK, { data: 'x', attributes });

describe('attributes of a message', () => {
  it('are taken up to what Pub/Sub takes', () => {
    const many = Object.fromEntries(Array.from({ length: 97 }, (_, i) => [`a${i}`, '']));
    expect(message({ ...many, id: 'of its author' })().attributes).toHaveProperty('a96', '');
    expect(message({ ['n'.repeat(256)]: 'v'.repeat(1_024) })).not.toThrow();
  });

  it.each([
    [{ note: 'é'.repeat(513) }, /attribute "note" of 1026 bytes; Pub\/Sub takes 1024/],
    [{ ['é'.repeat(129)]: '' }, /names of up to 256 bytes/],
    [{ '': '' }, /the attribute ""/],
    [{ googclient: '' }, /do not begin with 'goog'/],
    [
      Object.fromEntries(Array.from({ length: 98 }, (_, i) => [`a${i}`, ''])),
      /101 attributes with 'pipeline', 'step', 'id'; Pub\/Sub takes 100/,
    ],
  ])('%# beyond that are refused', (attributes, problem) => {
    expect(message(attributes)).toThrow(PoisonError);
    expect(message(attributes)).toThrow(problem);
  });

  it('that are too long cost their own element alone', async () => {
    const graph = pipeline('notes', (p) => {
      p.readPubSub<string>('notes', { schema: { parse: String } }).writePubSub('out', {
        topic: 'results',
        attributes: (note) => ({ note }),
      });
    });
    const test = await testPipeline(graph);
    await test.send('notes', 'short');
    await test.send('notes', 'l'.repeat(2_000));
    expect(test.messages('results').map(({ data }) => data)).toEqual(['short']);
    expect(test.deadLetters()).toMatchObject([{ step: 'out', message: expect.stringContaining('of 2000 bytes') }]);
  });
});
