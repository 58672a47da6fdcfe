/** What the ends of a record are called, however steps fan out, meet again and fail. */
import { describe, expect, it } from 'vitest';
import { chainOf } from '../../../functions/engine/chain/stage-chain.ts';
import { decodeBody } from '../../../functions/engine/element-codec.ts';
import { identityOf } from '../../../functions/engine/ids/element-id.ts';
import { runMessages } from '../../../functions/engine/ingest/message-bundle.ts';
import { SourceDecoder } from '../../../functions/engine/ingest/source-decoder.ts';
import { count, fixedWindows, pipeline, slidingWindows, tag } from '../../../functions/index.ts';
import { type EpochMillis, MIN_TIMESTAMP } from '../../../functions/model/time.ts';
import { plan } from '../../../functions/plan/plan.ts';
import { seeded } from '../../model/seeded.ts';

const PUBLISHED = 1_700_000_000_000 as EpochMillis;
const rest = tag<string>('rest');

/** @param fails whether the step that marks values cannot take one */
function ways(fails: (value: string) => boolean) {
  return plan(
    pipeline('ways', (p) => {
      const letters = p
        .readPubSub('texts', { schema: { parse: (value: unknown) => value as string } })
        .flatMap('letters', (text) => [...text]);
      const doubled = letters.flatMap('doubled', (letter) => [`${letter}1`, `${letter}2`]);
      const split = letters.parDo<string>(
        'split',
        () => ({
          process: (letter: string, { output, outputTo }) => {
            output(`${letter}-main`);
            outputTo(rest, `${letter}-rest`);
          },
        }),
        { outputs: [rest] },
      );
      const marked = doubled.map('marked', (value) => {
        if (fails(value)) throw new Error(`cannot take ${value}`);
        return `${value}!`;
      });
      const spread = marked.flatMap('spread', (value) => (value.includes('b') ? [`${value}x`, `${value}y`] : [value]));
      p.flatten('together', spread, doubled, split, split.get(rest))
        .window('sliding', slidingWindows('2h', { every: '1h' }))
        .map('by-window', (value, { window }) => `${value} ${window.start}`)
        .window('again', fixedWindows('1h'))
        .keyBy('one', () => 'one')
        .combinePerKey('number', count())
        .writeBigQuery('numbers', {
          columns: { key: 'STRING', number: 'INT64' },
          key: ['key'],
          row: ({ key, value }) => ({ key, number: value }),
        });
    }),
    { shards: 1 },
  );
}

/** The identities of a message's elements, by their values. */
async function identities(fails: (value: string) => boolean): Promise<{ ids: Map<unknown, string>; sent: number }> {
  const planned = ways(fails);
  const source = planned.sources[0]!;
  const chain = chainOf(planned, source, () => MIN_TIMESTAMP);
  const place = { source, failedAt: PUBLISHED, version: '1', unique: 'u' };
  const message = { id: 'm', publishTime: PUBLISHED, data: 'abcb', attributes: {} };
  const { output } = await runMessages([message], new SourceDecoder('texts', source.node.source), chain, place);
  const elements = output.outgoing.flatMap(({ text }) => decodeBody(`[${text}]`));
  return {
    ids: new Map(elements.map(({ id, value }, i) => [`${JSON.stringify(value)} ${i}`, identityOf(id!)])),
    sent: elements.length,
  };
}

describe('the ends of a record', () => {
  it('have an id each', async () => {
    const { ids, sent } = await identities(() => false);
    // Of four letters: 8 doubled, 8 marked of which 4 are two, 8 split; each in two windows.
    expect(sent).toBe((8 + 12 + 8) * 2);
    expect(new Set(ids.values()).size).toBe(sent);
  });

  it('keep it whatever becomes of the others', async () => {
    const all = new Set((await identities(() => false)).ids.values());
    for (let seed = 1; seed <= 30; seed++) {
      const random = seeded(seed);
      const { ids, sent } = await identities(() => random() < 0.4);
      const left = new Set(ids.values());
      expect(left.size, `seed ${seed}`).toBe(sent);
      expect(
        [...left].filter((id) => !all.has(id)),
        `seed ${seed}`,
      ).toEqual([]);
    }
  });
});
