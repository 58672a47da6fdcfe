import { describe, expect, it } from 'vitest';
import { UNGROUPED } from '../../../functions/engine/element.ts';
import type { Incoming } from '../../../functions/engine/element-codec.ts';
import { Parking } from '../../../functions/engine/shard/parking.ts';
import { epochMillis, MAX_TIMESTAMP } from '../../../functions/model/time.ts';
import { GLOBAL_WINDOW } from '../../../functions/model/windows.ts';

const at = epochMillis;

function element(value: unknown, timestamp: number): Incoming {
  const key = { keyText: '"k"', key: 'k' };
  const one = { inlet: 0, lifted: false, count: 1, windows: [GLOBAL_WINDOW], pane: UNGROUPED, id: undefined };
  return { ...one, ...key, value, timestamp: at(timestamp), latest: at(timestamp) };
}

function parked(value: unknown, timestamp: number, until: number, reason = 'retry') {
  return { element: element(value, timestamp), reason, until: at(until), attempts: 1 };
}

const valuesOf = (taken: readonly { element: Incoming }[]): unknown[] => taken.map((each) => each.element.value);

describe('what is parked', () => {
  it('holds the watermark at its earliest timestamp, and is due at its earliest time', () => {
    const parking = new Parking();
    expect([parking.hold(), parking.due(), parking.encode()]).toEqual([undefined, MAX_TIMESTAMP, undefined]);
    parking.park(parked('a', 20, 100), at(5));
    parking.park(parked('b', 10, 200), at(5));
    expect([parking.hold(), parking.due(), parking.size]).toEqual([10, 100, 2]);
  });

  it('comes out when it is due, in order of arrival, as many as are wanted', () => {
    const parking = new Parking();
    for (const [value, until] of [
      ['a', 30],
      ['b', 10],
      ['c', 20],
    ] as const)
      parking.park(parked(value, 1, until), at(0));
    expect(valuesOf(parking.takeDue(at(9)))).toEqual([]);
    expect(valuesOf(parking.takeDue(at(20), 1))).toEqual(['b']);
    expect(valuesOf(parking.takeDue(at(30)))).toEqual(['a', 'c']);
    expect(parking.encode()).toBeUndefined();
  });

  it('without a time waits for its reason', () => {
    const parking = new Parking();
    parking.park(parked('a', 1, MAX_TIMESTAMP, 'view:rates'), at(0));
    parking.park(parked('b', 2, MAX_TIMESTAMP, 'view:limits'), at(0));
    parking.park(parked('c', 3, 50), at(0));
    expect(parking.due()).toBe(50);
    expect([...parking.reasons()]).toEqual(['view:rates', 'view:limits']);
    expect(valuesOf(parking.takeDue(MAX_TIMESTAMP))).toEqual(['c']);
    expect(valuesOf(parking.release('view:limits'))).toEqual(['b']);
    expect(valuesOf(parking.release('view:limits'))).toEqual([]);
    expect(parking.hold()).toBe(1);
  });

  it('is as it was after it was written and read', () => {
    const parking = new Parking();
    parking.park(parked(new Map([['x', 1n]]), 7, 50), at(3));
    parking.watermark(at(100));
    const text = parking.encode()!;
    expect(text).not.toMatch(/[\n\t]/);
    const read = Parking.decode(text);
    expect(read.encode()).toBe(text);
    expect(read.watermark(at(200))).toBe(7);
    const [taken] = read.takeDue(at(50));
    expect(taken).toMatchObject({ reason: 'retry', until: 50, attempts: 1 });
    expect(taken!.element).toEqual({ ...element(new Map([['x', 1n]]), 7) });
  });

  it('of a text that is none is corruption', () => {
    expect(() => Parking.decode('[')).toThrow('the parked elements of a cell are not JSON');
    expect(() => Parking.decode('{}')).toThrow('the parked elements of a cell cannot be read: {}');
  });
});

describe('the watermark that the step behind sees', () => {
  it('is the stage’s while nothing is parked, and waits at the earliest that is', () => {
    const parking = new Parking();
    expect(parking.watermark(at(5))).toBe(5);
    parking.park(parked('a', 20, 100), at(5));
    expect(parking.watermark(at(10))).toBe(10);
    expect(parking.watermark(at(50))).toBe(20);
    parking.takeDue(at(100));
    expect(parking.watermark(at(50))).toBe(50);
  });

  it('does not step back for what was late already when it came', () => {
    const parking = new Parking();
    parking.park(parked('late', 20, 100), at(50));
    expect(parking.watermark(at(60))).toBe(50);
    expect(Parking.decode(parking.encode()).watermark(at(70))).toBe(50);
  });

  it('keeps what it has seen when one of several comes out', () => {
    const parking = new Parking();
    parking.park(parked('a', 10, 1), at(0));
    parking.park(parked('b', 30, 100), at(0));
    expect(parking.watermark(at(90))).toBe(10);
    parking.takeDue(at(1));
    expect(parking.watermark(at(90))).toBe(30);
    parking.park(parked('c', 20, 100), at(90));
    expect(parking.watermark(at(90))).toBe(30);
  });

  it('says at which watermark of the stage something behind it is due', () => {
    const parking = new Parking();
    expect(parking.stageDue(at(40))).toBe(40);
    parking.park(parked('a', 30, 100), at(10));
    expect(parking.stageDue(at(30))).toBe(30);
    expect(parking.stageDue(at(31))).toBe(MAX_TIMESTAMP);
    const late = new Parking();
    late.park(parked('late', 5, 100), at(10));
    expect([late.stageDue(at(10)), late.stageDue(at(11))]).toEqual([10, MAX_TIMESTAMP]);
  });
});
