import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PubSubSubscriptions } from '../../functions/cloud/pubsub/subscriptions.ts';
import { type PausedStage, readControl } from '../../functions/engine/control.ts';
import { MemoryStore } from '../../functions/local/memory-store.ts';
import { MemoryBus } from '../../functions/local/memory-bus.ts';
import { MemorySubscriptions } from '../../functions/local/memory-subscriptions.ts';
import { SeededIds, VirtualClock } from '../../functions/local/virtual-clock.ts';
import { RetryableError } from '../../functions/model/errors.ts';
import type { EpochMillis } from '../../functions/model/time.ts';
import { pause, resume } from '../../functions/operate/pause.ts';
import { stageTopic } from '../../functions/plan/resource-names.ts';
import type { Batch, Collection, CommitResult, StoredDocument } from '../../functions/ports/store.ts';

const { cloud } = vi.hoisted(() => ({
  cloud: {
    /** What each subscription pushes to, by its path. */
    endpoints: new Map<string, string>(),
    /** How many steps are done until the line is cut, once. */
    dies: Number.POSITIVE_INFINITY,
    /** Whether the step that it is cut in was done, and only its answer is lost. */
    isDone: false,
    /** Called once, before the step of that number. */
    meanwhile: undefined as undefined | { at: number; run: () => Promise<void> },
    /** Steps that were asked for. */
    steps: 0,
  },
}));

/** One step to the outside, in which the line may be cut. */
async function step<T>(work: () => Promise<T> | T): Promise<T> {
  const number = ++cloud.steps;
  const { meanwhile } = cloud;
  if (meanwhile?.at === number) {
    cloud.meanwhile = undefined;
    await meanwhile.run();
  }
  if (number !== cloud.dies) return work();
  cloud.dies = Number.POSITIVE_INFINITY;
  if (cloud.isDone) await work();
  throw new RetryableError('the line was cut');
}

vi.mock('@google-cloud/pubsub', () => ({
  v1: {
    SubscriberClient: class {
      getSubscription({ subscription }: { subscription: string }) {
        const { endpoints } = cloud;
        return step(() => {
          const pushEndpoint = endpoints.get(subscription);
          if (pushEndpoint === undefined) throw Object.assign(new Error('5 NOT_FOUND'), { code: 5 });
          return [{ pushConfig: { pushEndpoint } }];
        });
      }
      modifyPushConfig({ subscription, pushConfig }: { subscription: string; pushConfig: { pushEndpoint?: string } }) {
        return step(() => {
          cloud.endpoints.set(subscription, pushConfig.pushEndpoint ?? '');
        });
      }
      async close() {}
    },
  },
}));

class CutStore extends MemoryStore {
  override get(collection: Collection, ids: readonly string[]): Promise<readonly (StoredDocument | undefined)[]> {
    return step(() => super.get(collection, ids));
  }

  override commit(batch: Batch): Promise<CommitResult> {
    return step(() => super.commit(batch));
  }
}

const SLOTS = 3;
const clock = new VirtualClock(1_700_006_400_000 as EpochMillis);
const path = (slot: number): string => `projects/p/subscriptions/${stageTopic('sales', 'counts', slot)}`;
const pushes = (): string[] => Array.from({ length: slots }, (_, slot) => cloud.endpoints.get(path(slot))!);
const ON = ['https://counts-0', 'https://counts-1', 'https://counts-2'];
const OFF = ['', '', ''];
let slots: number;
let store: CutStore;
let subscriptions: PubSubSubscriptions;

beforeEach(() => {
  slots = SLOTS;
  cloud.endpoints.clear();
  for (const [slot, endpoint] of ON.entries()) cloud.endpoints.set(path(slot), endpoint);
  Object.assign(cloud, { dies: Number.POSITIVE_INFINITY, meanwhile: undefined, steps: 0 });
  store = new CutStore({ strict: true });
  subscriptions = new PubSubSubscriptions({ projectId: 'p', pipeline: 'sales', slotsOf: () => slots });
});
afterEach(() => subscriptions.close());

