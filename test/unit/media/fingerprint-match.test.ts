// Tests the similarity of fingerprints, and the pieces by which they are found, with numbers like those of music.
import { describe, expect, test } from 'vitest';
import { SAME_SOUND, soundPieces, soundSimilarity } from '../../../server/media/fingerprint-match.ts';
import { seededRandom } from '../../support/test-random.ts';

/** Generates numbers that each differ from the previous number in a few bits. */
function sound(seed: number, length = 400): Uint32Array {
  const random = seededRandom(seed);
  let value = Math.floor(random() * 2 ** 32);
  return Uint32Array.from({ length }, () => {
    for (let n = 0; n < 4; n++) value = (value ^ (1 << Math.floor(random() * 32))) >>> 0;
    return value;
  });
}

/** Returns a copy of the fingerprint with a share of its bits inverted. */
function invertBits(raw: Uint32Array, share: number): Uint32Array {
  const random = seededRandom(9);
  return raw.map((value) => {
    let word = value;
    for (let bit = 0; bit < 32; bit++) if (random() < share) word ^= 1 << bit;
    return word >>> 0;
  });
}

const countSharedPieces = (first: Uint32Array, second: Uint32Array): number =>
  soundPieces(first).filter((piece) => soundPieces(second).includes(piece)).length;

describe('similarity', () => {
  const fingerprint = sound(1);
  test.each([
    { what: 'itself', other: fingerprint, at: [1, 1] },
    { what: 'itself with 5 % of its bits turned over', other: invertBits(fingerprint, 0.05), at: [0.94, 0.96] },
    { what: 'itself begun 3 s later', other: fingerprint.subarray(24), at: [1, 1] },
    { what: 'itself with 3 s in front', other: Uint32Array.from([...sound(2, 24), ...fingerprint]), at: [1, 1] },
    {
      what: 'itself begun 10 s later, which is further than is looked',
      other: fingerprint.subarray(81),
      at: [0.4, 0.75],
    },
    { what: 'another one', other: sound(3), at: [0.4, 0.75] },
    { what: 'nothing', other: new Uint32Array(), at: [0, 0] },
    { what: 'too little of itself', other: fingerprint.subarray(0, 39), at: [0, 0] },
  ])('of $what', ({ other, at }) => {
    const [likeness, reverseLikeness] = [soundSimilarity(fingerprint, other), soundSimilarity(other, fingerprint)];
    expect(likeness).toBe(reverseLikeness);
    expect(likeness).toBeGreaterThanOrEqual(at[0] as number);
    expect(likeness).toBeLessThanOrEqual(at[1] as number);
  });

  // Similarities measured between fpcalc and our own decoders on the first 120 s of real music.
  test.each([
    ['flac, wav, aiff, m4a', 1],
    ['mp3, wma, wavpack', 0.9999],
    ['ogg, opus', 0.9997],
  ])('of one recording, from any decoder (%s: %d), is far above the threshold', (_formats, agreement) => {
    const heardPrint = sound(4, 948);
    const damagedFingerprint = invertBits(heardPrint, 1 - agreement);
    expect(soundSimilarity(heardPrint, damagedFingerprint)).toBeCloseTo(agreement, 3);
    expect(1 - soundSimilarity(heardPrint, damagedFingerprint)).toBeLessThan((1 - SAME_SOUND) / 100);
    expect(countSharedPieces(heardPrint, damagedFingerprint)).toBeGreaterThanOrEqual(19);
  });

  test('of different recordings stays below the threshold, for 500 pairs', () => {
    const fingerprints = Array.from({ length: 32 }, (_, seed) => sound(100 + seed));
    const likeness = fingerprints.flatMap((a, i) => fingerprints.slice(0, i).map((b) => soundSimilarity(a, b)));
    expect(likeness).toHaveLength(496);
    expect(Math.max(...likeness)).toBeLessThan(SAME_SOUND - 0.1);
  });
});

describe('pieces', () => {
  test('are 20 different numbers of 24 bits, and the same ones each time', () => {
    const pieces = soundPieces(sound(1));
    expect(new Set(pieces).size).toBe(20);
    expect(pieces.every((piece) => Number.isInteger(piece) && piece >= 0 && piece < 2 ** 24)).toBe(true);
    expect(soundPieces(sound(1))).toEqual(pieces);
  });
  test('are shared with the same music that was encoded again', () =>
    expect(countSharedPieces(sound(1), invertBits(sound(1), 0.005))).toBeGreaterThan(10));
  test('are shared with the same music that starts later', () =>
    expect(countSharedPieces(sound(1), sound(1).subarray(40))).toBeGreaterThan(10));
  test('are not shared with other music', () => expect(countSharedPieces(sound(1), sound(2))).toBe(0));
  test('are absent when there is too little to compare', () => expect(soundPieces(sound(1, 39))).toEqual([]));
  test('are no more than there are different numbers', () =>
    expect(soundPieces(new Uint32Array(100).fill(7 << 8))).toEqual([7]));
});
