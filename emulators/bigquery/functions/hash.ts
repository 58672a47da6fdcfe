/** Hashes and random identifiers. */
import { createHash } from 'node:crypto';
import { fingerprint64 } from '../values/farm-hash.ts';
import { define, js, total } from './definition.ts';

const digest = (algorithm: string) => (input: string | Uint8Array) =>
  new Uint8Array(createHash(algorithm).update(input).digest());

const hash = (name: string, algorithm: string) =>
  define(name, js('STRING -> BYTES', digest(algorithm)), js('BYTES -> BYTES', digest(algorithm)));

export const HASH_FUNCTIONS = [
  hash('MD5', 'md5'),
  hash('SHA1', 'sha1'),
  hash('SHA256', 'sha256'),
  hash('SHA512', 'sha512'),
  define(
    'FARM_FINGERPRINT',
    js('STRING -> INT64', (text: string) => fingerprint64(Buffer.from(text))),
    js('BYTES -> INT64', (bytes: Uint8Array) => fingerprint64(bytes)),
  ),
  define('GENERATE_UUID', total(' -> STRING', 'CAST(uuid() AS VARCHAR)')),
];