const ordered = async (): Promise<PausedStage | undefined> =>
  (await readControl(store, 'paused'))?.body.stages['counts'];
const pauseIt = (): Promise<void> => pause(store, subscriptions, clock, 'counts');
const resumeIt = (): Promise<void> => resume(store, subscriptions, 'counts');

/** Runs something whose line is cut in one of its steps. @returns false when it has fewer */
async function cutAt(number: number, isDone: boolean, work: () => Promise<void>): Promise<boolean> {
  Object.assign(cloud, { steps: 0, dies: number, isDone });
  const failed = await work().then(
    () => undefined,
    (error: unknown) => error as Error,
  );
  const wasCut = cloud.dies === Number.POSITIVE_INFINITY;
  cloud.dies = Number.POSITIVE_INFINITY;
  expect(failed?.message ?? '').toContain(wasCut ? 'the line was cut' : '');
  // Nothing that is off is known to a process only that may be gone.
  const noted = ((await ordered())?.delivery ?? {}) as Record<string, { pushEndpoint: string }>;
  for (const [slot, endpoint] of ON.entries())
    expect(cloud.endpoints.get(path(slot)) || noted[stageTopic('sales', 'counts', slot)]?.pushEndpoint).toBe(endpoint);
  return wasCut;
}

/** All steps of pausing three slots, and of resuming them. */
const STEPS = Array.from({ length: 14 }, (_, i) => i + 1);
const RESUME_STEPS = STEPS.slice(0, 11);

describe.each([
  ['not done', false],
  ['done, and its answer is lost', true],
])('where the line is cut in a step that is %s', (_, isDone) => {
  it.each(STEPS)('pausing goes on when it is given again, cut in step %i', async (number) => {
    expect(await cutAt(number, isDone, pauseIt)).toBe(true);
    await pauseIt();
    expect(pushes()).toEqual(OFF);
    expect(await ordered()).not.toHaveProperty('step');
    await resumeIt();
    expect([pushes(), await ordered()]).toEqual([ON, undefined]);
  });

  it.each(STEPS)('resuming gives every slot its endpoint back, pausing cut in step %i', async (number) => {
    await cutAt(number, isDone, pauseIt);
    if ((await ordered()) !== undefined) await resumeIt();
    expect([pushes(), await ordered()]).toEqual([ON, undefined]);
  });

  it.each(RESUME_STEPS)('resuming goes on when it is given again, cut in step %i', async (number) => {
    await pauseIt();
    expect(await cutAt(number, isDone, resumeIt)).toBe(true);
    if ((await ordered()) !== undefined) await resumeIt();
    expect([pushes(), await ordered()]).toEqual([ON, undefined]);
  });

  it.each(RESUME_STEPS)('pausing takes back what was half resumed, cut in step %i', async (number) => {
    await pauseIt();
    await cutAt(number, isDone, resumeIt);
    await pauseIt();
    expect(pushes()).toEqual(OFF);
    await resumeIt();
    expect([pushes(), await ordered()]).toEqual([ON, undefined]);
  });

  it('nothing is lost when both are cut, wherever', async () => {
    for (const first of STEPS)
      for (const second of RESUME_STEPS) {
        await cutAt(first, isDone, pauseIt);
        if ((await ordered()) === undefined) continue;
        await cutAt(second, isDone, resumeIt);
        if ((await ordered()) !== undefined) await resumeIt();
        expect([pushes(), await ordered()]).toEqual([ON, undefined]);
      }
  });
});

