/**
 * FarmHash's Fingerprint64 (farmhashna::Hash64), which FARM_FINGERPRINT shows as a signed INT64. Written from the published
 * algorithm; all arithmetic is on unsigned 64 bits.
 */
const MASK = (1n << 64n) - 1n;
const K0 = 0xc3a5c85c97cb3127n;
const K1 = 0xb492b66fbe98f273n;
const K2 = 0x9ae16a3b2f90404fn;

const u64 = (value: bigint) => value & MASK;
const rotate = (value: bigint, by: bigint) => (by === 0n ? value : u64((value >> by) | (value << (64n - by))));
const shiftMix = (value: bigint) => value ^ (value >> 47n);

class Words {
  readonly #view: DataView;
  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  at64(offset: number): bigint {
    return this.#view.getBigUint64(offset, true);
  }
  at32(offset: number): bigint {
    return BigInt(this.#view.getUint32(offset, true));
  }
}

function hash16(u: bigint, v: bigint, multiplier: bigint): bigint {
  let a = u64((u ^ v) * multiplier);
  a ^= a >> 47n;
  let b = u64((v ^ a) * multiplier);
  b ^= b >> 47n;
  return u64(b * multiplier);
}

function upTo16(bytes: Uint8Array, words: Words): bigint {
  const length = bytes.length;
  if (length >= 8) {
    const multiplier = u64(K2 + BigInt(length) * 2n);
    const a = u64(words.at64(0) + K2);
    const b = words.at64(length - 8);
    const c = u64(rotate(b, 37n) * multiplier + a);
    const d = u64((rotate(a, 25n) + b) * multiplier);
    return hash16(c, d, multiplier);
  }
  if (length >= 4) {
    const multiplier = u64(K2 + BigInt(length) * 2n);
    return hash16(u64(BigInt(length) + (words.at32(0) << 3n)), words.at32(length - 4), multiplier);
  }
  if (length > 0) {
    const a = BigInt(bytes[0] ?? 0);
    const b = BigInt(bytes[length >> 1] ?? 0);
    const c = BigInt(bytes[length - 1] ?? 0);
    const y = a + (b << 8n);
    const z = BigInt(length) + (c << 2n);
    return u64(shiftMix(u64(y * K2) ^ u64(z * K0)) * K2);
  }
  return K2;
}

function upTo32(length: number, words: Words): bigint {
  const multiplier = u64(K2 + BigInt(length) * 2n);
  const a = u64(words.at64(0) * K1);
  const b = words.at64(8);
  const c = u64(words.at64(length - 8) * multiplier);
  const d = u64(words.at64(length - 16) * K2);
  return hash16(u64(rotate(u64(a + b), 43n) + rotate(c, 30n) + d), u64(a + rotate(u64(b + K2), 18n) + c), multiplier);
}

function upTo64(length: number, words: Words): bigint {
  const multiplier = u64(K2 + BigInt(length) * 2n);
  const a = u64(words.at64(0) * K2);
  const b = words.at64(8);
  const c = u64(words.at64(length - 8) * multiplier);
  const d = u64(words.at64(length - 16) * K2);
  const y = u64(rotate(u64(a + b), 43n) + rotate(c, 30n) + d);
  const z = hash16(y, u64(a + rotate(u64(b + K2), 18n) + c), multiplier);
  const e = u64(words.at64(16) * multiplier);
  const f = words.at64(24);
  const g = u64((y + words.at64(length - 32)) * multiplier);
  const h = u64((z + words.at64(length - 24)) * multiplier);
  return hash16(u64(rotate(u64(e + f), 43n) + rotate(g, 30n) + h), u64(e + rotate(u64(f + a), 18n) + g), multiplier);
}

type Pair = readonly [bigint, bigint];

function weakHash(words: Words, offset: number, a: bigint, b: bigint): Pair {
  const [w, x, y, z] = [words.at64(offset), words.at64(offset + 8), words.at64(offset + 16), words.at64(offset + 24)];
  const start = u64(a + w);
  const turned = rotate(u64(b + start + z), 21n);
  const sum = u64(start + x + y);
  return [u64(sum + z), u64(turned + rotate(sum, 44n) + start)];
}

function long(length: number, words: Words): bigint {
  const seed = 81n;
  let x = seed;
  let y = u64(seed * K1 + 113n);
  let z = u64(shiftMix(u64(y * K2 + 113n)) * K2);
  let v: Pair = [0n, 0n];
  let w: Pair = [0n, 0n];
  x = u64(x * K2 + words.at64(0));
  const end = Math.floor((length - 1) / 64) * 64;
  const last = end + ((length - 1) & 63) - 63;
  let at = 0;
  do {
    x = u64(rotate(u64(x + y + v[0] + words.at64(at + 8)), 37n) * K1);
    y = u64(rotate(u64(y + v[1] + words.at64(at + 48)), 42n) * K1);
    x ^= w[1];
    y = u64(y + v[0] + words.at64(at + 40));
    z = u64(rotate(u64(z + w[0]), 33n) * K1);
    v = weakHash(words, at, u64(v[1] * K1), u64(x + w[0]));
    w = weakHash(words, at + 32, u64(z + w[1]), u64(y + words.at64(at + 16)));
    [z, x] = [x, z];
    at += 64;
  } while (at !== end);
  const multiplier = u64(K1 + ((z & 0xffn) << 1n));
  w = [u64(w[0] + BigInt((length - 1) & 63)), w[1]];
  v = [u64(v[0] + w[0]), v[1]];
  w = [u64(w[0] + v[0]), w[1]];
  x = u64(rotate(u64(x + y + v[0] + words.at64(last + 8)), 37n) * multiplier);
  y = u64(rotate(u64(y + v[1] + words.at64(last + 48)), 42n) * multiplier);
  x ^= u64(w[1] * 9n);
  y = u64(y + v[0] * 9n + words.at64(last + 40));
  z = u64(rotate(u64(z + w[0]), 33n) * multiplier);
  v = weakHash(words, last, u64(v[1] * multiplier), u64(x + w[0]));
  w = weakHash(words, last + 32, u64(z + w[1]), u64(y + words.at64(last + 16)));
  [z, x] = [x, z];
  return hash16(
    u64(hash16(v[0], w[0], multiplier) + u64(shiftMix(y) * K0) + z),
    u64(hash16(v[1], w[1], multiplier) + x),
    multiplier,
  );
}

/** The fingerprint as a signed INT64. */
export function fingerprint64(bytes: Uint8Array): bigint {
  const words = new Words(bytes);
  const { length } = bytes;
  const hash =
    length <= 16
      ? upTo16(bytes, words)
      : length <= 32
        ? upTo32(length, words)
        : length <= 64
          ? upTo64(length, words)
          : long(length, words);
  return BigInt.asIntN(64, hash);
}
