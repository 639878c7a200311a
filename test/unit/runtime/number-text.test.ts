// Numbers as users write them: which are parsed, and which are refused instead of being misread.
import { describe, expect, test } from 'vitest';
import {
  bitrateFromText,
  bytesFromText,
  numberFromText,
  percentFromText,
  wholeNumberFromText,
} from '../../../server/runtime/number-text.ts';

describe('a size', () => {
  test.each([
    ['0', 0],
    ['500000000', 500_000_000],
    ['12b', 12],
    ['12 bytes', 12],
    ['5GB', 5e9],
    ['5 gb', 5e9],
    ['5g', 5e9],
    ['1.5g', 1_500_000_000],
    ['500MB', 5e8],
    ['500 kB', 500_000],
    ['5GiB', 5_368_709_120],
    ['5 gib', 5_368_709_120],
    ['5Gi', 5_368_709_120],
    ['0.5 TiB', 549_755_813_888],
    ['1.1KiB', 1_126],
    ['2P', 2e15],
    [' 7M ', 7_000_000],
  ])('%j is %d bytes', (text, bytes) => {
    expect(bytesFromText(text)).toBe(bytes);
  });

  test.each([
    '',
    ' ',
    'GB',
    '1e9',
    '1.5',
    '1.5 B',
    '-1',
    '-5GB',
    '+5',
    '0x10',
    '5,5GB',
    '5 G B',
    '5XB',
    '5GB!',
    '1_000',
  ])('%j is none', (text) => {
    expect(bytesFromText(text)).toBeUndefined();
  });

  test.each(['9007199254740993', '99999P', '1'.repeat(400)])('%s is more than can be counted', (text) => {
    expect(bytesFromText(text)).toBeUndefined();
  });
});

test.each([
  ['5', 5],
  ['-5', -5],
  ['5.0', 5],
  ['5.5', undefined],
  ['1e3', undefined],
  ['', undefined],
  ['5GB', undefined],
  ['9007199254740993', undefined],
])('the whole number %j is %s', (text, value) => {
  expect(wholeNumberFromText(text)).toBe(value);
});

test.each([
  ['0.85', 0.85],
  ['.5', undefined],
  ['1e-1', undefined],
  ['NaN', undefined],
  ['Infinity', undefined],
])('the number %j is %s', (text, value) => {
  expect(numberFromText(text)).toBe(value);
});

test.each([
  ['5%', 5],
  ['5 %', 5],
  ['0.5', 0.5],
  ['5%%', undefined],
  ['%', undefined],
])('the part %j is %s percent', (text, value) => {
  expect(percentFromText(text)).toBe(value);
});

test.each([
  ['192', 192],
  ['192k', 192],
  ['192 kbps', 192],
  ['192 kbit/s', 192],
  ['1M', undefined],
  ['1e2', undefined],
])('the bit rate %j is %s', (text, value) => {
  expect(bitrateFromText(text)).toBe(value);
});
