import { closeSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { messageOf } from '../../model/errors.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { RawRecord } from '../../engine/ingest/source-decoder.ts';
import type { Input } from '../runner.ts';

/** Bytes read at a time; the lines in them make a batch. */
const CHUNK = 64 * 1024;

/**
 * Reads JSON Lines. A line that is no JSON is data, not a reason to stop: it comes out with its problem, and becomes a dead
 * letter. Empty lines are passed over; record ids are line numbers.
 */
export async function* readJsonLines(path: string, now: () => EpochMillis): Input {
  let line = 0;
  let rest = '';
  let isFirst = true;
  for (const chunk of chunks(path)) {
    // Editors on Windows begin a file with a byte order mark.
    rest += isFirst ? chunk.replace(/^\uFEFF/, '') : chunk;
    isFirst = false;
    // A line of many chunks is put together once.
    if (!chunk.includes('\n')) continue;
    const lines = rest.split('\n');
    rest = lines.pop()!;
    const arrival = now();
    const records: RawRecord[] = [];
    for (const text of lines) {
      line += 1;
      if (!isEmpty(text)) records.push(record(text, line, path, arrival));
    }
    yield records;
  }
  if (!isEmpty(rest)) yield [record(rest, line + 1, path, now())];
}

/** A file's text. Read when it is wanted: a stream, which reads ahead, was a fortieth of a run's time. */
function* chunks(path: string): Iterable<string> {
  const file = openSync(path, 'r');
  try {
    const decoder = new StringDecoder('utf8');
    const buffer = Buffer.allocUnsafe(CHUNK);
    for (let length = readSync(file, buffer); length > 0; length = readSync(file, buffer))
      yield decoder.write(buffer.subarray(0, length));
    yield decoder.end();
  } finally {
    closeSync(file);
  }
}

function isEmpty(text: string): boolean {
  return text === '' || text === '\r';
}

function record(text: string, line: number, path: string, arrival: EpochMillis): RawRecord {
  try {
    return { value: JSON.parse(text), id: String(line), arrival, characters: text.length };
  } catch (error) {
    const problem = `${path} line ${line} is no JSON: ${messageOf(error)}`;
    return { value: text, id: String(line), arrival, problem, characters: text.length };
  }
}
