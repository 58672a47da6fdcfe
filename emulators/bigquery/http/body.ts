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

async function readText(message: IncomingMessage): Promise<string> {
  const gzipped = message.headers['content-encoding'] === 'gzip';
  const stream = gzipped ? message.pipe(createGunzip()) : message;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of stream) {
      size += (chunk as Buffer).length;
      if (size > MAX_BODY_BYTES) throw tooLarge();
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw invalid('The request body could not be read');
  } finally {
    // What is left of the body can then be read away by whoever answers.
    if (gzipped) message.unpipe();
  }
  return Buffer.concat(chunks).toString('utf8');
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
