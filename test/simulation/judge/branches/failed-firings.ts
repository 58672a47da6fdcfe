/** Timers and expirations that have thrown: each is one dead letter, and not what it would have been beside. */
import type { DeadLetter } from '../../../../functions/engine/dead-letter.ts';
import { failsWhenCalled, failsWhenExpired, KEEPER, type KeeperRow } from '../../world/branches/keeper.ts';
import { windowName } from '../panes.ts';
import { Violation } from '../violation.ts';

interface FailedTimer {
  readonly callback?: string;
  readonly id?: string;
  readonly tag?: string;
}

export class FailedFirings {
  /** By window and tag. */
  readonly #timers: ReadonlyMap<string, readonly DeadLetter[]>;
  /** Names of windows; one that expires twice stands here twice. */
  readonly #expirations: readonly string[];

  constructor(letters: readonly DeadLetter[]) {
    const own = letters.filter(({ kind, stage }) => kind === 'firing' && stage === KEEPER);
    this.#expirations = own.filter((letter) => timerOf(letter).callback !== undefined).map(windowOf);
    this.#timers = Map.groupBy(
      own.filter((letter) => timerOf(letter).callback === undefined),
      (letter) => `${windowOf(letter)} ${timerOf(letter).tag}`,
    );
  }

  /** What has ended with its window: of what should be there and is not, all that is of windows whose expiration has thrown. */
  endsOf(should: readonly string[], is: readonly string[]): string[] {
    return this.#expirations.flatMap((window) => {
      const ends = should.filter((end) => end.endsWith(` in ${window}`) && !is.includes(end));
      if (!failsWhenExpired(ends))
        throw new Violation('what fails is one dead letter', `${KEEPER} ${window} has failed with ${ends}`);
      return ends;
    });
  }

  /** @param told what was told of all windows */
  checkTimers(told: readonly KeeperRow[]): void {
    const called = new Set(
      told
        .filter(({ kind }) => kind === 'called')
        .map(({ k, window_start, window_end, tokens }) => {
          return `${windowName(k, { start: Number(window_start), end: Number(window_end) })} ${tokens[0]}`;
        }),
    );
    for (const [name, letters] of this.#timers) {
      const dead = letters.filter(({ status }) => status === 'dead').length;
      const isRight = letters.every((letter) => failsWhenCalled(String(timerOf(letter).tag).split('@')[0]!));
      if (!isRight || dead > 1 || (dead > 0 && called.has(name)))
        throw new Violation('what fails is one dead letter', `${KEEPER} ${name} is ${dead} dead letters`);
    }
  }
}

function timerOf({ timer }: DeadLetter): FailedTimer {
  return timer as FailedTimer;
}

function windowOf({ key, windows }: DeadLetter): string {
  return windowName(String(key), windows![0]!);
}
