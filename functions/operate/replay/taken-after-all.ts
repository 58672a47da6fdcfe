import { type DeadLetter, undeliveredId } from '../../engine/dead-letter.ts';
import { fateOf } from '../../engine/ids/fate.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Store } from '../../ports/store.ts';

/**
 * Whether a letter is of a message that Pub/Sub gave up on, and that was taken in after all: an instance had it in its hands
 * when the letter was written, and has committed it since. Its replay would count beside it.
 * @param now processing time
 */
export async function wasTakenAfterAll(
  { id, arrival, value, attributes = {}, unparsed, message }: DeadLetter,
  plan: Plan,
  store: Store,
  now: EpochMillis,
): Promise<boolean> {
  const source = plan.sources.find((each) => id.startsWith(undeliveredId(each.id, '')));
  if (source === undefined || arrival === undefined) return false;
  const sent = { id, publishTime: arrival, data: value, attributes, ...(unparsed ? { problem: message } : {}) };
  return (await fateOf(plan, source, sent, store, now)) === 'taken';
}
