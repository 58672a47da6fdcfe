/** Which dead letters an operator means. Every command over dead letters takes the same filter. */
import type { DeadLetter } from '../../engine/dead-letter.ts';
import type { EpochMillis } from '../../model/time.ts';

/** What is left out matches everything. */
export interface LetterFilter {
  /** Only these. */
  readonly ids?: readonly string[];
  /** The stage or source that wrote it, or the step that failed. */
  readonly stage?: string;
  readonly code?: string;
  readonly kind?: DeadLetter['kind'];
  /** Leaves out late records, which are no failures: nothing of theirs can be mended. */
  readonly failures?: boolean;
  /** Failed at or after this. */
  readonly since?: EpochMillis;
  /** Failed before this. */
  readonly until?: EpochMillis;
  /** Stands somewhere in message, key or value; small and capital letters are the same. */
  readonly text?: string;
  /** Default `dead`: neither replayed nor discarded. */
  readonly status?: DeadLetter['status'];
}

export function matches(letter: DeadLetter, filter: LetterFilter): boolean {
  const { ids, stage, code, kind, failures = false, since, until, text, status = 'dead' } = filter;
  if (letter.status !== status) return false;
  if (ids !== undefined && !ids.includes(letter.id)) return false;
  if (stage !== undefined && letter.stage !== stage && letter.step !== stage) return false;
  if (code !== undefined && letter.code !== code.toUpperCase()) return false;
  if (kind !== undefined && letter.kind !== kind) return false;
  if (failures && letter.kind === 'late') return false;
  if (since !== undefined && letter.failedAt < since) return false;
  if (until !== undefined && letter.failedAt >= until) return false;
  return text === undefined || contains(letter, text.toLowerCase());
}

function contains({ message, key, value, errorClass }: DeadLetter, text: string): boolean {
  return [message, errorClass, textOf(key), textOf(value)].some((part) => part.toLowerCase().includes(text));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
