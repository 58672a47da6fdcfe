import { describe, expect, it } from 'vitest';
import {
  elementId,
  identityOf,
  markOfId,
  nameOfId,
  timeOfId,
  withOrdinal,
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

  it('is another for each output of a record, and the record’s own for the first', () => {
    const id = elementId('a', at(35));
    expect(id).toBe('@z~a');
    expect(withOrdinal(id, 0)).toBe('@z~a');
    expect(withOrdinal(id, 1)).toBe('@z.1~a');
    expect(withOrdinal(id, 36)).toBe('@z.10~a');
    expect(withOrdinal(id, 1)).not.toBe(elementId('.1~a', at(35)));
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
