import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { drainOnTerm, type SignalSource } from '../../../functions/cloud/service/drain.ts';
import { VirtualClock } from '../../../functions/local/virtual-clock.ts';
import { epochMillis } from '../../../functions/model/time.ts';

class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];
  exit(code: number): void {
    this.exits.push(code);
  }
}

function rig() {
  const fake = new FakeProcess();
  const clock = new VirtualClock(epochMillis(0));
  let drained: () => void = () => {};
  let drains = 0;
  drainOnTerm(fake as unknown as SignalSource, clock, () => {
    drains += 1;
    return new Promise((resolve) => {
      drained = resolve;
    });
  });
  return { fake, clock, drains: () => drains, drained: () => drained() };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('SIGTERM', () => {
  it('lets what is under way end, and then the process', async () => {
    const { fake, drained } = rig();
    fake.emit('SIGTERM');
    await turn();
    expect(fake.exits).toEqual([]);
    drained();
    await turn();
    expect(fake.exits).toEqual([0]);
  });

  it('waits no longer than nine of the ten seconds that there are', async () => {
    const { fake, clock } = rig();
    fake.emit('SIGTERM');
    clock.advanceTo(epochMillis(8_999));
    await turn();
    expect(fake.exits).toEqual([]);
    clock.advanceTo(epochMillis(9_000));
    await turn();
    expect(fake.exits).toEqual([0]);
  });

  it('drains once, however often it comes', async () => {
    const { fake, drains } = rig();
    fake.emit('SIGTERM');
    fake.emit('SIGTERM');
    await turn();
    expect(drains()).toBe(1);
  });

  it("does not reach listeners that were added later, such as functions-framework's, which exits at once", async () => {
    const { fake } = rig();
    let reached = 0;
    fake.on('SIGTERM', () => {
      reached += 1;
    });
    fake.on('SIGINT', () => {
      reached += 10;
    });
    await turn();
    fake.emit('SIGTERM');
    fake.emit('SIGINT');
    expect(reached).toBe(10);
    expect(fake.listenerCount('SIGTERM')).toBe(1);
  });
});
