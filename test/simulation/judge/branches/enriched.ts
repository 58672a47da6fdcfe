/** Enrichment: each element comes through once with what the model says of it, and the model is asked at the rate set. */
import type { Row } from '../../../../functions/ports/warehouse.ts';
import type { EnrichedSpec } from '../../scenario.ts';
import { ENRICHED } from '../../world/branches/enriched.ts';
import type { World } from '../../world/world.ts';
import { Violation } from '../violation.ts';
import type { BranchArrival } from './branches.ts';

const MINUTE = 60_000;
/** Tokens come on the clock of the shard, which may go ahead with that of an instance. */
const MOST_AHEAD = 2 * MINUTE;
/** What a bucket saves up, as a share of a minute's requests. */
const BURST = 1 / 12;

/**
 * @param arrivals with what is asked of each for a key
 * @param refused the tokens of which the model would hear nothing
 */
export function checkEnriched(
  { requestsPerMinute }: EnrichedSpec,
  arrivals: readonly BranchArrival[],
  rows: readonly Row[],
  refused: ReadonlySet<string>,
  { requests, start }: Pick<World, 'requests' | 'start'>,
): void {
  const should = arrivals.map(({ token }) => token).filter((token) => !refused.has(token));
  const is = rows.map((row) => String(row['token']));
  if (should.sort().join() !== is.sort().join())
    throw new Violation('each element has exactly one end', `${ENRICHED} has ended ${is} instead of ${should}`);
  const keys = new Map(arrivals.map(({ token, key }) => [token, key]));
  const wrong = rows.find((row) => row['told'] !== keys.get(String(row['token'])));
  if (wrong !== undefined)
    throw new Violation('predictions answer their instances', `${wrong['token']} got that of ${wrong['told']}`);
  for (const [i, at] of requests.entries()) {
    const most = requestsPerMinute * ((at - start + MOST_AHEAD) / MINUTE + BURST) + 1;
    if (i + 1 > most)
      throw new Violation('the rate of calls is kept', `${i + 1} requests after ${Math.round((at - start) / 1_000)} s`);
  }
}
