/** Tells how far a run of many seeds is: a bar for who watches, a line now and then for who reads it later. */
import type { Output } from './simulate.ts';

const WIDTH = 40;
const LINE_EVERY = 1_000;

export function progressOf({ err, isTerminal }: Output, seeds: number): (done: number, failed: number) => void {
  let told = 0;
  return (done, failed) => {
    if (isTerminal) {
      const filled = Math.round((done / seeds) * WIDTH);
      const bar = `\r[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${done}/${seeds}, ${failed} failed`;
      err(done === seeds ? `${bar}\n` : bar);
    } else if (done - told >= LINE_EVERY) {
      told = done;
      err(`${done} of ${seeds} seeds, ${failed} failed\n`);
    }
  };
}
