/** The filter that every command over dead letters takes. */
import type { Command } from 'commander';
import { ConfigurationError } from '../model/errors.ts';
import type { EpochMillis } from '../model/time.ts';
import type { LetterFilter } from '../operate/dead-letters/filter.ts';
import { stageOf, survey } from '../operate/status/survey.ts';
import type { Target } from '../operate/target/target.ts';
import { at, readTime } from './format.ts';

export interface FilterOptions {
  readonly stage?: string;
  readonly code?: string;
  readonly kind?: string;
  readonly since?: string;
  readonly until?: string;
  readonly text?: string;
  readonly status?: string;
}

const KINDS = ['element', 'firing', 'source', 'late', 'row'] as const;
const STATUSES = ['dead', 'replayed', 'discarded'] as const;

export function addFilterOptions(command: Command): Command {
  return command
    .option('--stage <name>', 'of this stage, source or step')
    .option('--code <code>', 'with this error code, e.g. DECODE, USER_CODE, TOO_LARGE, ROW_REFUSED')
    .option('--kind <kind>', KINDS.join(', '))
    .option('--since <time>', 'failed at or after this: 2026-01-31T10:00Z, or how long ago, such as 30m')
    .option('--until <time>', 'failed before this')
    .option('--text <text>', 'with this text in message, key or value');
}

export function readFilter(options: FilterOptions, ids: readonly string[], now: EpochMillis): LetterFilter {
  const { stage, code, since, until, text } = options;
  const kind = oneOf('--kind', options.kind, KINDS);
  const status = oneOf('--status', options.status, STATUSES);
  const from = since === undefined ? undefined : readTime('--since', since, now);
  const to = until === undefined ? undefined : readTime('--until', until, now);
  if (from !== undefined && to !== undefined && from >= to)
    throw new ConfigurationError(`--until: expected a time after --since (${at(from)}), got '${until}'`);
  return {
    ...(ids.length === 0 ? {} : { ids }),
    ...(stage === undefined ? {} : { stage }),
    ...(code === undefined ? {} : { code }),
    ...(kind === undefined ? {} : { kind }),
    ...(from === undefined ? {} : { since: from }),
    ...(to === undefined ? {} : { until: to }),
    ...(text === undefined ? {} : { text }),
    ...(status === undefined ? {} : { status }),
  };
}

/**
 * Called where a filter has found nothing, which a mistyped name does too. Letters of a stage that is gone are found all the same.
 * @throws {ConfigurationError} when nothing has the name that was asked for
 */
export async function requireKnownPlace({ stage }: LetterFilter, target: Target): Promise<void> {
  if (stage === undefined) return;
  const { store, pipeline, clock, plan } = target;
  const surveyed = await survey(store, pipeline, clock.now(), plan);
  const isSource = surveyed.shape.sources.some(({ id }) => id === stage);
  const isStep = plan?.graph.nodes.some(({ name }) => name === stage);
  if (!isSource && !isStep) stageOf(surveyed, stage);
}

function oneOf<const W extends string>(flag: string, word: string | undefined, words: readonly W[]): W | undefined {
  if (word !== undefined && !words.includes(word as W))
    throw new ConfigurationError(`${flag}: expected ${words.join(', ')}, got '${word}'`);
  return word as W | undefined;
}
