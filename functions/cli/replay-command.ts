import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Command } from 'commander';
import { readPublished } from '../engine/pipeline-document.ts';
import { ConfigurationError, messageOf } from '../model/errors.ts';
import { MIN_TIMESTAMP } from '../model/time.ts';
import type { LetterFilter } from '../operate/dead-letters/filter.ts';
import { findLetters } from '../operate/dead-letters/letters.ts';
import type { Patch } from '../operate/replay/patch.ts';
import { refuseLate } from '../operate/replay/refuse-late.ts';
import { replayLetters, type ReplayOptions } from '../operate/replay/replay-letters.ts';
import { requireDeployed } from '../operate/replay/require-deployed.ts';
import type { ReplayOutcome, ReplaySetting } from '../operate/replay/replayer.ts';
import { requireStored } from '../operate/status/survey.ts';
import { planOf, type Target } from '../operate/target/target.ts';
import { confirm } from './confirm.ts';
import { counted, readNumber, readWholeNumber } from './format.ts';
import type { Io } from './io.ts';
import { ItemsFailed } from './items-failed.ts';
import { addFilterOptions, type FilterOptions, readFilter, requireKnownPlace } from './letter-filter.ts';
import { addTargetOptions, onTarget, type TargetOptions } from './target-options.ts';

interface ReplayCommandOptions extends TargetOptions, FilterOptions {
  readonly dryRun?: boolean;
  readonly limit?: string;
  readonly rate?: string;
  readonly patch?: string;
  readonly name?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** `millrace dead-letters replay`: brings letters back to the step that failed. */
export function replayCommand(io: Io): Command {
  return addFilterOptions(
    addTargetOptions(
      new Command('replay')
        .description(
          'bring letters back to the step that failed; each counts once, however often. Late records only with --kind late or by id',
        )
        .argument('[ids...]'),
    ),
  )
    .option('--dry-run', 'say what would come of it, and what would be late, and do nothing')
    .option('--limit <n>', 'at most so many')
    .option('--rate <n>', 'at most so many a second')
    .option('--patch <module>', 'a module whose default export mends the payload: (value, letter) => value')
    .option('--name <name>', 'a name for this replay, e.g. a ticket')
    .option('--yes', 'do not ask')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nExample:\n  millrace dead-letters replay --pipeline flights --code DECODE --patch ./mend.ts --dry-run',
    )
    .action((ids: string[], options: ReplayCommandOptions) =>
      onTarget(options, async (target) => {
        const chosen = ids.length > 0 || options.kind !== undefined;
        const filter = { ...readFilter(options, ids, target.clock.now()), ...(chosen ? {} : { failures: true }) };
        await requireStored(target.store, target.pipeline);
        const setting = await settingOf(target, options.patch);
        const limit = options.limit === undefined ? undefined : readWholeNumber('--limit', options.limit);
        const count = await countOf(target, filter, limit);
        if (count === 0) await requireKnownPlace(filter, target);
        if (!options.dryRun)
          await confirm(io, `Replay ${counted(count, 'dead letter')} of '${target.pipeline}'?`, options.yes);
        const replay: ReplayOptions = {
          filter,
          ...(options.name === undefined ? {} : { name: options.name }),
          ...(options.dryRun ? { dryRun: true } : {}),
          ...(limit === undefined ? {} : { limit }),
          ...(options.rate === undefined ? {} : { rate: readNumber('--rate', options.rate) }),
        };
        if (!options.dryRun) {
          await refuseLate(setting, replay);
          // Fails before anything is taken, where what is sent could not go on; and brings what was sent before.
          await target.settle();
        }
        const outcomes: ReplayOutcome[] = [];
        for await (const outcome of replayLetters(setting, replay)) {
          outcomes.push(outcome);
          if (!options.json) io.out(describe(outcome, options.dryRun ?? false));
        }
        if (!options.dryRun) await target.settle();
        report(io, target.pipeline, outcomes, ids, options);
      }),
    );
}

async function settingOf(target: Target, patch: string | undefined): Promise<ReplaySetting> {
  const { store, bus, clock, ids, topology, epoch } = target;
  const { watermarks } = await readPublished(store, epoch);
  const plan = planOf(target);
  await requireDeployed(store, plan);
  return {
    plan,
    ...{ store, bus, clock, ids, topology, epoch },
    version: String(topology),
    inputWatermarkOf: (stage) => watermarks.input[stage] ?? MIN_TIMESTAMP,
    ...(patch === undefined ? {} : { patch: await loadPatch(patch) }),
  };
}

async function loadPatch(file: string): Promise<Patch> {
  const path = resolve(file);
  if (!existsSync(path)) throw new ConfigurationError(`--patch: there is no file ${file}`);
  let module: { default?: unknown };
  try {
    module = (await import(pathToFileURL(path).href)) as { default?: unknown };
  } catch (error) {
    throw new ConfigurationError(`--patch: ${file} cannot be loaded: ${messageOf(error)}`, { cause: error });
  }
  if (typeof module.default !== 'function')
    throw new ConfigurationError(`--patch: ${file} exports no function; write: export default (value, letter) => …`);
  return module.default as Patch;
}

async function countOf({ store }: Target, filter: LetterFilter, limit = Number.POSITIVE_INFINITY): Promise<number> {
  let count = 0;
  for await (const _ of findLetters(store, filter)) if (++count >= limit) break;
  return count;
}

function describe(outcome: ReplayOutcome, dryRun: boolean): string {
  const { id } = outcome;
  if (outcome.outcome === 'skipped') return `${id}: skipped: ${outcome.reason}`;
  const late = outcome.late > 0 ? `, of which ${outcome.late} ${outcome.late === 1 ? 'comes' : 'come'} too late` : '';
  const sent = `${counted(outcome.sent, 'element')} ${dryRun ? 'would go' : 'sent'}${late}`;
  return outcome.outcome === 'failed' ? `${id}: fails again: ${outcome.reason} (${sent})` : `${id}: ${sent}`;
}

function report(
  io: Io,
  pipeline: string,
  outcomes: readonly ReplayOutcome[],
  ids: readonly string[],
  options: ReplayCommandOptions,
): void {
  const count = (what: ReplayOutcome['outcome']): number => outcomes.filter(({ outcome }) => outcome === what).length;
  const late = outcomes.reduce((sum, outcome) => sum + ('late' in outcome ? outcome.late : 0), 0);
  const unknown = [...new Set(ids)].filter((id) => !outcomes.some((outcome) => outcome.id === id));
  const counts = { replayed: count('replayed'), failed: count('failed'), skipped: count('skipped'), late };
  const dryRun = options.dryRun ?? false;
  if (options.json) io.out(JSON.stringify({ pipeline, dryRun, ...counts, unknown, outcomes }));
  else
    io.out(
      `${dryRun ? 'would be ' : ''}replayed ${counts.replayed}, failed again ${counts.failed}, skipped ${counts.skipped}, too late ${late}`,
    );
  const bad = counts.failed + counts.skipped + unknown.length;
  if (bad > 0)
    throw new ItemsFailed(
      `${bad} of ${outcomes.length + unknown.length} letters did not go${unknown.length > 0 ? `; not dead, or never there: ${unknown.join(', ')}` : ''}`,
    );
}
