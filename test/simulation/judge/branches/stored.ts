/** Rows: each element is there once, or was refused and is one dead letter; and what was mended since is there too. */
import type { DeadLetter } from '../../../../functions/engine/dead-letter.ts';
import type { Row } from '../../../../functions/ports/warehouse.ts';
import type { StoredSpec } from '../../scenario.ts';
import { isRefused, STORED } from '../../world/branches/stored.ts';
import { Violation } from '../violation.ts';
import type { BranchArrival } from './branches.ts';

export function checkStored(
  { refuses }: StoredSpec,
  arrivals: readonly BranchArrival[],
  rows: readonly Row[],
  letters: readonly DeadLetter[],
): void {
  const tokens = arrivals.map(({ token }) => token);
  const refused = tokens.filter((token) => isRefused(token, refuses));
  const own = letters.filter(({ kind }) => kind === 'row');
  compare('what is refused is one dead letter', refused, own.map(tokenOf));
  const mended = own.filter(({ status }) => status === 'replayed').map(tokenOf);
  compare(
    'each element has exactly one end',
    tokens.filter((token) => !refused.includes(token) || mended.includes(token)),
    rows.map((row) => String(row['token'])),
  );
}

function compare(rule: string, should: readonly string[], is: readonly string[]): void {
  if ([...should].sort().join() !== [...is].sort().join())
    throw new Violation(rule, `${STORED} has ${is} instead of ${should}`);
}

function tokenOf({ value }: DeadLetter): string {
  return String((value as { token: unknown }).token);
}
