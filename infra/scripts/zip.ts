/**
 * Zip archives that are the same bytes for the same content: entries in order of their names, no times, no owners, one
 * compression level. What a machine's `zip` makes differs with clock, umask and file system, and would deploy anew.
 */
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  /** With `/` between folders. */
  readonly name: string;
  readonly content: Uint8Array;
}

/** The first day that a zip's time can say: 1980-01-01. */
const DOS_DATE = (1 << 5) | 1;
const UTF8_NAMES = 0x0800;
const DEFLATE = 8;
const VERSION = 20;
const MADE_ON_UNIX = (3 << 8) | VERSION;
/** A file that all may read and its owner write. */
const MODE = (0o100644 << 16) >>> 0;

/** @throws {Error} when two entries have one name, or the archive is larger than a plain zip can be */
export function zip(entries: readonly ZipEntry[]): Uint8Array {
  const sorted = [...entries].sort((a, b) => (a.name < b.name ? -1 : 1));
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [i, { name, content }] of sorted.entries()) {
    if (sorted[i + 1]?.name === name) throw new Error(`two entries of the archive are called '${name}'`);
    const path = Buffer.from(name);
    const packed = deflateRawSync(content, { level: 9 });
    const fields = { crc: crc32(content), packed: packed.length, size: content.length, name: path.length };
    const header = Buffer.concat([localHeader(fields), path, packed]);
    files.push(header);
    directory.push(directoryHeader(fields, offset), path);
    offset += header.length;
  }
  const index = Buffer.concat(directory);
  if (offset + index.length > 0xffffffff || sorted.length > 0xffff) throw new Error('the archive is too large');
  return Buffer.concat([...files, index, end(sorted.length, index.length, offset)]);
}

interface Fields {
  readonly crc: number;
  readonly packed: number;
  readonly size: number;
  readonly name: number;
}

function localHeader(fields: Fields): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(VERSION, 4);
  common(header, 6, fields);
  return header;
}

function directoryHeader(fields: Fields, offset: number): Buffer {
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(MADE_ON_UNIX, 4);
  header.writeUInt16LE(VERSION, 6);
  common(header, 8, fields);
  header.writeUInt32LE(MODE, 38);
  header.writeUInt32LE(offset, 42);
  return header;
}

/** What both headers say, from the flags on. */
function common(header: Buffer, at: number, { crc, packed, size, name }: Fields): void {
  header.writeUInt16LE(UTF8_NAMES, at);
  header.writeUInt16LE(DEFLATE, at + 2);
  header.writeUInt16LE(0, at + 4);
  header.writeUInt16LE(DOS_DATE, at + 6);
  header.writeUInt32LE(crc, at + 8);
  header.writeUInt32LE(packed, at + 12);
  header.writeUInt32LE(size, at + 16);
  header.writeUInt16LE(name, at + 20);
}

function end(entries: number, size: number, offset: number): Buffer {
  const record = Buffer.alloc(22);
  record.writeUInt32LE(0x06054b50, 0);
  record.writeUInt16LE(entries, 8);
  record.writeUInt16LE(entries, 10);
  record.writeUInt32LE(size, 12);
  record.writeUInt32LE(offset, 16);
  return record;
}
