import { type DeadLetter, undeliveredId } from '../../engine/dead-letter.ts';
import { fatesOf, type GivenUp } from '../../engine/ids/fate.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Store } from '../../ports/store.ts';

/**
 * Of letters those whose message Pub/Sub gave up on, and that was taken in after all: an instance had it in its hands when the
 * letter was written, and has committed it since. A replay would count beside it.
 * @param now processing time
 */
export async function takenAfterAll(
  letters: readonly DeadLetter[],
  plan: Plan,
  store: Store,
  now: EpochMillis,
): Promise<ReadonlySet<DeadLetter>> {
  const given = letters.flatMap((letter) => {
    const givenUp = givenUpIn(letter, plan);
    return givenUp === undefined ? [] : [{ letter, givenUp }];
  });
  const messages = given.map(({ givenUp }) => givenUp);
  const fates = await fatesOf(plan, messages, store, now);
  return new Set(given.filter((_, i) => fates[i] === 'taken').map(({ letter }) => letter));
}

/** The message of a letter that was written since Pub/Sub gave up on it. */
function givenUpIn(
  { id, arrival, value, attributes = {}, unparsed, message }: DeadLetter,
  plan: Plan,
): GivenUp | undefined {
  const source = plan.sources.find((each) => id.startsWith(undeliveredId(each.id, '')));
  if (source === undefined || arrival === undefined) return undefined;
  const sent = { id, publishTime: arrival, data: value, attributes, ...(unparsed ? { problem: message } : {}) };
  return { source, message: sent };
}
