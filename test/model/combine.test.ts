import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  type CombineFn,
  collect,
  combineFields,
  count,
  distinct,
  latest,
  max,
  mean,
  min,
  sum,
  top,
} from '../../functions/model/combine.ts';
import { seeded } from './seeded.ts';

/** The result of values that come in parts, each part as its own accumulator that has been through JSON. */
function combined<In, Acc, Out>(combine: CombineFn<In, Acc, Out>, ...parts: readonly (readonly In[])[]): Out {
  const accumulators = parts.map((part) => part.reduce((acc, value) => combine.add(acc, value), combine.create()));
  const carried = accumulators.map((acc) => JSON.parse(JSON.stringify(acc)) as Acc);
  return combine.extract(carried.reduce((into, from) => combine.merge(into, from), combine.create()));
}

interface Flight {
  readonly delay: number;
  readonly to: string;
}
const flight = (delay: number, to: string): Flight => ({ delay, to });
const FLIGHTS = [flight(5, 'SFO'), flight(-3, 'LAX'), flight(40, 'SFO'), flight(0, 'JFK')];

describe('combines', () => {
  it('collect lists all values', () => expect(combined(collect<number>(), [3, 1], [2])).toEqual([3, 1, 2]));
  it('collect hands out a list of its own', () => {
    const values = collect<number>();
    const accumulator = values.add(values.create(), 1);
    const result = values.extract(accumulator);
    values.add(accumulator, 2);
    expect(result).toEqual([1]);
  });
  it('count counts', () => expect(combined(count(), ['a', 'b'], ['c'])).toBe(3));
  it('count counts what is asked for', () => {
    expect(
      combined(
        count((f: Flight) => f.delay > 0),
        FLIGHTS,
      ),
    ).toBe(2);
  });
  it('sum adds', () => expect(combined(sum(), [1, 2], [3, -10])).toBe(-4));
  it('sum adds what is asked for', () =>
    expect(
      combined(
        sum((f: Flight) => f.delay),
        FLIGHTS,
      ),
    ).toBe(42));
  it('mean divides', () =>
    expect(
      combined(
        mean((f: Flight) => f.delay),
        FLIGHTS,
      ),
    ).toBe(10.5));
  it('min and max find the ends', () => {
    expect(
      combined(
        min((f: Flight) => f.delay),
        FLIGHTS.slice(0, 1),
        FLIGHTS.slice(1),
      ),
    ).toBe(-3);
    expect(combined(max(), [1, 7], [], [3])).toBe(7);
  });
  it('top keeps the largest, in order', () => {
    expect(
      combined(
        top(2, (f: Flight) => f.delay),
        FLIGHTS.slice(0, 2),
        FLIGHTS.slice(2),
      ),
    ).toEqual([flight(40, 'SFO'), flight(5, 'SFO')]);
    expect(combined(top(3), [1, 9], [5, 7, 2])).toEqual([9, 7, 5]);
  });
  it('distinct keeps each value once, whatever the order of its members', () => {
    const values = [{ a: 1, b: 2 }, { b: 2, a: 1 }, 'x'];
    expect(combined(distinct<unknown>(), values, ['x', '__proto__'])).toEqual(['__proto__', 'x', { b: 2, a: 1 }]);
  });
  it('latest keeps the newest', () => {
    expect(
      combined(
        latest((f: Flight) => f.delay),
        FLIGHTS.slice(0, 3),
        FLIGHTS.slice(3),
      ),
    ).toEqual(flight(40, 'SFO'));
  });

  it('have a result for nothing', () => {
    expect(combined(collect())).toEqual([]);
    expect(combined(count())).toBe(0);
    expect(combined(sum())).toBe(0);
    expect(combined(mean())).toBeNull();
    expect(combined(min())).toBeNull();
    expect(combined(max())).toBeNull();
    expect(combined(top(2))).toEqual([]);
    expect(combined(distinct())).toEqual([]);
    expect(combined(latest(() => 1))).toBeNull();
  });
});

describe('combineFields', () => {
  const fields = combineFields({
    flights: count(),
    mean_delay: mean((f: Flight) => f.delay),
    airports: distinct<Flight>(),
  });

  it('combines field by field', () => {
    expect(combined(fields, FLIGHTS.slice(0, 1), FLIGHTS.slice(1, 3))).toEqual({
      flights: 3,
      mean_delay: 14,
      airports: [flight(-3, 'LAX'), flight(40, 'SFO'), flight(5, 'SFO')],
    });
  });
  it('has the types of its fields', () => {
    expectTypeOf(fields.extract).returns.toEqualTypeOf<{
      readonly flights: number;
      readonly mean_delay: number | null;
      readonly airports: Flight[];
    }>();
    expectTypeOf(fields.add).parameter(1).toEqualTypeOf<Flight>();
  });
  it('needs a field', () =>
    expect(() => combineFields({})).toThrow('combineFields(fields): expected at least one field'));
});

describe('the result', () => {
  const combines: readonly [string, CombineFn<never, unknown, unknown>][] = [
    ['count', count()],
    ['sum', sum()],
    ['mean', mean()],
    ['min', min()],
    ['max', max()],
    ['top', top(3)],
    ['top of equal ones', top(3, () => 1)],
    ['distinct', distinct<number>()],
    ['latest of equal ones', latest(() => 1)],
  ];
  it.each(combines)('%s does not depend on order or parts', (_name, combine) => {
    const random = seeded(7);
    const values = Array.from({ length: 60 }, () => (random() - 0.5) * 10 ** Math.floor(random() * 30));
    const whole = combined(combine, values as never[]);
    for (let round = 0; round < 20; round++) {
      const shuffled = values.map((value) => [random(), value] as const).sort(([a], [b]) => a - b);
      const cut = Math.floor(random() * values.length);
      const parts = shuffled.map(([, value]) => value) as never[];
      expect(combined(combine, parts.slice(0, cut), parts.slice(cut))).toEqual(whole);
    }
  });
});

describe('what cannot be combined', () => {
  it.each<[string, () => unknown, string]>([
    ['sum', () => combined(sum(), [Number.NaN]), 'cannot add NaN (number): expected a finite number'],
    ['sum of text', () => combined(sum(), ['7' as never]), 'cannot add 7 (string): expected a finite number'],
    [
      'a sum too large',
      () => combined(sum(), [1e308, 1e308]),
      'adding 1e+308 takes the sum out of the range of numbers',
    ],
    ['max', () => combined(max(), [Number.POSITIVE_INFINITY]), 'max: expected a finite number, got Infinity'],
    [
      'min',
      () =>
        combined(
          min((f: Flight) => f.delay),
          [{ to: 'SFO' } as Flight],
        ),
      'min: expected a finite number, got undefined',
    ],
    ['top', () => top(0), 'top(n): expected a whole number from 1 and up, got 0'],
  ])('%s', (_name, run, message) => expect(run).toThrow(message));
});
