/**
 * In Pub/Sub's place: a stage that operators have paused, and the sources of a pipeline that drains, get nothing from the
 * relay. In the cloud the commands take the push endpoints off; here the relay looks at what they have decided.
 */
import { readOrders } from '../../functions/engine/control.ts';
import { messageOf } from '../../functions/model/errors.ts';
import type { Plan } from '../../functions/plan/plan.ts';
import { slotsOf } from '../../functions/plan/deployed-functions.ts';
import { sourceSubscription, stageTopic } from '../../functions/plan/resource-names.ts';
import type { Store } from '../../functions/ports/store.ts';
import type { Relay } from '../relay/relay.ts';

const LOOK_EVERY_MILLIS = 500;

export interface FollowedOrders {
  stop(): Promise<void>;
}

export function followOrders(
  plan: Plan,
  store: Store,
  relay: Relay,
  onProblem: (cause: string) => void,
): FollowedOrders {
  const stopped = new Set<string>();
  let ended = false;
  let wake = (): void => {};
  const look = async (): Promise<void> => {
    const { paused, drain } = await readOrders(store);
    const stages = plan.stages.filter(({ id }) => paused.has(id));
    const wanted = new Set(
      stages.flatMap((stage) => slotsOf(stage).map((slot) => stageTopic(plan.pipeline, stage.id, slot))),
    );
    if (drain !== undefined) for (const { id } of plan.sources) wanted.add(sourceSubscription(plan.pipeline, id));
    for (const name of wanted) if (!stopped.has(name)) relay.pause(name);
    for (const name of stopped) if (!wanted.has(name)) relay.resume(name);
    stopped.clear();
    for (const name of wanted) stopped.add(name);
  };
  const looking = (async () => {
    while (!ended) {
      await look().catch((error: unknown) => onProblem(`orders of operators cannot be read: ${messageOf(error)}`));
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, LOOK_EVERY_MILLIS);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  })();
  return {
    stop: async () => {
      ended = true;
      wake();
      await looking;
    },
  };
}
