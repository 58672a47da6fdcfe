/** A process that reads one split of a source from wherever its root stands, until all that it has sent is taken. */
import { chainOf } from '../../../functions/engine/chain/stage-chain.ts';
import { SourceDecoder } from '../../../functions/engine/ingest/source-decoder.ts';
import {
  type ReadRecord,
  SplitReader,
  type SplitState,
  splitState,
} from '../../../functions/engine/ingest/split-reader.ts';
import type { Root, SettledFacts } from '../../../functions/engine/protocol/root.ts';
import type { ShardSetting } from '../../../functions/engine/shard/shard.ts';
import { MillraceError, RetryableError } from '../../../functions/model/errors.ts';
import type { EpochMillis, Millis } from '../../../functions/model/time.ts';
import type { Plan, PlannedSource } from '../../../functions/plan/plan.ts';
import type { RecordSpec } from '../scenario.ts';
import type { Findings } from './findings.ts';
import type { Instance } from './instance.ts';
import type { Random } from './random.ts';

export interface SplitSetting {
  readonly plan: Plan;
  readonly source: PlannedSource;
  readonly split: string;
  readonly records: readonly RecordSpec[];
  readonly setting: ShardSetting;
  /** Records of one commit, at most. */
  readonly bundle: number;
  /** Virtual time, whatever the instance's clock says. */
  readonly now: () => number;
  /** What the last sweep has found. */
  readonly findings: () => Findings;
  /** Whether nothing more is to be read. */
  readonly isDrained: () => boolean;
  readonly random: Random;
  readonly broken: (error: unknown) => void;
}

/** How long a process waits before it looks for more; and when there is no more, for what was taken; milliseconds. */
const PAUSE = 2_000;
const LONG_PAUSE = 60_000;

export async function readSplit(instance: Instance, options: SplitSetting): Promise<void> {
  for (;;) {
    try {
      return await readOn(instance, options);
    } catch (error) {
      if (!(error instanceof RetryableError) && !hasMovedOn(error)) options.broken(error);
    }
    await instance.clock.sleep(PAUSE as Millis);
  }
}

/** Somebody else reads the split, which is to be opened again. */
function hasMovedOn(error: unknown): boolean {
  return error instanceof MillraceError && error.code === 'SPLIT_MOVED_ON';
}

async function readOn(instance: Instance, options: SplitSetting): Promise<void> {
  const { plan, source, split, setting, records, random } = options;
  const chain = chainOf(plan, source, setting.inputWatermarkOf);
  await chain.setup();
  const reader = new SplitReader(source, split, setting, chain);
  const decoder = new SourceDecoder(source.id, source.node.source);
  await reader.open();
  let dropped: SettledFacts | undefined;
  for (;;) {
    const { position, ended } = reader.state;
    const most = random.whole(1, options.bundle);
    const ready = records.slice(position, position + most).filter(({ arrival }) => arrival <= options.now());
    const next = options.isDrained() ? [] : ready;
    const isLast = position + next.length === records.length;
    const { roots, settled } = options.findings();
    const facts = settled.get(reader.id);
    const hasNews = facts !== undefined && facts !== dropped;
    if (next.length > 0 || (isLast && !ended) || hasNews || reader.hasOutside)
      await reader.commit(
        next.map((record) => read(decoder, record)),
        isLast,
        facts,
      );
    dropped = facts;
    const hasRead = reader.state.ended || options.isDrained();
    if (hasRead && isSettled(reader.state, roots.get(reader.id))) return;
    await instance.clock.sleep(random.whole(1, hasRead ? LONG_PAUSE : PAUSE) as Millis);
  }
}

/** Whether all that was sent is taken; by what a sweep has found, which may be older. */
function isSettled({ position, ended }: SplitState, found: Root | undefined): boolean {
  if (found === undefined || Object.keys(found.open).length + found.outside.length > 0) return false;
  const state = splitState(found);
  return state.position === position && state.ended === ended;
}

function read(decoder: SourceDecoder, record: RecordSpec): ReadRecord {
  const raw = { value: record, id: record.id, arrival: record.arrival as EpochMillis };
  try {
    return { raw, decoded: decoder.decode(raw) };
  } catch (error) {
    return { raw, error };
  }
}
