import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline as pipe } from 'node:stream/promises';
import type { DeadLetter } from '../engine/dead-letter.ts';
import type { LocalRun } from '../local/local-run.ts';
import { ConfigurationError, messageOf } from '../model/errors.ts';

/** Makes the folder of results, before a run has worked for nothing. @throws {ConfigurationError} when it cannot be made */
export async function makeFolder(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true }).catch((error: unknown) => {
    throw new ConfigurationError(`--out: '${directory}' cannot be made a folder: ${messageOf(error)}`, {
      cause: error,
    });
  });
}

/** Writes what a run has left, into a folder that is there: `<table>.jsonl` for each table, `<topic>.topic.jsonl`, `late.jsonl`, `dead-letters.jsonl`. */
export async function writeResults(directory: string, run: LocalRun): Promise<void> {
  for (const table of run.warehouse.tables)
    await writeLines(join(directory, `${table}.jsonl`), run.warehouse.rows(table));
  const topics = Map.groupBy(run.bus.published, (message) => message.topic);
  for (const [topic, messages] of topics) await writeLines(join(directory, `${topic}.topic.jsonl`), messages);
  const letters = await run.deadLetters();
  await writeLines(join(directory, 'late.jsonl'), letters.filter(({ kind }) => kind === 'late').map(lateLine));
  await writeLines(
    join(directory, 'dead-letters.jsonl'),
    letters.filter(({ kind }) => kind !== 'late'),
  );
}

function lateLine(letter: DeadLetter): unknown {
  const { stage, key, value, count, timestamp, windows, watermark, code } = letter;
  const reason = code === 'LATE_EXPIRED' ? 'expired' : 'closed';
  return { stage, key, element: value, count, timestamp, window: windows?.[0], watermark, reason };
}

async function writeLines(path: string, values: Iterable<unknown>): Promise<void> {
  await pipe(Readable.from(chunks(values)), createWriteStream(path));
}

/** Lines, many to a chunk. */
function* chunks(values: Iterable<unknown>): Iterable<string> {
  let chunk: string[] = [];
  for (const value of values) {
    chunk.push(`${JSON.stringify(value)}\n`);
    if (chunk.length < 1_000) continue;
    yield chunk.join('');
    chunk = [];
  }
  yield chunk.join('');
}
