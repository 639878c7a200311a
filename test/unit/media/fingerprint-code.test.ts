// The text form of fingerprints: small ones encoded by hand, random ones in both directions, and invalid texts.
import { describe, expect, test } from 'vitest';
import { compressFingerprint, decompressFingerprint, MAX_RAW_VALUES } from '../../../server/media/fingerprint-code.ts';
import { seededRandom } from '../../support/test-random.ts';

const bytes = (...values: number[]): string => Buffer.from(values).toString('base64url');

describe('encoded by hand', () => {
  test.each([
    { what: 'one bit', raw: [1], text: bytes(1, 0, 0, 1, 1) },
    { what: 'a distance of seven', raw: [1 << 6], text: bytes(1, 0, 0, 1, 7, 0) },
    { what: 'a distance of nine', raw: [1 << 8], text: bytes(1, 0, 0, 1, 7, 2) },
    { what: 'two numbers', raw: [1, 0], text: bytes(1, 0, 0, 2, 65, 0) },
    { what: 'two equal numbers', raw: [1, 1], text: bytes(1, 0, 0, 2, 1, 0) },
  ])('$what', ({ raw, text }) => {
    expect(compressFingerprint(Uint32Array.from(raw))).toBe(text);
    expect([...(decompressFingerprint(text) ?? [])]).toEqual(raw);
  });
});

test('decodes to what was encoded, for any numbers', () => {
  const random = seededRandom(5);
  for (let length = 0; length < 300; length += 7) {
    const raw = Uint32Array.from({ length }, () =>
      random() < 0.1 ? 0 : random() < 0.1 ? 0xffffffff : Math.floor(random() * 2 ** 32),
    );
    expect(decompressFingerprint(compressFingerprint(raw))).toEqual(raw);
  }
});

describe('an invalid fingerprint is rejected', () => {
  const encoded = Buffer.from(
    compressFingerprint(Uint32Array.from({ length: 50 }, (_, i) => Math.imul(i + 1, 2_654_435_761) >>> 0)),
    'base64url',
  );
  test.each([
    { what: 'nothing', text: '' },
    { what: 'no base64', text: '!!!' },
    { what: 'a header alone that promises numbers', text: bytes(1, 0, 0, 3) },
    { what: 'another algorithm', text: bytes(2, 0, 0, 1, 1) },
    { what: 'more numbers than 120 s have', text: bytes(1, 0xff, 0xff, 0xff, ...Array.from({ length: 500 }, () => 0)) },
    { what: 'a bit beyond the 32nd', text: bytes(1, 0, 0, 1, 0b11_111_111, 0b111_1, 0xff, 0xff, 0xff, 0xff, 0xff) },
    { what: 'the second row cut off', text: encoded.subarray(0, -4).toString('base64url') },
    { what: 'the first row cut off', text: encoded.subarray(0, 12).toString('base64url') },
  ])('$what', ({ text }) => expect(decompressFingerprint(text)).toBeUndefined());

  test('the longest accepted fingerprint has MAX_RAW_VALUES numbers', () => {
    const raw = new Uint32Array(MAX_RAW_VALUES);
    expect(decompressFingerprint(compressFingerprint(raw))).toEqual(raw);
    expect(decompressFingerprint(compressFingerprint(new Uint32Array(MAX_RAW_VALUES + 1)))).toBeUndefined();
  });
});
