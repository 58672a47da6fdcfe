/**
 * What sweeps publish: the watermarks of a pipeline, in one document of numbers that only rise. Invariant: watermarks belong
 * to an epoch and stand under its number, so that a sweep of an epoch before never moves those of the present one.
 */
import { type EpochMillis, MIN_TIMESTAMP } from '../model/time.ts';
import type { Store } from '../ports/store.ts';
import type { Watermarks } from './protocol/watermarks.ts';

/** The name of the pipeline's own document. */
export const PIPELINE_DOCUMENT = { collection: 'pipeline', id: 'pipeline' } as const;

/** What the last sweeps have published. Every watermark in it is safe to adopt. */
export interface Published {
  readonly watermarks: Watermarks;
  /** Processing time of the latest sweep; `MIN_TIMESTAMP` = there was none. */
  readonly lastSweep: EpochMillis;
  /** Of each source of messages: everything published before was taken in and acknowledged. */
  readonly horizons: Readonly<Record<string, EpochMillis>>;
  /** Of each source of messages: everything that was taken in before (processing time) was taken by the stages. */
  readonly taken: Readonly<Record<string, EpochMillis>>;
  /** Of each stage and source: the processing time of the sweep that last moved its output watermark. */
  readonly moved: Readonly<Record<string, EpochMillis>>;
}

/** @param epoch whose watermarks are read; times of processing are common to all. Default 1 */
export async function readPublished(store: Store, epoch = 1): Promise<Published> {
  const [stored] = await store.get(PIPELINE_DOCUMENT.collection, [PIPELINE_DOCUMENT.id]);
  return fromFields((stored?.body as PipelineFields | undefined) ?? {}, prefixOf(epoch));
}

/**
 * The pipeline's document: numbers that only rise. `in:{stage}`, `out:{stage or source}`, `moved:{stage or source}`, from the
 * second epoch on behind `{epoch}:`; and `horizon:{source}`, `taken:{source}`, `lastSweep`.
 */
type PipelineFields = Readonly<Record<string, number>>;

/** @param before what was published until now @param epoch whose watermarks they are */
export function toFields(
  { input, output }: Watermarks,
  lastSweep: EpochMillis,
  { horizons, taken }: Pick<Published, 'horizons' | 'taken'>,
  before: Published,
  epoch = 1,
): PipelineFields {
  const own = prefixOf(epoch);
  const fields: Record<string, number> = { lastSweep };
  for (const stage in input) fields[`${own}in:${stage}`] = input[stage]!;
  for (const stage in output) fields[`${own}out:${stage}`] = output[stage]!;
  for (const source in horizons) fields[`horizon:${source}`] = horizons[source]!;
  for (const source in taken) fields[`taken:${source}`] = taken[source]!;
  for (const name in output)
    if (output[name] !== before.watermarks.output[name]) fields[`${own}moved:${name}`] = lastSweep;
  return fields;
}

function fromFields(fields: PipelineFields, own: string): Published {
  const input: Record<string, EpochMillis> = {};
  const output: Record<string, EpochMillis> = {};
  const horizons: Record<string, EpochMillis> = {};
  const taken: Record<string, EpochMillis> = {};
  const moved: Record<string, EpochMillis> = {};
  const families: Readonly<Record<string, Record<string, EpochMillis>>> = {
    [`${own}in:`]: input,
    [`${own}out:`]: output,
    [`${own}moved:`]: moved,
    'horizon:': horizons,
    'taken:': taken,
  };
  for (const name in fields) {
    const end = name.lastIndexOf(':') + 1;
    const family = families[name.slice(0, end)];
    if (family !== undefined) family[name.slice(end)] = fields[name] as EpochMillis;
  }
  const lastSweep = (fields['lastSweep'] ?? MIN_TIMESTAMP) as EpochMillis;
  return { watermarks: { input, output }, lastSweep, horizons, taken, moved };
}

function prefixOf(epoch: number): string {
  return epoch === 1 ? '' : `${epoch}:`;
}
