/**
 * How a view's elements are written: one line of text each, in runs while they wait and in chunks once readers see them.
 * A line is the value's JSON, after the key's text and a tab in views that are read by key; JSON has neither tabs nor line
 * breaks of its own.
 */
import { decodeValue, encodeValue } from '../../model/json.ts';
import { keyOf } from '../../model/key.ts';

const TAB = '\t';

/** @throws {EncodeError} when the value cannot be carried */
export function entryLine(value: unknown): string {
  return JSON.stringify(encodeValue(value));
}

/** @throws {EncodeError} when the value cannot be carried */
export function keyedLine(keyText: string, value: unknown): string {
  return keyText + TAB + entryLine(value);
}

/** The key's text of a keyed line. */
export function keyOfLine(line: string): string {
  return line.slice(0, line.indexOf(TAB));
}

/** The value of a line without key. */
export function readValue(json: string): unknown {
  const parsed = JSON.parse(json) as unknown;
  return json.includes('"$":') ? decodeValue(parsed) : parsed;
}

/** The value of a keyed line. */
export function readKeyedValue(line: string): unknown {
  return readValue(line.slice(line.indexOf(TAB) + 1));
}

export function readEntry(line: string): readonly [key: unknown, value: unknown] {
  return [keyOf(keyOfLine(line)), readKeyedValue(line)];
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