describe('pausing', () => {
  it('has as many steps as are cut above', async () => {
    cloud.steps = 0;
    await pauseIt();
    expect(cloud.steps).toBe(STEPS.length);
    cloud.steps = 0;
    await resumeIt();
    expect(cloud.steps).toBe(RESUME_STEPS.length);
  });

  it('says what may be half done, and the two commands that go on from there', async () => {
    Object.assign(cloud, { steps: 0, dies: 8 });
    await expect(pauseIt()).rejects.toThrow(
      /^'counts' may be half paused now; give it again \(millrace pause counts\), or take it back \(millrace resume counts\): .*the line was cut$/,
    );
    expect(await ordered()).toMatchObject({ since: clock.now(), step: 'pausing' });
    Object.assign(cloud, { steps: 0, dies: 5 });
    await expect(resumeIt()).rejects.toThrow(
      "'counts' may be half resumed now; give it again (millrace resume counts)",
    );
    expect(await ordered()).toMatchObject({ step: 'resuming' });
  });

  it('stops slots that a deployment has started, wherever they push to now', async () => {
    await pauseIt();
    cloud.endpoints.set(path(1), 'https://elsewhere');
    await pauseIt();
    expect(pushes()).toEqual(OFF);
    await resumeIt();
    expect(pushes()).toEqual([ON[0], 'https://elsewhere', ON[2]]);
  });

  it('leaves a slot alone that a deployment makes after the others are noted; given again, it stops that too', async () => {
    cloud.endpoints.delete(path(2));
    const made = async () => {
      cloud.endpoints.set(path(2), 'https://counts-2');
    };
    Object.assign(cloud, { steps: 0, meanwhile: { at: 7, run: made } });
    await pauseIt();
    expect(pushes()).toEqual(['', '', ON[2]]);
    await pauseIt();
    expect(pushes()).toEqual(OFF);
    await resumeIt();
    expect(pushes()).toEqual(ON);
  });

  it('is resumed without setting anew what a deployment has', async () => {
    await pauseIt();
    cloud.endpoints.set(path(1), 'https://elsewhere');
    await resumeIt();
    expect(pushes()).toEqual([ON[0], 'https://elsewhere', ON[2]]);
  });

  it('changes nothing where a slot would have nothing to come back to', async () => {
    cloud.endpoints.set(path(2), '');
    await expect(pauseIt()).rejects.toThrow(
      `subscription '${stageTopic('sales', 'counts', 2)}' pushes to nobody, and it is not noted where to; deploy again, which sets it`,
    );
    expect([pushes(), await ordered()]).toEqual([[ON[0], ON[1], ''], undefined]);
  });

  it('is resumed though it has fewer slots since', async () => {
    await pauseIt();
    slots = 2;
    cloud.endpoints.delete(path(2));
    await resumeIt();
    expect([pushes(), cloud.endpoints.has(path(2))]).toEqual([ON.slice(0, 2), false]);
  });

  it.each(STEPS.slice(6))('ends as one who pauses last has it, when another resumes before step %i', async (at) => {
    Object.assign(cloud, { steps: 0, meanwhile: { at, run: resumeIt } });
    await pauseIt();
    expect(pushes()).toEqual(OFF);
    await resumeIt();
    expect([pushes(), await ordered()]).toEqual([ON, undefined]);
  });

  it('of another stage at the same moment is not undone', async () => {
    const other = new MemorySubscriptions(new MemoryBus(new SeededIds(1)));
    for (let at = 1; at <= STEPS.length; at++) {
      if (at > 1) await resumeIt();
      Object.assign(cloud, { steps: 0, meanwhile: { at, run: () => pause(store, other, clock, `other-${at}`) } });
      await pauseIt();
    }
    const { stages } = (await readControl(store, 'paused'))!.body;
    expect(Object.keys(stages).length).toBe(STEPS.length + 1);
  });
});

it('resuming is refused while somebody pauses the stage, and loses nothing', async () => {
  for (const at of RESUME_STEPS.slice(3)) {
    await pauseIt();
    Object.assign(cloud, { steps: 0, meanwhile: { at, run: pauseIt } });
    await expect(resumeIt()).rejects.toThrow("somebody else pauses or resumes 'counts' at the same moment");
    expect(await ordered()).not.toHaveProperty('step');
    await resumeIt();
    expect([pushes(), await ordered()]).toEqual([ON, undefined]);
  }
});
