/** Dead letters by cause: what an operator wants to know first. */
import type { DeadLetter } from '../../engine/dead-letter.ts';
import { type EpochMillis, earlier, later } from '../../model/time.ts';

export interface Cause {
  readonly stage: string;
  readonly step: string;
  readonly kind: DeadLetter['kind'];
  readonly code: string;
  /** The message without what differs from letter to letter: numbers, quoted words, long hexadecimal names. */
  readonly cause: string;
  readonly letters: number;
  /** The elements that they stand for. */
  readonly elements: number;
  readonly first: EpochMillis;
  readonly last: EpochMillis;
  /** One of them, for `show`. */
  readonly example: string;
}

/** The most frequent first. */
export function groupByCause(letters: Iterable<DeadLetter>): Cause[] {
  const causes = new Map<string, Cause>();
  for (const letter of letters) {
    const { stage, step, kind, code, count, failedAt } = letter;
    const cause = causeOf(letter.message);
    const name = JSON.stringify([stage, step, kind, code, cause]);
    const known = causes.get(name);
    causes.set(name, {
      ...{ stage, step, kind, code, cause },
      letters: (known?.letters ?? 0) + 1,
      elements: (known?.elements ?? 0) + count,
      first: known === undefined ? failedAt : earlier(known.first, failedAt),
      last: known === undefined ? failedAt : later(known.last, failedAt),
      example: known?.example ?? letter.id,
    });
  }
  return [...causes.values()].sort((a, b) => b.letters - a.letters || (a.step < b.step ? -1 : 1));
}

export function causeOf(message: string): string {
  const [first = ''] = message.split('\n');
  return first
    .replace(/'[^']*'|"[^"]*"|`[^`]*`/g, '…')
    .replace(/\b[0-9a-f]{12,}\b/gi, '#')
    .replace(/-?\d+(?:[.,:]\d+)*/g, '#')
    .slice(0, 200);
}
