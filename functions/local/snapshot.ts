/**
 * An embedded pipeline on disk: what its store and its tables hold when a run ends, so that operators can look at it and
 * work on it. JSON Lines, a document or row each. Invariant: whoever loads it finds all of one save and nothing of another,
 * wherever one broke off. The new files are written beside the old ones, the note last; where that is there, they take their
 * places, by whoever saved them or else by whoever comes next.
 */
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline as pipe } from 'node:stream/promises';
import { ConfigurationError, messageOf } from '../model/errors.ts';
import type { EpochMillis } from '../model/time.ts';
import type { Document } from '../ports/store.ts';
import type { Row, TableSpec } from '../ports/warehouse.ts';
import { MemoryStore } from './memory-store.ts';
import { MemoryWarehouse } from './memory-warehouse.ts';

/** What a snapshot says of itself. */
export interface SnapshotNote {
  readonly form: 1;
  readonly pipeline: string;
  /** The run's own processing time when it ended. */
  readonly at: EpochMillis;
}

export interface Snapshot {
  readonly note: SnapshotNote;
  readonly store: MemoryStore;
  readonly warehouse: MemoryWarehouse;
}

type TableLine = { readonly spec: TableSpec } | { readonly table: string; readonly row: Row };

const NOTE = 'snapshot.json';
const DOCUMENTS = 'documents.jsonl';
const TABLES = 'tables.jsonl';
/** The note last: as long as its new one is there, the others may still have to take their places. */
const FILES = [DOCUMENTS, TABLES, NOTE];

/** Whether a directory holds one. */
export function isSnapshot(directory: string): boolean {
  return [NOTE, newOf(NOTE)].some((file) => existsSync(join(directory, file)));
}

export async function saveSnapshot(directory: string, { note, store, warehouse }: Snapshot): Promise<void> {
  await mkdir(directory, { recursive: true });
  await finishSave(directory);
  await writeLines(join(directory, newOf(DOCUMENTS)), store.documents());
  await writeLines(join(directory, newOf(TABLES)), tableLines(warehouse));
  const path = join(directory, newOf(NOTE));
  await writeFile(`${path}.part`, `${JSON.stringify(note, null, 2)}\n`);
  await rename(`${path}.part`, path);
  await finishSave(directory);
}

/** Puts what was saved in its place. What was not saved to its end is written over by the next save. */
async function finishSave(directory: string): Promise<void> {
  if (!existsSync(join(directory, newOf(NOTE)))) return;
  for (const file of FILES) {
    const path = join(directory, newOf(file));
    if (existsSync(path)) await rename(path, join(directory, file));
  }
}

function newOf(file: string): string {
  return `${file}.new`;
}

/** @throws {ConfigurationError} when there is none, it is of another form, or it cannot be read */
export async function loadSnapshot(directory: string): Promise<Snapshot> {
  if (!isSnapshot(directory))
    throw new ConfigurationError(
      `there is no pipeline's state in '${directory}'; write one with: millrace run PIPELINE --state ${directory}`,
    );
  try {
    return await load(directory);
  } catch (cause) {
    if (cause instanceof ConfigurationError) throw cause;
    throw new ConfigurationError(
      `the state in '${directory}' cannot be read (${messageOf(cause)}); name a copy of it, or run the pipeline again into another directory`,
      { cause },
    );
  }
}

async function load(directory: string): Promise<Snapshot> {
  await finishSave(directory);
  const note = JSON.parse(await readFile(join(directory, NOTE), 'utf8')) as SnapshotNote;
  if (note.form !== 1)
    throw new ConfigurationError(`the state in '${directory}' is of form ${note.form}; this version reads form 1`);
  const store = new MemoryStore();
  const documents: Document[] = [];
  for await (const line of lines<Document>(join(directory, DOCUMENTS))) documents.push(line);
  store.restore(documents);
  return { note, store, warehouse: await loadTables(join(directory, TABLES)) };
}

async function loadTables(path: string): Promise<MemoryWarehouse> {
  const tables = new Map<string, { spec: TableSpec; rows: Row[] }>();
  for await (const line of lines<TableLine>(path))
    if ('spec' in line) tables.set(line.spec.table, { spec: line.spec, rows: [] });
    else tables.get(line.table)!.rows.push(line.row);
  const warehouse = new MemoryWarehouse();
  for (const { spec, rows } of tables.values()) warehouse.restore(spec, rows);
  return warehouse;
}

function* tableLines(warehouse: MemoryWarehouse): Iterable<TableLine> {
  for (const table of warehouse.tables) {
    yield { spec: warehouse.spec(table)! };
    for (const row of warehouse.rows(table)) yield { table, row };
  }
}

async function writeLines(path: string, values: Iterable<unknown>): Promise<void> {
  await pipe(Readable.from(texts(values)), createWriteStream(path));
}

function* texts(values: Iterable<unknown>): Iterable<string> {
  for (const value of values) yield `${JSON.stringify(value)}\n`;
}

async function* lines<T>(path: string): AsyncGenerator<T> {
  const reader = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of reader) if (line !== '') yield JSON.parse(line) as T;
}
