// Chromaprint's text form of a fingerprint: for each number, the distances between the bits that differ from the
// previous one, in 3-bit groups; longer distances continue in a second list of 5-bit groups. Encoded as base64url.
// https://github.com/acoustid/chromaprint/blob/master/src/fingerprint_compressor.cpp

/** Chromaprint's algorithm `TEST2`, the only one that AcoustID accepts. */
export const ALGORITHM = 1;
/** 120 s give 948 numbers, so anything longer is none of our fingerprints. */
export const MAX_RAW = 1_000;

const HEADER_BYTES = 4;
const LONGEST_SHORT = 7;
const BITS = 32;

export function compressFingerprint(raw: Uint32Array): string {
  const short: number[] = [];
  const rest: number[] = [];
  let before = 0;
  for (const value of raw) {
    let last = 0;
    for (let bits = (value ^ before) >>> 0, at = 1; bits !== 0; bits >>>= 1, at++) {
      if ((bits & 1) === 0) continue;
      const distance = at - last;
      short.push(Math.min(distance, LONGEST_SHORT));
      if (distance >= LONGEST_SHORT) rest.push(distance - LONGEST_SHORT);
      last = at;
    }
    short.push(0);
    before = value;
  }
  const header = [ALGORITHM, (raw.length >> 16) & 0xff, (raw.length >> 8) & 0xff, raw.length & 0xff];
  return Buffer.from([...header, ...pack(short, 3), ...pack(rest, 5)]).toString('base64url');
}

/** Undefined for text that is not a fingerprint of this algorithm or is truncated. */
export function decompressFingerprint(text: string): Uint32Array | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length < HEADER_BYTES || bytes[0] !== ALGORITHM) return undefined;
  const count = bytes.readUIntBE(1, 3);
  if (count > MAX_RAW) return undefined;
  const short = unpackShort(bytes, count);
  if (!short) return undefined;
  const rest = unpackFrom(bytes, HEADER_BYTES + Math.ceil((short.length * 3) / 8), 5);
  const raw = new Uint32Array(count);
  let [at, n, used] = [0, 0, 0];
  for (const part of short) {
    if (part === 0) {
      raw[n] = ((raw[n] as number) ^ (n > 0 ? (raw[n - 1] as number) : 0)) >>> 0;
      n++;
      at = 0;
      continue;
    }
    const more = part === LONGEST_SHORT ? rest(used++) : 0;
    if (more === undefined) return undefined;
    at += part + more;
    if (at > BITS) return undefined;
    raw[n] = ((raw[n] as number) | (1 << (at - 1))) >>> 0;
  }
  return raw;
}

/** The 3-bit groups, up to the zero that ends the last number. */
function unpackShort(bytes: Buffer, count: number): number[] | undefined {
  const group = unpackFrom(bytes, HEADER_BYTES, 3);
  const short: number[] = [];
  for (let ended = 0; ended < count;) {
    const part = group(short.length);
    if (part === undefined) return undefined;
    short.push(part);
    if (part === 0) ended++;
  }
  return short;
}

function unpackFrom(bytes: Buffer, start: number, width: number): (index: number) => number | undefined {
  return (index) => {
    const bit = index * width;
    const at = start + (bit >> 3);
    if (start * 8 + bit + width > bytes.length * 8) return undefined;
    const word = (bytes[at] as number) | ((bytes[at + 1] ?? 0) << 8);
    return (word >> (bit & 7)) & ((1 << width) - 1);
  };
}

/** Lowest bits first. */
function pack(values: number[], width: number): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((values.length * width) / 8));
  values.forEach((value, i) => {
    const bit = i * width;
    const word = value << (bit & 7);
    bytes[bit >> 3] = (bytes[bit >> 3] as number) | (word & 0xff);
    if (word > 0xff) bytes[(bit >> 3) + 1] = word >> 8;
  });
  return bytes;
}
