import type { BundleOutput } from '../../engine/chain/bundle-output.ts';
import { chainOf } from '../../engine/chain/stage-chain.ts';
import type { ReadRecord } from '../../engine/ingest/split-reader.ts';
import { ConfigurationError } from '../../model/errors.ts';
import { MAIN_OUTPUT } from '../../model/graph.ts';
import { MIN_TIMESTAMP } from '../../model/time.ts';
import type { Plan, PlannedSource } from '../../plan/plan.ts';

/**
 * Runs the steps before the first shuffle twice. A message may be taken in again, on another instance, and what it makes
 * then must be what it made before.
 * @throws {ConfigurationError} naming the steps when they are not repeatable
 */
export async function checkRepeatable(
  plan: Plan,
  source: PlannedSource,
  records: readonly ReadRecord[],
): Promise<void> {
  const [first, second] = [await runOnce(plan, source, records), await runOnce(plan, source, records)];
  const difference = first.findIndex((text, i) => text !== second[i]);
  if (difference < 0 && first.length === second.length) return;
  const at = difference < 0 ? Math.min(first.length, second.length) : difference;
  throw new ConfigurationError(
    `the steps behind source '${source.id}' (${source.steps.join(', ')}) are not repeatable: run twice on the same elements they made ${first[at] ?? 'nothing'} and then ${second[at] ?? 'nothing'}; use no clock, no random numbers and no memory before the first shuffle`,
  );
}

async function runOnce(plan: Plan, source: PlannedSource, records: readonly ReadRecord[]): Promise<string[]> {
  const chain = chainOf(plan, source, () => MIN_TIMESTAMP);
  await chain.setup();
  await chain.begin();
  for (const record of records) if ('decoded' in record) await chain.entry(MAIN_OUTPUT)(record.decoded.element);
  const { outgoing, outside, failures }: BundleOutput = await chain.finish();
  await chain.teardown();
  return [
    ...outgoing.map(({ target, text }) => `${text} for ${target}`),
    ...outside.map(({ topic, data, attributes }) => `${JSON.stringify([data, attributes])} for topic ${topic}`),
    ...failures.map(({ step, element }) => `a failure of '${step}' on ${JSON.stringify(element.value)}`),
  ];
}
