import { ConfigurationError } from '../../model/errors.ts';

/** A letter that cannot be brought back; the message says why and what to do. It stays as it is. */
export class CannotReplay extends ConfigurationError {
  override readonly code = 'CANNOT_REPLAY';
}
