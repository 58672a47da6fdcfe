/** Hostile input through a whole pipeline: every record has exactly one end, and nothing stops. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { chainOf } from '../../functions/engine/chain/stage-chain.ts';
import { sourceMessage } from '../../functions/cloud/service/source-host.ts';
import { decodeBody } from '../../functions/engine/element-codec.ts';
import { MessageIngest } from '../../functions/engine/ingest/message-ingest.ts';
import {
  afterWatermark,
  boundedOutOfOrderness,
  count,
  fixedWindows,
  type Key,
  type PCollection,
  pipeline,
} from '../../functions/index.ts';
import { LocalRun } from '../../functions/local/local-run.ts';
import { MemoryBus } from '../../functions/local/memory-bus.ts';
import { MemoryStore } from '../../functions/local/memory-store.ts';
import { SeededIds, VirtualClock } from '../../functions/local/virtual-clock.ts';
import { type EpochMillis, MIN_TIMESTAMP } from '../../functions/model/time.ts';
import { plan } from '../../functions/plan/plan.ts';
import { Random } from '../simulation/world/random.ts';
import { AWKWARD_JSON, BROKEN_JSON, damaged, randomBytes, randomJson } from './hostile.ts';

const folder = mkdtempSync(join(tmpdir(), 'hostile-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Takes everything that can be parsed. */
const schema = { parse: (value: unknown): unknown => value };
const member = (value: unknown, name: string): unknown => (value as Record<string, unknown> | null)?.[name];
const options = {
  schema,
  eventTime: (value: unknown) => (member(value, 'at') ?? 0) as number,
  watermark: boundedOutOfOrderness('1h'),
};

/** Counts by whatever key is in an element. */
function counted(elements: PCollection<unknown>): void {
  elements
    .keyBy('by-key', (value) => (member(value, 'key') ?? null) as Key)
    .window('daily', fixedWindows('1d'), { trigger: afterWatermark(), allowedLateness: 0, accumulation: 'discarding' })
    .combinePerKey('counts', count())
    .writeBigQuery('rows', {
      columns: { id: 'STRING', n: 'INT64' },
      key: ['id'],
      row: ({ key, value }, { window }) => ({ id: `${JSON.stringify(key)} ${window.start}`, n: value }),
    });
}

function lines(random: Random): string[] {
  const own = Array.from({ length: 1_500 }, (_, i) =>
    random.pick([
      () => JSON.stringify(randomJson(random)),
      () => damaged(random, `{"key":"k${i % 5}","at":${i * 60_000},"value":[1,{"a":null}]}`),
      () => randomBytes(random, 60).toString('latin1'),
      () => `{"key":"k${i % 5}","at":${i * 60_000}}`,
    ])(),
  );
  return [...AWKWARD_JSON, ...BROKEN_JSON, ...own].map((text) => text.replaceAll('\n', ' ') || '{}');
}

describe('a file of hostile lines', () => {
  it('is read to its end, and each line is a row, late, or a dead letter', { timeout: 60_000 }, async () => {
    const file = join(folder, 'lines.jsonl');
    const all = lines(new Random(1, 'lines'));
    writeFileSync(file, `${all.join('\n')}\n`);
    const graph = pipeline('hostile', (p) => counted(p.readPubSub('events', options)));
    const run = new LocalRun(graph, { inputs: new Map([['events', file]]) });
    const summary = await run.run();
    const rows = [...run.warehouse.rows('rows')].reduce((sum, { n }) => sum + (n as number), 0);
    const letters = run.store.all('deadLetters').map(({ body }) => body as { kind: string; count: number });
    const ended = letters.reduce((sum, { count }) => sum + count, 0);
    expect(summary.events).toBe(all.filter((line) => line !== '\r').length);
    expect(rows + ended).toBe(summary.events);
    expect(rows).toBeGreaterThan(400);
    expect(letters.filter(({ kind }) => kind === 'source').length).toBeGreaterThan(300);
  });
});

describe('hostile messages', () => {
  it('are taken each, and become elements or dead letters', { timeout: 60_000 }, async () => {
    const random = new Random(2, 'messages');
    const payloads = [
      ...lines(random).map((text) => Buffer.from(text)),
      ...Array.from({ length: 300 }, () => randomBytes(random, 100)),
    ];
    const planned = plan(pipeline('hostile', (p) => counted(p.readPubSub('events', options))));
    const [source] = planned.sources;
    const store = new MemoryStore({ strict: true });
    const ids = new SeededIds(1);
    const known = { pipeline: 'hostile', topology: 1, inputWatermarkOf: () => MIN_TIMESTAMP };
    const setting = { ...known, store, bus: new MemoryBus(ids), clock: new VirtualClock(0 as EpochMillis), ids };
    const chain = chainOf(planned, source!, setting.inputWatermarkOf);
    const ingest = new MessageIngest({ source: source!, setting, chain });
    const pushes = payloads.map((data, i) => {
      const [publishTime, attributes] = [i as EpochMillis, { ['__proto__']: 'x', 'a b': '\ud800' }];
      const push = { messageId: `m${i}`, publishTime, data, attributes };
      return sourceMessage(
        { ...push, orderingKey: undefined, deliveryAttempt: undefined, subscription: undefined },
        publishTime,
      );
    });
    await Promise.all(pushes.map((message) => ingest.offer(message)));
    const elements = store
      .all('outbox')
      .flatMap(({ body }) => (body as { envelopes: readonly { body: string }[] }).envelopes)
      .flatMap((envelope) => decodeBody(envelope.body));
    expect(elements.length + store.size('deadLetters')).toBe(payloads.length);
    expect(elements.length).toBeGreaterThan(600);
  });
});
