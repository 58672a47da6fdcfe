/** Functions between characters, code points, bytes and their spellings in base 16, 32 and 64. */
import { ValueError } from '../values/value-error.ts';
import { define, js } from './definition.ts';

function codePoint(code: bigint): string {
  if (code === 0n) return '';
  if (code < 0n || code > 0x10ffffn || (code >= 0xd800n && code <= 0xdfffn))
    throw new ValueError(`Invalid codepoint ${code}`);
  return String.fromCodePoint(Number(code));
}

function codePointsToString(codes: readonly (bigint | null)[]): string | null {
  if (codes.some((code) => code === null)) return null;
  return codes.map((code) => (code === 0n ? '\0' : codePoint(code ?? 0n))).join('');
}

function codePointsToBytes(codes: readonly (bigint | null)[]): Uint8Array | null {
  if (codes.some((code) => code === null)) return null;
  return Uint8Array.from(codes, (code) => {
    if ((code ?? 0n) < 0n || (code ?? 0n) > 255n) throw new ValueError(`Invalid extended ASCII code ${code}`);
    return Number(code);
  });
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function toBase32(bytes: Uint8Array): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  let text = '';
  for (let at = 0; at < bits.length; at += 5) text += BASE32[Number.parseInt(bits.slice(at, at + 5).padEnd(5, '0'), 2)];
  return text.padEnd(Math.ceil(text.length / 8) * 8, '=');
}

function fromBase32(text: string): Uint8Array {
  let bits = '';
  for (const character of text.replace(/=+$/, '').toUpperCase()) {
    const value = BASE32.indexOf(character);
    if (value < 0) throw new ValueError('Failed to decode invalid base32 string');
    bits += value.toString(2).padStart(5, '0');
  }
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}

function fromBase64(text: string): Uint8Array {
  const clean = text.replace(/\s/g, '');
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(clean)) throw new ValueError('Failed to decode invalid base64 string');
  return new Uint8Array(Buffer.from(clean, 'base64'));
}

function fromHex(text: string): Uint8Array {
  if (!/^[0-9a-fA-F]*$/.test(text)) throw new ValueError('Failed to decode invalid hexadecimal string');
  return new Uint8Array(Buffer.from(text.length % 2 ? `0${text}` : text, 'hex'));
}

export const ENCODING_FUNCTIONS = [
  define(
    'ASCII',
    js('STRING -> INT64', (value: string) => BigInt(value.codePointAt(0) ?? 0)),
    js('BYTES -> INT64', (value: Uint8Array) => BigInt(value[0] ?? 0)),
  ),
  define(
    'UNICODE',
    js('STRING -> INT64', (value: string) => BigInt(value.codePointAt(0) ?? 0)),
  ),
  define('CHR', js('INT64 -> STRING', codePoint)),
  define('CODE_POINTS_TO_STRING', js('ARRAY<INT64> -> STRING', codePointsToString)),
  define('CODE_POINTS_TO_BYTES', js('ARRAY<INT64> -> BYTES', codePointsToBytes)),
  define(
    'TO_CODE_POINTS',
    js('STRING -> ARRAY<INT64>', (value: string) =>
      Array.from(value, (character) => BigInt(character.codePointAt(0) ?? 0)),
    ),
    js('BYTES -> ARRAY<INT64>', (value: Uint8Array) => Array.from(value, BigInt)),
  ),
  define('FROM_BASE32', js('STRING -> BYTES', fromBase32)),
  define('FROM_BASE64', js('STRING -> BYTES', fromBase64)),
  define('FROM_HEX', js('STRING -> BYTES', fromHex)),
  define('TO_BASE32', js('BYTES -> STRING', toBase32)),
  define(
    'TO_BASE64',
    js('BYTES -> STRING', (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')),
  ),
  define(
    'TO_HEX',
    js('BYTES -> STRING', (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')),
  ),
  define(
    'SAFE_CONVERT_BYTES_TO_STRING',
    js('BYTES -> STRING', (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)),
  ),
];
