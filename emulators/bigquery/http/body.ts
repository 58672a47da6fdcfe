/** Reads request bodies: bounded, plain or gzipped, JSON of bounded depth. */
import type { IncomingMessage } from 'node:http';
import { createGunzip } from 'node:zlib';
import { ApiError, invalid } from '../api-error.ts';
import type { Json } from './request.ts';

/** BigQuery's own bound on a request, in bytes. */
export const MAX_BODY_BYTES = 10_485_760;

const MAX_DEPTH = 100;

/** True when a value nests deeper than allowed; walks without recursion. */
function isDeep(value: unknown): boolean {
  const stack: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let top = stack.pop(); top; top = stack.pop()) {
    if (typeof top.value !== 'object' || top.value === null) continue;
    if (top.depth > MAX_DEPTH) return true;
    for (const part of Object.values(top.value))
      if (typeof part === 'object' && part !== null) stack.push({ value: part, depth: top.depth + 1 });
  }
  return false;
}

function tooLarge(): ApiError {
  return new ApiError('uploadTooLarge', `Request payload size exceeds the limit: ${MAX_BODY_BYTES} bytes.`);
}

/** Collects a body. What comes after the limit is read and dropped, so that the sender gets to see the answer. */
function readText(message: IncomingMessage): Promise<string> {
  const gunzip = message.headers['content-encoding'] === 'gzip' ? createGunzip() : undefined;
  const stream = gunzip ? message.pipe(gunzip) : message;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const refuse = (error: ApiError) => {
      stream.removeAllListeners('data');
      if (gunzip) {
        message.unpipe(gunzip);
        gunzip.destroy();
      }
      message.resume();
      reject(error);
    };
    const broken = () => refuse(invalid('The request body could not be read'));
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) refuse(tooLarge());
      else chunks.push(chunk);
    });
    stream.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    stream.on('error', broken);
    message.on('error', broken);
    message.on('aborted', broken);
  });
}

/** @throws {ApiError} when the body is too large, no JSON object, or nests too deep. */
export async function readBody(message: IncomingMessage): Promise<Json> {
  const text = await readText(message);
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ApiError('invalid', 'Parse Error: the request body is not valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid('The request body must be a JSON object');
  if (isDeep(value)) throw invalid(`The request body nests deeper than ${MAX_DEPTH} levels`);
  return value as Json;
}
