import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import { pipeline } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { createGunzip } from 'node:zlib';
import { ConfigurationError, messageOf } from '../../model/errors.ts';

const CHUNK = 64 * 1024;

/**
 * A file's text, without the byte order mark with which editors on Windows begin one. What ends in `.gz` is unpacked.
 * @throws {ConfigurationError} when it cannot be read to its end
 */
export async function* textChunks(path: string): AsyncIterable<string> {
  const decoder = new StringDecoder('utf8');
  let isFirst = true;
  for await (const bytes of bytesOf(path)) {
    const text = decoder.write(bytes);
    if (text === '') continue;
    yield isFirst ? text.replace(/^\uFEFF/, '') : text;
    isFirst = false;
  }
  yield decoder.end();
}

async function* bytesOf(path: string): AsyncIterable<Uint8Array> {
  try {
    yield* path.toLowerCase().endsWith('.gz') ? unpacked(path) : byteChunks(path);
  } catch (error) {
    throw new ConfigurationError(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** Read when it is wanted: a stream, which reads ahead, was a fortieth of a run's time. */
function* byteChunks(path: string): Iterable<Uint8Array> {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.allocUnsafe(CHUNK);
    for (let length = readSync(file, buffer); length > 0; length = readSync(file, buffer))
      yield buffer.subarray(0, length);
  } finally {
    closeSync(file);
  }
}

/** An error of either stream comes where the chunks are read. */
function unpacked(path: string): AsyncIterable<Uint8Array> {
  return pipeline(createReadStream(path), createGunzip({ chunkSize: CHUNK }), () => {});
}
