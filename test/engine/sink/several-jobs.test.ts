import { describe, expect, it } from 'vitest';
import { newRoot } from '../../../functions/engine/protocol/root.ts';
import { Shard } from '../../../functions/engine/shard/shard.ts';
import { Flusher } from '../../../functions/engine/sink/flusher.ts';
import { SinkWork } from '../../../functions/engine/sink/sink-work.ts';
import { pipeline } from '../../../functions/index.ts';
import { MemoryBus } from '../../../functions/local/memory-bus.ts';
import { MemoryStore } from '../../../functions/local/memory-store.ts';
import { MemoryWarehouse } from '../../../functions/local/memory-warehouse.ts';
import { SeededIds, VirtualClock } from '../../../functions/local/virtual-clock.ts';
import type { WriteBigQueryNode } from '../../../functions/model/graph.ts';
import { type EpochMillis, MIN_TIMESTAMP } from '../../../functions/model/time.ts';
import { plan } from '../../../functions/plan/plan.ts';
import type { Envelope } from '../../../functions/ports/bus.ts';
import type { MergeJob, MergeOutcome } from '../../../functions/ports/warehouse.ts';

/** Five fit a job. */
const LONG = 490_000;
const ROWS = 12;
const LOG = 'log';
const NEVER = { rows: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY, every: 3_600_000 };

const node = plan(
  pipeline('logged', (p) => {
    p.readFile('file', { schema: { parse: (value: unknown) => value }, path: 'file.jsonl' }).writeBigQuery(LOG, {
      columns: { n: 'INT64', text: 'STRING' },
      key: [],
      row: () => ({ n: 0, text: '' }),
    });
  }),
).stages.find(({ head }) => head.kind === 'writeBigQuery')!.head as WriteBigQueryNode;

/** Jobs whose numbers are named fail for good, and wrote nothing. */
class Failing extends MemoryWarehouse {
  readonly jobs: string[] = [];
  readonly #failing: ReadonlyMap<number, MergeOutcome>;

  constructor(failing: ReadonlyMap<number, MergeOutcome>) {
    super();
    this.#failing = failing;
  }

  override async merge(job: MergeJob): Promise<MergeOutcome> {
    const known = this.jobs.includes(job.id);
    this.jobs.push(job.id);
    const outcome = known ? undefined : this.#failing.get(this.jobs.length);
    return outcome ?? super.merge(job);
  }
}

async function filled(warehouse: MemoryWarehouse): Promise<Flusher> {
  const store = new MemoryStore();
  const ids = new SeededIds(1);
  const clock = Object.assign(new VirtualClock(), { sleep: async () => undefined });
  const ports = { store, bus: new MemoryBus(ids), clock, ids, warehouse };
  const setting = { ...ports, pipeline: 'logged', topology: 1, epoch: 1, inputWatermarkOf: () => MIN_TIMESTAMP };
  await store.commit({
    preconditions: [],
    sets: [{ collection: 'roots', id: 's~0', body: newRoot('s~0', 1) }],
    deletes: [],
  });
  const shard = new Shard(`${LOG}~0`, setting, new SinkWork(NEVER));
  for (let number = 1; number <= ROWS; number++) {
    const envelope: Envelope = {
      kind: 'envelope',
      target: shard.id,
      sender: 's~0',
      number,
      earliest: 0 as EpochMillis,
      count: 1,
      inputWatermark: MIN_TIMESTAMP,
      body: JSON.stringify([[0, [number, 'x'.repeat(LONG)]]]),
    };
    await shard.offer(envelope);
  }
  return new Flusher(shard, node, NEVER, setting);
}

const written = (warehouse: MemoryWarehouse): unknown[] =>
  [...warehouse.rows(LOG)].map(({ n }) => n).sort((a, b) => Number(a) - Number(b));
const EACH_ONCE = Array.from({ length: ROWS }, (_, i) => i + 1);

describe('a flush of several jobs into a table without a key', () => {
  it('writes each row once though its second and third job need other attempts', async () => {
    const again: MergeOutcome = { state: 'failed', again: true, reason: 'backendError' };
    const warehouse = new Failing(
      new Map([
        [2, again],
        [5, again],
      ]),
    );
    await (await filled(warehouse)).flushAll();
    expect(written(warehouse)).toEqual(EACH_ONCE);
    expect(warehouse.jobs.map((id) => id.replace('millrace-logged-1-log-1-', ''))).toEqual([
      '0-1',
      '1-1',
      '0-1',
      '1-2',
      '2-2',
      '0-1',
      '1-2',
      '2-3',
    ]);
  });

  it('writes each row once though somebody had to act between two of them', async () => {
    const broken: MergeOutcome = { state: 'failed', again: false, reason: 'accessDenied' };
    const warehouse = new Failing(new Map([[2, broken]]));
    const flusher = await filled(warehouse);
    await expect(flusher.flushAll()).rejects.toThrow("table 'log' cannot be written: accessDenied");
    await flusher.flushAll();
    expect(written(warehouse)).toEqual(EACH_ONCE);
  });
});
