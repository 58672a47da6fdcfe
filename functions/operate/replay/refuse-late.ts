import { readControl } from '../../engine/control.ts';
import { ConfigurationError } from '../../model/errors.ts';
import { describeInstant } from '../../model/time.ts';
import { replayLetters, type ReplayOptions } from './replay-letters.ts';
import type { ReplaySetting } from './replayer.ts';

/**
 * A drain closes windows for good, so what is replayed then may come too late and only leave late records. The letters stay, and
 * come in time when the pipeline has been started afresh.
 * @throws {ConfigurationError} when it drains and something would come too late; nothing was replayed
 */
export async function refuseLate(setting: ReplaySetting, options: ReplayOptions): Promise<void> {
  const { store, plan } = setting;
  const drain = (await readControl(store, 'drain'))?.body;
  if (drain === undefined) return;
  let late = 0;
  for await (const outcome of replayLetters(setting, { ...options, dryRun: true }))
    if (outcome.outcome !== 'skipped') late += outcome.late;
  if (late > 0)
    throw new ConfigurationError(
      `'${plan.pipeline}' drains since ${describeInstant(drain.since)}, and ${late} of the elements would come too late; replay them when it is deployed again, or only those that are in time (see --dry-run)`,
    );
}
