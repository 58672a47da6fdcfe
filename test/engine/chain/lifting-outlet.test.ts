import { beforeEach, describe, expect, it } from 'vitest';
import { BundleOutput } from '../../../functions/engine/chain/bundle-output.ts';
import { LiftingOutlet } from '../../../functions/engine/chain/lifting-outlet.ts';
import { ShardChooser } from '../../../functions/engine/chain/outlet.ts';
import { UNGROUPED } from '../../../functions/engine/element.ts';
import { decodeBody } from '../../../functions/engine/element-codec.ts';
import { combineFields, count, max } from '../../../functions/model/combine.ts';
import { type EpochMillis, MIN_TIMESTAMP } from '../../../functions/model/time.ts';
import type { Window } from '../../../functions/model/windows.ts';

const window = (start: number, end: number): Window => ({ start: start as EpochMillis, end: end as EpochMillis });
const combine = combineFields({ all: count(), largest: max((value: number) => value) });

let output: BundleOutput;
let outlet: LiftingOutlet;
beforeEach(() => {
  output = new BundleOutput();
  const lifting = { combine: combine as never, allowedLateness: 0, inputWatermark: () => MIN_TIMESTAMP };
  outlet = new LiftingOutlet(0, new ShardChooser('totals', 1), lifting, () => output);
});

const receive = (value: number, timestamp: number, ...windows: Window[]): void =>
  outlet.receive({
    value: { key: 'a', value },
    timestamp: timestamp as EpochMillis,
    windows,
    pane: UNGROUPED,
    id: undefined,
  });

const sent = () => {
  outlet.flush(output);
  return output.outgoing.flatMap(({ text }) =>
    decodeBody(`[${text}]`).map(({ value, count, timestamp, latest, windows }) => ({
      value,
      count,
      timestamp,
      latest,
      window: windows[0]!,
    })),
  );
};

describe('parts that are combined before they are sent', () => {
  it('stand for their elements', () => {
    receive(3, 5, window(0, 10));
    receive(1, 2, window(0, 10));
    receive(7, 12, window(10, 20));
    expect(sent()).toEqual([
      { value: [2, 3], count: 2, timestamp: 2, latest: 5, window: window(0, 10) },
      { value: [1, 7], count: 1, timestamp: 12, latest: 12, window: window(10, 20) },
    ]);
  });
  it('are those of one bundle: what a failed one has left behind is not sent with the next', () => {
    receive(3, 5, window(0, 10));
    output = new BundleOutput();
    receive(1, 2, window(0, 10));
    expect(sent()).toEqual([{ value: [1, 1], count: 1, timestamp: 2, latest: 2, window: window(0, 10) }]);
  });
  it('do not hold an element whose combine throws, in none of its windows and none of its fields', () => {
    receive(3, 5, window(0, 10), window(5, 15));
    expect(() => receive(Number.NaN, 6, window(0, 10), window(5, 15))).toThrow('max: expected a finite number');
    expect(sent()).toEqual([
      { value: [1, 3], count: 1, timestamp: 5, latest: 5, window: window(0, 10) },
      { value: [1, 3], count: 1, timestamp: 5, latest: 5, window: window(5, 15) },
    ]);
  });
  it('are not sent when nothing is left in them', () => {
    expect(() => receive(Number.NaN, 6, window(0, 10))).toThrow('max');
    expect(sent()).toEqual([]);
  });
  it('keep windows apart that were cut off at the beginning of time', () => {
    receive(1, MIN_TIMESTAMP + 1, window(MIN_TIMESTAMP, MIN_TIMESTAMP + 5), window(MIN_TIMESTAMP, MIN_TIMESTAMP + 10));
    expect(sent().map(({ value, window }) => [value, window.end - MIN_TIMESTAMP])).toEqual([
      [[1, 1], 5],
      [[1, 1], 10],
    ]);
  });
});
