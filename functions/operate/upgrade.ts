/**
 * Whether a version of a pipeline may go on with what is stored. Asked before traffic moves: when a deployment begins, and
 * by whoever opens a stored pipeline.
 */
import { ConfigurationError } from '../model/errors.ts';
import type { EpochMillis } from '../model/time.ts';
import type { Plan } from '../plan/plan.ts';
import { misfits, sameShape, storedShape } from '../plan/stored-shape.ts';
import type { ListingStore, Store } from '../ports/store.ts';
import { readControl, readDeployment, type TopologyControl, writeControl } from '../engine/control.ts';
import type { Root } from '../engine/protocol/root.ts';
import { drainProgress } from './drain.ts';
import { startAfresh } from './fresh-start.ts';
import { survey } from './status/survey.ts';
import { isUntouched } from './untouched.ts';

/** The new version does not fit the stored state; the message says where, and the ways on. */
export class UpgradeRefused extends ConfigurationError {
  override readonly code = 'UPGRADE_REFUSED';
  readonly problems: readonly string[];

  constructor(pipeline: string, problems: readonly string[]) {
    super(
      `this version of '${pipeline}' does not fit what is stored:\n${problems.map((problem) => `- ${problem}\n`).join('')}` +
        `Either drain the pipeline first (millrace drain), or give the new version a name of its own, and it starts afresh beside the old one.`,
    );
    this.problems = problems;
  }
}

/** What `admit` would say, without deciding anything. */
export async function checkUpgrade(store: Store, plan: Plan): Promise<readonly string[]> {
  const stored = await readControl(store, 'topology');
  return stored === undefined || stored.body.startingAfresh ? [] : misfits(stored.body.shape, storedShape(plan));
}

export interface AdmitOptions {
  /** Also a version that fits, under which a drain that is not through goes on: to mend what keeps it from its end. */
  readonly draining?: boolean;
}

/**
 * Admits a version: notes its shape, under a topology number that is higher than before when anything has changed. One that
 * was drained starts afresh, in a new epoch, whatever its stages were; so does one of which nothing has run yet.
 * @throws {UpgradeRefused} when it does not fit what is stored
 * @throws {NotDrained} while it drains, unless that is said: it would go on draining, and not start afresh
 * @throws {ContentionError} when another deployment was admitted at the same moment
 */
export async function admit(
  store: ListingStore,
  plan: Plan,
  now: EpochMillis,
  { draining = false }: AdmitOptions = {},
): Promise<TopologyControl> {
  const { topology: stored, drain } = await readDeployment(store);
  if (stored?.body.startingAfresh) return startAfresh(store, plan, now, stored);
  if (stored !== undefined && drain !== undefined) {
    const isThrough = !draining || drainProgress(await survey(store, plan.pipeline, now)).drained;
    if (isThrough) return startAfresh(store, plan, now, stored);
  }
  const shape = storedShape(plan);
  if (stored !== undefined) {
    if (sameShape(stored.body.shape, shape)) return stored.body;
    const problems = misfits(stored.body.shape, shape);
    if (problems.length > 0) {
      if (isUntouched(await survey(store, plan.pipeline, now))) return startAfresh(store, plan, now, stored);
      throw new UpgradeRefused(plan.pipeline, problems);
    }
  }
  const topology = stored === undefined ? await firstTopology(store) : stored.body.topology + 1;
  const admitted: TopologyControl = { topology, epoch: stored?.body.epoch ?? 1, shape, admittedAt: now };
  await writeControl(store, 'topology', admitted, stored);
  return admitted;
}

/** Where no version was noted, though some may have been deployed: what stands in the roots is not fallen behind. */
async function firstTopology(store: Store): Promise<number> {
  return (await store.roots()).reduce((newest, { body }) => Math.max(newest, (body as Root).topology), 1);
}
