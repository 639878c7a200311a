// Encodes and decodes Chromaprint's text form of a fingerprint: for each number, the distances between the bits that
// differ from the previous number, in 3-bit groups; longer distances continue in a second list of 5-bit groups. The
// result is encoded as base64url. https://github.com/acoustid/chromaprint/blob/master/src/fingerprint_compressor.cpp

/** Chromaprint's algorithm `TEST2`, the only one that AcoustID accepts. */
export const ALGORITHM = 1;
/** 120 s give 948 values, so a longer list is no fingerprint. */
export const MAX_RAW_VALUES = 1_000;

const HEADER_BYTES = 4;
const MAX_SHORT_DISTANCE = 7;
const BITS_PER_VALUE = 32;

export function compressFingerprint(raw: Uint32Array): string {
  const shortDistances: number[] = [];
  const longDistances: number[] = [];
  let previousValue = 0;
  for (const value of raw) {
    let lastBit = 0;
    for (let bits = (value ^ previousValue) >>> 0, bitNumber = 1; bits !== 0; bits >>>= 1, bitNumber++) {
      if ((bits & 1) === 0) continue;
      const distance = bitNumber - lastBit;
      shortDistances.push(Math.min(distance, MAX_SHORT_DISTANCE));
      if (distance >= MAX_SHORT_DISTANCE) longDistances.push(distance - MAX_SHORT_DISTANCE);
      lastBit = bitNumber;
    }
    shortDistances.push(0);
    previousValue = value;
  }
  const header = [ALGORITHM, (raw.length >> 16) & 0xff, (raw.length >> 8) & 0xff, raw.length & 0xff];
  return Buffer.from([...header, ...pack(shortDistances, 3), ...pack(longDistances, 5)]).toString('base64url');
}

/** Decodes a fingerprint. Returns undefined for text that is not a fingerprint of this algorithm or is truncated. */
export function decompressFingerprint(text: string): Uint32Array | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length < HEADER_BYTES || bytes[0] !== ALGORITHM) return undefined;
  const count = bytes.readUIntBE(1, 3);
  if (count > MAX_RAW_VALUES) return undefined;
  const shortDistances = unpackShort(bytes, count);
  if (!shortDistances) return undefined;
  const longDistanceAt = unpackFrom(bytes, HEADER_BYTES + Math.ceil((shortDistances.length * 3) / 8), 5);
  const raw = new Uint32Array(count);
  let [bit, n, usedCount] = [0, 0, 0];
  for (const distance of shortDistances) {
    if (distance === 0) {
      raw[n] = ((raw[n] as number) ^ (n > 0 ? (raw[n - 1] as number) : 0)) >>> 0;
      n++;
      bit = 0;
      continue;
    }
    const extraDistance = distance === MAX_SHORT_DISTANCE ? longDistanceAt(usedCount++) : 0;
    if (extraDistance === undefined) return undefined;
    bit += distance + extraDistance;
    if (bit > BITS_PER_VALUE) return undefined;
    raw[n] = ((raw[n] as number) | (1 << (bit - 1))) >>> 0;
  }
  return raw;
}

/** Unpacks the 3-bit groups, up to the zero that ends the last number. */
function unpackShort(bytes: Buffer, count: number): number[] | undefined {
  const group = unpackFrom(bytes, HEADER_BYTES, 3);
  const shortDistances: number[] = [];
  for (let endedCount = 0; endedCount < count;) {
    const distance = group(shortDistances.length);
    if (distance === undefined) return undefined;
    shortDistances.push(distance);
    if (distance === 0) endedCount++;
  }
  return shortDistances;
}

function unpackFrom(bytes: Buffer, start: number, width: number): (index: number) => number | undefined {
  return (index) => {
    const bit = index * width;
    const byteIndex = start + (bit >> 3);
    if (start * 8 + bit + width > bytes.length * 8) return undefined;
    const word = (bytes[byteIndex] as number) | ((bytes[byteIndex + 1] ?? 0) << 8);
    return (word >> (bit & 7)) & ((1 << width) - 1);
  };
}

/** Packs values into bytes, lowest bits first. */
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
