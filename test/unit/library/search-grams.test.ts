import { expect, test } from 'vitest';
import { gramOf, gramsOf } from '../../../server/library/search-index/search-grams.ts';

test.each([
  ['ab', 'a b ab '],
  ['a b', 'a b '],
  ['moo', 'm o mo o oo '],
  ['夜に', '夜 に 夜に '],
  ['🎵a', '🎵 a 🎵a '],
  ['a\nb', 'a b '],
  ['c/d', 'c \ue02f c\ue02f d \ue02fd '],
  ['"', '\ue022 '],
  ['', ''],
])('%j has the grams %j', (text, grams) => {
  expect(gramsOf(text)).toBe(grams);
});

test.each(['a', 'ab', '夜', 'c/', '"', '🎵🎵', '%_'])(
  'the token of %j is among the grams of a text that contains it',
  (word) => {
    expect(gramsOf(`x ${word} y`).split(' ')).toContain(gramOf(word));
  },
);

test('no gram contains a character that the tokenizer treats as a space', () => {
  const signs = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)).join('');
  expect(gramsOf(signs)).not.toMatch(/[^ a-z0-9\u0080-\uffff]/);
});
