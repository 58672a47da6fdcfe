import { type CombineFn, latest } from '../combine.ts';

/** A value with its event time. */
export interface Stamped<V> {
  readonly value: V;
  readonly timestamp: number;
}

/** Of the elements of a key and window, the one with the largest timestamp; of equal ones the one whose JSON sorts first. */
export function latestByTimestamp<V>(): CombineFn<Stamped<V>, [] | [Stamped<V>], V | null> {
  const byTimestamp = latest<Stamped<V>>(({ timestamp }) => timestamp);
  return { ...byTimestamp, extract: (accumulator) => byTimestamp.extract(accumulator)?.value ?? null };
}
