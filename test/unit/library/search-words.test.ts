import { expect, test } from 'vitest';
import { matchesOf, wordsOf } from '../../../server/library/search-index/search-words.ts';

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

test('half a surrogate pair is accepted', () => {
  expect(wordsOf('a\ud83d b')).toHaveLength(2);
});

test('only the first sixteen words count', () => {
  expect(wordsOf(Array.from({ length: 100 }, (_, n) => `w${n}`).join(' '))).toHaveLength(16);
});

test('words longer than any name are truncated', () => {
  expect(wordsOf('x'.repeat(10_000))).toEqual(['x'.repeat(200)]);
});

const [trigrams, grams] = ['search_trigrams', 'search_grams'] as const;

test.each([
  [[], []],
  [['abc'], [{ table: trigrams, match: '"abc"' }]],
  [['ab'], [{ table: grams, match: '"ab"' }]],
  [['夜', '🎵', '🎵🎵'], [{ table: grams, match: '"夜" AND "🎵🎵"' }]],
  [
    ['kalo', 'a', 'lo', 'e', 'kalokairi'],
    [
      { table: trigrams, match: '"kalokairi"' },
      { table: grams, match: '"e"' },
    ],
  ], // this word is part of a longer one
  [['東京駅', '🎵🎵🎵'], [{ table: trigrams, match: '"東京駅" AND "🎵🎵🎵"' }]],
  [
    ['a', 'moon', 'of', 'side'],
    [
      { table: trigrams, match: '"moon" AND "side"' },
      { table: grams, match: '"a" AND "of"' },
    ],
  ],
  [['say "hi"'], [{ table: trigrams, match: '"say ""hi"""' }]],
  [['"', '*a'], [{ table: grams, match: '"\ue022" AND "\ue02aa"' }]],
])('the words %j are found by %j', (words, matches) => {
  expect(matchesOf(words).map(({ table, match }) => ({ table, match }))).toEqual(matches);
  const searchedWords = matchesOf(words).flatMap((match) => match.words);
  expect(words.filter((word) => !searchedWords.some((searched) => searched.includes(word)))).toEqual([]);
});
