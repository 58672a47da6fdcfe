import { describe, expect, it } from 'vitest';
import {
  elementId,
  identityOf,
  markOfId,
  nameOfId,
  replayIn,
  timeOfId,
  withOrdinal,
  withoutReplay,
  withReplay,
} from '../../../functions/engine/ids/element-id.ts';
import type { EpochMillis } from '../../../functions/model/time.ts';

const at = (time: number): EpochMillis => time as EpochMillis;

describe('an element’s id', () => {
  it('gives back its name and time, whatever they are', () => {
    for (const name of ['77', '', 'a~b', '@z~1', 'a#1', 'ein Umlaut: ö', '.5~'])
      for (const time of [0, 36, -1, -987_654_321, 1_700_000_000_000]) {
        const id = elementId(name, at(time));
        expect([nameOfId(id), timeOfId(id)]).toEqual([name, time]);
        const fifth = withOrdinal(id, 5);
        expect([nameOfId(fifth), timeOfId(fifth)]).toEqual([name, time]);
      }
  });

  it('is another for each element that a step makes of one, and that the next makes of those', () => {
    const id = elementId('a', at(35));
    expect(id).toBe('@z~a');
    expect(withOrdinal(id, 0)).toBe('@z.0~a');
    expect(withOrdinal(id, 36)).toBe('@z.10~a');
    expect(withOrdinal(withOrdinal(id, 1), 0)).toBe('@z.1.0~a');
    expect(withOrdinal(id, 1)).not.toBe(elementId('.1~a', at(35)));
    const ends = [0, 1, 2].flatMap((i) => [withOrdinal(id, i), withOrdinal(withOrdinal(id, i), 10), `${i}`]);
    expect(new Set(ends.map(identityOf)).size).toBe(ends.length);
  });

  it('stays the same element’s in a replay, which stands beside it', () => {
    for (const id of [elementId('a~b', at(35)), withOrdinal(elementId('!x~', at(-1), 'm-_'), 3)]) {
      const replayed = withReplay(id, 'replay~0~5~events~a b~ö');
      expect(replayed).toMatch(/^@-?\w/);
      expect(replayIn(replayed)).toBe('replay~0~5~events~a b~ö');
      expect([identityOf, nameOfId, timeOfId, markOfId].map((part) => part(replayed))).toEqual(
        [identityOf, nameOfId, timeOfId, markOfId].map((part) => part(id)),
      );
      expect(replayIn(withOrdinal(replayed, 2))).toBe('replay~0~5~events~a b~ö');
      expect(identityOf(withOrdinal(replayed, 2))).toBe(identityOf(withOrdinal(id, 2)));
      expect(withoutReplay(replayed)).toBe(id);
      expect(withoutReplay(withOrdinal(replayed, 2))).toBe(withOrdinal(id, 2));
      expect(replayIn(withReplay(replayed, 'replay~1~6~x~y'))).toBe('replay~1~6~x~y');
      expect([withoutReplay(id), replayIn(id)]).toEqual([id, undefined]);
    }
  });

  it('says of two copies, whatever their times, that they are one', () => {
    const first = elementId('a', at(5));
    const second = elementId('a', at(70_000));
    expect(identityOf(first)).toBe(identityOf(second));
    expect(identityOf(withOrdinal(first, 2))).toBe(identityOf(withOrdinal(second, 2)));
    expect(identityOf(withOrdinal(first, 2))).not.toBe(identityOf(first));
    expect(identityOf(elementId('2~a', at(5)))).not.toBe(identityOf(withOrdinal(first, 2)));
  });

  it('leaves ids of other kinds as they are', () => {
    expect(timeOfId('replay~0~5~events~8')).toBeUndefined();
    expect(withOrdinal('replay~0~5~events~8', 3)).toBe('replay~0~5~events~8');
    expect(nameOfId('12')).toBe('12');
  });

  it('a mark stands beside it, and makes no other of it', () => {
    const [plain, marked] = [elementId('a~b', at(35)), elementId('a~b', at(35), 'x_-9')];
    for (const id of [marked, withOrdinal(marked, 1)]) {
      expect(markOfId(id)).toBe('x_-9');
      expect([nameOfId(id), timeOfId(id)]).toEqual(['a~b', 35]);
    }
    expect(identityOf(marked)).toBe(identityOf(plain));
    expect(identityOf(withOrdinal(marked, 1))).toBe(identityOf(withOrdinal(plain, 1)));
    expect(markOfId(plain)).toBeUndefined();
    // A name that looks like one is none.
    expect(markOfId(elementId('#m~a', at(35)))).toBeUndefined();
  });
});
