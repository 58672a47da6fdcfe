/**
 * Pausing stages. Invariants: the order, and with it all that starts the delivery again, is stored before the first slot is
 * stopped, and taken back after the last one has started again. So each command may break off anywhere and be given again,
 * or the other one instead; a sweep never sends to a stage that is being paused; and what waits holds its watermarks, so
 * nothing goes late.
 */
import { type PausedStage, type PauseStep, readControl } from '../engine/control.ts';
import { ConfigurationError, messageOf } from '../model/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import type { Delivery, Subscriptions } from '../ports/subscriptions.ts';
import { changeControl, TRIES } from './change-control.ts';

/** The command broke off behind its order, and some slots of the stage may have been stopped or started, and others not. */
export class HalfDone extends ConfigurationError {
  override readonly code = 'HALF_DONE';

  constructor(stage: string, step: PauseStep, cause: unknown) {
    const [again, back] = step === 'pausing' ? ['pause', 'resume'] : ['resume', 'pause'];
    super(
      `'${stage}' may be ${HALF[step]} now; give it again (millrace ${again} ${stage}), or take it back (millrace ${back} ${stage}): ${messageOf(cause)}`,
      { cause },
    );
  }
}

/** What a stage is whose order is under way, or broke off. */
export const HALF: Readonly<Record<PauseStep, string>> = { pausing: 'half paused', resuming: 'half resumed' };

/**
 * Stops the delivery to a stage, also of slots that a deployment has started since it was paused.
 * @throws {HalfDone} when it broke off behind the order
 * @throws {ConfigurationError} when a slot is stopped, and nobody knows how it goes on; nothing is changed
 */
export async function pause(store: Store, subscriptions: Subscriptions, clock: Clock, stage: string): Promise<void> {
  const delivery: Delivery = { kind: 'stage', id: stage };
  let noted: unknown;
  for (let i = 0; i < TRIES; i++) {
    const before = await orderOf(store, stage);
    noted = await subscriptions.note(delivery, before?.delivery ?? noted);
    const order: PausedStage = { since: before?.since ?? clock.now(), delivery: noted, step: 'pausing' };
    if (!(await change(store, stage, (now) => isSame(now, before), order))) continue;
    const { step: _, ...paused } = order;
    try {
      await subscriptions.pause(delivery, noted);
      // Whoever has resumed it meanwhile may have let the note of what was stopped here go.
      if (await change(store, stage, (now) => isSame(now, order) || isSame(now, paused), paused)) return;
    } catch (error) {
      throw new HalfDone(stage, 'pausing', error);
    }
  }
  throw meddled(stage);
}

/**
 * Lets a paused stage go on, all of it, however far pausing or resuming it had come.
 * @throws {HalfDone} when it broke off behind the order
 * @throws {ConfigurationError} when it is not paused
 */
export async function resume(store: Store, subscriptions: Subscriptions, stage: string): Promise<void> {
  const before = await orderOf(store, stage);
  if (before === undefined) throw new ConfigurationError(`stage '${stage}' is not paused`);
  const order: PausedStage = { ...before, step: 'resuming' };
  if (!(await change(store, stage, (now) => isSame(now, before), order))) throw meddled(stage);
  try {
    await subscriptions.resume({ kind: 'stage', id: stage }, before.delivery);
    if (await change(store, stage, (now) => now === undefined || isSame(now, order), undefined)) return;
  } catch (error) {
    throw new HalfDone(stage, 'resuming', error);
  }
  throw meddled(stage);
}

function meddled(stage: string): ConfigurationError {
  return new ConfigurationError(
    `somebody else pauses or resumes '${stage}' at the same moment; see millrace status, and give the order again`,
  );
}

async function orderOf(store: Store, stage: string): Promise<PausedStage | undefined> {
  return (await readControl(store, 'paused'))?.body.stages[stage];
}

/**
 * Changes what is ordered for a stage; of other stages others may decide meanwhile.
 * @param expected of what is stored for the stage @returns whether it was as expected, and is changed
 */
async function change(
  store: Store,
  stage: string,
  expected: (now: PausedStage | undefined) => boolean,
  next: PausedStage | undefined,
): Promise<boolean> {
  const changed = await changeControl(store, 'paused', (paused) => {
    const { [stage]: now, ...others } = paused?.stages ?? {};
    if (!expected(now)) return undefined;
    return { stages: next === undefined ? others : { ...others, [stage]: next } };
  });
  return changed !== undefined;
}

function isSame(one: PausedStage | undefined, other: PausedStage | undefined): boolean {
  return one?.since === other?.since && one?.step === other?.step;
}
