/** The filter that every command over dead letters takes. */
import type { Command } from 'commander';
import { ConfigurationError } from '../model/errors.ts';
import type { EpochMillis } from '../model/time.ts';
import type { LetterFilter } from '../operate/dead-letters/filter.ts';
import { readTime } from './format.ts';

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
  return {
    ...(ids.length === 0 ? {} : { ids }),
    ...(stage === undefined ? {} : { stage }),
    ...(code === undefined ? {} : { code }),
    ...(kind === undefined ? {} : { kind }),
    ...(since === undefined ? {} : { since: readTime('--since', since, now) }),
    ...(until === undefined ? {} : { until: readTime('--until', until, now) }),
    ...(text === undefined ? {} : { text }),
    ...(status === undefined ? {} : { status }),
  };
}

function oneOf<const W extends string>(flag: string, word: string | undefined, words: readonly W[]): W | undefined {
  if (word !== undefined && !words.includes(word as W))
    throw new ConfigurationError(`${flag}: expected ${words.join(', ')}, got '${word}'`);
  return word as W | undefined;
}
