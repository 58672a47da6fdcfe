/**
 * What an operator's command works on: a pipeline's store, and where its code is at hand the plan and a way to send. The
 * commands know nothing of where it is.
 */
import { ConfigurationError } from '../../model/errors.ts';
import type { Shape } from '../../plan/deployed-functions.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Bus } from '../../ports/bus.ts';
import type { Clock, Ids } from '../../ports/clock.ts';
import type { ListingStore } from '../../ports/store.ts';
import type { Subscriptions } from '../../ports/subscriptions.ts';
import type { OutsideCheck } from '../doctor/doctor.ts';
import type { Survey } from '../status/survey.ts';

/** How a pipeline was deployed, which its documents do not say. */
export interface DeployedAs {
  readonly region: string;
  /** Absent: as it is found. */
  readonly shape?: Shape;
}

export interface Target {
  readonly pipeline: string;
  /** For messages: `the state in out/state`, `project my-project`. */
  readonly where: string;
  readonly store: ListingStore;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The deployed topology's number. */
  readonly topology: number;
  readonly epoch: number;
  /** Absent where nobody has said where the pipeline's code is. */
  readonly plan?: Plan;
  readonly bus: Bus;
  /** Switches deliveries off and on; absent where nothing is delivered. */
  readonly subscriptions?: Subscriptions;
  /** What of the deployment beside its documents can be looked over; absent where nothing is deployed. */
  readonly outside?: (survey: Survey, as: DeployedAs) => Promise<readonly OutsideCheck[]>;
  /** Lets what was sent be taken, where nobody else does. */
  settle(): Promise<void>;
  /** Gives everything back; what was changed is kept. */
  close(): Promise<void>;
}

/** @throws {ConfigurationError} where nothing is delivered */
export function subscriptionsOf({ subscriptions, where }: Target): Subscriptions {
  if (subscriptions === undefined)
    throw new ConfigurationError(
      `nothing is delivered in ${where}, so nothing can be stopped; name a project or --emulators`,
    );
  return subscriptions;
}

/** @throws {ConfigurationError} when the code is not at hand */
export function planOf({ plan, pipeline }: Target): Plan {
  if (plan === undefined)
    throw new ConfigurationError(
      `this needs the code of pipeline '${pipeline}'; name its module, e.g. --pipeline ./functions/pipelines/${pipeline}.ts`,
    );
  return plan;
}
