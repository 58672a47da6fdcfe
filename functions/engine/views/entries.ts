/**
 * How a view's elements are written: one line of text each, in runs while they wait and in chunks once readers see them.
 * A line is the value's JSON; before it, in views that are read by key, the key's text and a tab; after it, where it matters,
 * a tab and the index of the pane that the element is. JSON has neither tabs nor line breaks of its own.
 */
import { decodeValue, valueText } from '../../model/json.ts';
import { keyOf } from '../../model/key.ts';

const TAB = '\t';

/**
 * @param key the key's text, in views that are read by key
 * @param pane the index of the pane that it is, if it is one
 * @throws {EncodeError} when the value cannot be carried
 */
export function entryLine(key: string | undefined, value: unknown, pane: number | undefined): string {
  const json = valueText(value);
  const line = key === undefined ? json : key + TAB + json;
  return pane === undefined ? line : line + TAB + pane;
}

/** The key's text of a line of a view that is read by key. */
export function keyOfLine(line: string): string {
  return line.slice(0, line.indexOf(TAB));
}

/** The index of the pane that an element is, if it says so. */
export function paneOfLine(line: string, keyed: boolean): number | undefined {
  const from = keyed ? line.indexOf(TAB) + 1 : 0;
  const at = line.indexOf(TAB, from);
  return at < 0 ? undefined : Number(line.slice(at + 1));
}

/** The value of a line without key. */
export function readValue(line: string): unknown {
  return readFrom(line, 0);
}

/** The value of a line with a key. */
export function readKeyedValue(line: string): unknown {
  return readFrom(line, line.indexOf(TAB) + 1);
}

export function readEntry(line: string): readonly [key: unknown, value: unknown] {
  return [keyOf(keyOfLine(line)), readKeyedValue(line)];
}

function readFrom(line: string, from: number): unknown {
  const end = line.indexOf(TAB, from);
  const json = end < 0 ? line.slice(from) : line.slice(from, end);
  const parsed = JSON.parse(json) as unknown;
  return json.includes('"$":') ? decodeValue(parsed) : parsed;
}

/** The bytes of a line and of the break after it. */
export function lineBytes(line: string): number {
  return Buffer.byteLength(line) + 1;
}

export function joinLines(lines: readonly string[]): string {
  return lines.join('\n');
}

export function splitLines(text: string): string[] {
  return text === '' ? [] : text.split('\n');
}
