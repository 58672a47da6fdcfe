/**
 * What operators have ordered outlasts a deployment: that sets the push endpoint of every subscription, also of stages that are
 * paused, and of the sources of a drain that was ordered while it was under way. Called when it is through.
 */
import { readControl } from '../../engine/control.ts';
import { describeInstant, type EpochMillis } from '../../model/time.ts';
import type { StoredShape } from '../../plan/stored-shape.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import type { Subscriptions } from '../../ports/subscriptions.ts';
import { deliveredSources, stopSources } from '../drain.ts';
import { pause, resume } from '../pause.ts';

export interface OrdersAfter {
  /** The stages that were stopped again. */
  readonly paused: readonly string[];
  /** Since when the pipeline drains, its sources stopped again; null = it does not. */
  readonly drainingSince: EpochMillis | null;
}

/** @throws {ConfigurationError} when a subscription cannot be stopped; it may be called again */
export async function holdOrders(
  store: Store,
  subscriptions: Subscriptions,
  clock: Clock,
  shape: StoredShape,
): Promise<OrdersAfter> {
  const ordered = (await readControl(store, 'paused'))?.body.stages ?? {};
  const paused: string[] = [];
  for (const { id } of shape.stages) {
    if (ordered[id]?.step === 'resuming') await resume(store, subscriptions, id);
    else if (ordered[id] !== undefined) {
      await pause(store, subscriptions, clock, id);
      paused.push(id);
    }
  }
  const drain = (await readControl(store, 'drain'))?.body;
  if (drain !== undefined) await stopSources(subscriptions, deliveredSources(shape));
  return { paused, drainingSince: drain?.since ?? null };
}

/** What was held, and what to do. */
export function describeOrders(pipeline: string, { paused, drainingSince }: OrdersAfter): string[] {
  const again = paused.map((stage) => `'${stage}' is paused, as before; let it go on with: millrace resume ${stage}`);
  if (drainingSince === null) return again;
  return [
    ...again,
    `'${pipeline}' drains since ${describeInstant(drainingSince)}, and reads no more: what came meanwhile was taken, or waits in its subscriptions; deploy it again when millrace drain says that it is through`,
  ];
}
