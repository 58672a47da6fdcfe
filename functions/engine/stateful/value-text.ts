/**
 * How user values rest in state: as the JSON text of their encoded form, made when they are handed over and read anew each
 * time, so that nobody shares what is stored. Such a text has no tabs or line breaks, which state therefore uses to
 * separate texts.
 */
import { TooLargeError } from '../../model/errors.ts';
import { decodeValue, valueText } from '../../model/json.ts';

/** A single value above this is refused. */
const MAX_VALUE_BYTES = 256 * 1024;
/** A text of so few characters is within the limit whatever they are. */
const SURELY_FITS = MAX_VALUE_BYTES / 3;

/**
 * @param what names the value in errors
 * @throws {EncodeError} when it cannot be carried, {TooLargeError} when it is too large
 */
export function printValue(value: unknown, what: string): string {
  const text = valueText(value);
  if (text.length > SURELY_FITS) {
    const bytes = Buffer.byteLength(text);
    if (bytes > MAX_VALUE_BYTES) throw new TooLargeError(what, bytes, MAX_VALUE_BYTES);
  }
  return text;
}

export function parseValue(text: string): unknown {
  const json: unknown = JSON.parse(text);
  // Encoded forms carry a member named `$`; a text without one is plain.
  return text.includes('"$":') ? decodeValue(json) : json;
}
