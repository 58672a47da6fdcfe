import { describe, expect, it } from 'vitest';
import { Moment } from '../../../functions/engine/stateful/moment.ts';

describe('a callback that has failed', () => {
  it.each([
    [
      'at once',
      (): void => {
        throw new Error('as arranged');
      },
    ],
    ['later', (): Promise<void> => Promise.reject(new Error('as arranged'))],
  ])('%s is over only when all that it has begun is done', async (_, fail) => {
    const moment = new Moment();
    const { promise, resolve } = Promise.withResolvers<void>();
    const story: string[] = [];
    const callback = moment.during(() => {
      moment.defer(promise.then(() => story.push('what it has begun')));
      return fail();
    });
    const over = Promise.resolve(callback).catch((error: Error) => story.push(error.message));
    await Promise.resolve();
    resolve();
    await over;
    expect(story).toEqual(['what it has begun', 'as arranged']);
  });
  it('is over at once when it has begun nothing', () => {
    const fail = (): void => {
      throw new Error('as arranged');
    };
    expect(() => new Moment().during(fail)).toThrow('as arranged');
  });
});
