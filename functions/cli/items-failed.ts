import { MillraceError } from '../model/errors.ts';

/** A command did what it could, and some items did not go well; the exit code says so. */
export class ItemsFailed extends MillraceError {
  readonly code = 'ITEMS_FAILED';
}
