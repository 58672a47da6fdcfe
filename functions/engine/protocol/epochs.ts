/**
 * Who takes what of which epoch. Invariant: nothing that an epoch has sent counts in a later one. All of it was taken before
 * the next one began, and its watermarks and numbers hold for nobody else.
 */
import { OutdatedError } from '../../model/errors.ts';

/**
 * Whether an instance takes a message; otherwise it is over and done with.
 * @param sent the epoch of who has sent it
 * @param own the instance's
 * @throws {OutdatedError} when it is for an instance of a later epoch
 */
export function isForEpoch(sent: number, own: number): boolean {
  if (sent > own) throw new OutdatedError(`a message of epoch ${sent}; this instance is of epoch ${own}`);
  return sent === own;
}
