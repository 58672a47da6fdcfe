import { messageOf } from '../../model/errors.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { RawRecord } from '../../engine/ingest/source-decoder.ts';
import type { Input } from '../runner.ts';
import { textChunks } from './text-chunks.ts';

/**
 * Reads JSON Lines, the lines of a chunk as one batch. A line that is no JSON is data, not a reason to stop: it comes out
 * with its problem, and becomes a dead letter. Empty lines are passed over; record ids are line numbers.
 */
export async function* readJsonLines(path: string, now: () => EpochMillis): Input {
  let line = 0;
  let rest = '';
  for await (const chunk of textChunks(path)) {
    rest += chunk;
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
