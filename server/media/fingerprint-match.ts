// Compares fingerprints, and picks the few values by which similar ones are looked up. Pure functions. Measured on
// music in ten encodings down to 64 kbit/s: two fingerprints of the same recording share at least 0.993 of their bits
// (0.93 if one starts half a step later), those of different music at most 0.61. Of the 20 looked-up values, the same
// recording shares at least 15 (6 if it starts half a step later) and other music hardly any (the latter shown on
// generated numbers only).

/** Minimum share of equal bits for the same recording. */
export const SAME_SOUND = 0.85;
/**
 * Share of equal bits above which tracks count as the same recording without asking a person; docs/decisions/0076 has
 * the error rates.
 */
export const SAME_RECORDING = 0.94;
/**
 * Maximum difference in length of two encodings of one recording, which differ by their padding; two takes differ by
 * more.
 */
export const SAME_LENGTH_MS = 2_000;
/** Maximum difference in duration of the same recording, as in AcoustID. */
export const LENGTH_TOLERANCE_MS = 7_000;

/** Minimum overlap, about 8 s of audio: shorter fingerprints match by chance. */
const MIN_OVERLAP = 40;
/** Maximum offset between two fingerprints, in steps of 0.124 s. */
const MAX_SHIFT = 60;
/** Number of lowest bits that are dropped, because they change first when music is re-encoded. */
const PIECE_SHIFT = 8;
const MAX_PIECES = 20;

/** Returns whether a fingerprint is long enough to be compared. */
export const isComparable = (raw: Uint32Array): boolean => raw.length >= MIN_OVERLAP;

/** Converts a fingerprint to bytes, which are little-endian on every machine. */
export function bytesOfFingerprint(raw: Uint32Array): Buffer {
  const bytes = Buffer.alloc(raw.length * 4);
  raw.forEach((value, i) => bytes.writeUInt32LE(value, i * 4));
  return bytes;
}

/** Reads a fingerprint from bytes; an incomplete value at the end is left out. */
export function fingerprintFrom(bytes: Uint8Array): Uint32Array {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Uint32Array.from({ length: buffer.length >> 2 }, (_, i) => buffer.readUInt32LE(i * 4));
}

/**
 * Returns up to 20 values for looking up similar fingerprints, picked by their hash (min-hashing), so that similar
 * fingerprints yield mostly the same values. The list is empty if the fingerprint is too short to compare.
 */
export function soundPieces(raw: Uint32Array): number[] {
  if (!isComparable(raw)) return [];
  const values = new Set(Array.from(raw, (value) => value >>> PIECE_SHIFT));
  return [...values]
    .map((value) => ({ value, rank: mix(value) }))
    .sort((a, b) => a.rank - b.rank || a.value - b.value)
    .slice(0, MAX_PIECES)
    .map(({ value }) => value);
}

/** Returns the share of equal bits at the best offset, 0 to 1; 0 if the fingerprints overlap too little. */
export function soundSimilarity(a: Uint32Array, b: Uint32Array): number {
  const minOverlap = Math.max(MIN_OVERLAP, Math.min(a.length, b.length) / 2);
  let bestSimilarity = 0;
  for (let shift = -MAX_SHIFT; shift <= MAX_SHIFT; shift++) {
    const start = Math.max(0, shift);
    const end = Math.min(a.length, b.length + shift);
    if (end - start < minOverlap) continue;
    let unequal = 0;
    for (let i = start; i < end; i++) unequal += bitsIn((a[i] as number) ^ (b[i - shift] as number));
    bestSimilarity = Math.max(bestSimilarity, 1 - unequal / (32 * (end - start)));
  }
  return bestSimilarity;
}

function bitsIn(word: number): number {
  let n = word - ((word >>> 1) & 0x55555555);
  n = (n & 0x33333333) + ((n >>> 2) & 0x33333333);
  return Math.imul((n + (n >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Mixes the bits of a number with the 32-bit finalizer of MurmurHash3. */
function mix(value: number): number {
  let x = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}
