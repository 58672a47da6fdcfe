/**
 * Pausing stages. Invariant: the decision is stored before delivery stops, and taken back after it has started again, so a
 * sweep never sends to a stage that is being paused; what waits holds its watermarks, so nothing goes late.
 */
import { type PausedControl, readControl, writeControl } from '../engine/control.ts';
import { ConfigurationError } from '../model/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import type { Subscriptions } from '../ports/subscriptions.ts';

/** @throws {ConfigurationError} when it is paused already */
export async function pause(store: Store, subscriptions: Subscriptions, clock: Clock, stage: string): Promise<void> {
  const before = await readControl(store, 'paused');
  const stages = before?.body.stages ?? {};
  // A half of it that broke off is done again.
  if ((stages[stage]?.delivery ?? null) !== null) throw new ConfigurationError(`stage '${stage}' is paused already`);
  const since = stages[stage]?.since ?? clock.now();
  await writeControl(store, 'paused', { stages: { ...stages, [stage]: { since, delivery: null } } }, before);
  const delivery = (await subscriptions.pause({ kind: 'stage', id: stage })) ?? {};
  await change(store, (now) => ({ ...now, [stage]: { since, delivery } }));
}

/** @throws {ConfigurationError} when it is not paused */
export async function resume(store: Store, subscriptions: Subscriptions, stage: string): Promise<void> {
  const paused = (await readControl(store, 'paused'))?.body.stages[stage];
  if (paused === undefined) throw new ConfigurationError(`stage '${stage}' is not paused`);
  await subscriptions.resume({ kind: 'stage', id: stage }, paused.delivery);
  await change(store, ({ [stage]: _, ...others }) => others);
}

async function change(store: Store, next: (stages: PausedControl['stages']) => PausedControl['stages']): Promise<void> {
  const before = await readControl(store, 'paused');
  await writeControl(store, 'paused', { stages: next(before?.body.stages ?? {}) }, before);
}
