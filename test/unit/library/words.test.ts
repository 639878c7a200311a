import { expect, test } from 'vitest';
import { isIndexed, toPattern, toPhrase, wordsOf } from '../../../server/library/words.ts';

test.each([
  ['Dark Side', ['dark', 'side']],
  ['  ÄRZTE\tBjörk ', ['arzte', 'bjork']],
  ['ｆｕｌｌ　ｗｉｄｔｈ', ['full', 'width']],
  ['東京 夜', ['東京', '夜']],
  ['a\u0000b\u0007c', ['a', 'b', 'c']],
  ['same Same SAME', ['same']],
  ['"; DROP TABLE tracks; --', ['";', 'drop', 'table', 'tracks;', '--']],
  ['\u0301', []],
  ['   ', []],
  ['', []],
  [undefined, []],
])('the words of %j are %j', (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

test('half a surrogate pair is no reason to fail', () => {
  expect(wordsOf('a\ud83d b')).toHaveLength(2);
});

test('no more than sixteen words count', () => {
  expect(wordsOf(Array.from({ length: 100 }, (_, n) => `w${n}`).join(' '))).toHaveLength(16);
});

test('three characters are indexed, counted as a reader counts them', () => {
  expect(['ab', 'abc', '夜', '東京駅', '🎵🎵', '🎵🎵🎵'].map(isIndexed)).toEqual([false, true, false, true, false, true]);
});

test('a phrase keeps its quotes as text', () => {
  expect(toPhrase('say "hi" OR')).toBe('"say ""hi"" OR"');
});

test('a pattern keeps wildcards as text', () => {
  expect(toPattern('100%_\\')).toBe('%100\\%\\_\\\\%');
});
