import { describe, expect, test } from 'vitest';
import { matchesOf, splitYear, termsOf, yearOf } from '../../../server/library/search-index/search-words.ts';

/** Returns the forms of the words, and of phrases in brackets. */
const formsOfTerms = (text: string | undefined) =>
  termsOf(text).map(({ forms, isPhrase }) => (isPhrase ? `[${forms.join('|')}]` : forms.join('|')));

test.each([
  ['Dark Side', ['dark', 'side']],
  ['  ÄRZTE\tBjörk ', ['arzte', 'bjork']],
  ['ｆｕｌｌ　ｗｉｄｔｈ', ['full', 'width']],
  ['東京 夜', ['東京', '夜']],
  ['a\u0000b\u0007c', ['a', 'b', 'c']],
  ['same Same SAME', ['same']],
  ['"; DROP TABLE tracks; --', ['drop', 'table', 'tracks']],
  ["Don't", ['dont']],
  ['R.E.M.', ['rem|r e m']],
  ['AC/DC Thunderstruck', ['acdc|ac dc', 'thunderstruck']],
  ['Ke$ha', ['kesha']],
  ['miles davis - so what?', ['miles', 'davis', 'so', 'what']],
  ['simon & garfunkel', ['simon', 'and', 'garfunkel']],
  ['simon &', ['simon', '&']],
  ['guns n roses', ['guns', 'and', 'roses']],
  ['!!!', ['!!!']],
  ['ed sheeran ÷', ['ed', 'sheeran', '÷']],
  ['-', ['-']],
  ['\u0301', []],
  ['   ', []],
  ['', []],
  ["''", []],
  ['"', []],
  [undefined, []],
])('the words of %j are %j', (text, words) => {
  expect(formsOfTerms(text)).toEqual(words);
});

test.each([
  ['"Alice Mitchell"', ['[alice mitchell]']],
  ['“Alice Mitchell” live', ['[alice mitchell]', 'live']],
  ['„99 Luftballons“', ['[99 luftballons]']],
  ['«Группа крови»', ['[группа крови]']],
  ['floyd "the wall"', ['floyd', '[the wall]']],
  ['floyd "the wall', ['floyd', 'the', 'wall']],
  ['"Back in Black" 7" single', ['[back in black]', '7', 'single']],
  ['"blink-182"', ['[blink182|blink 182]']],
  ['""', []],
])('%j has the phrases and words %j', (text, terms) => {
  expect(formsOfTerms(text)).toEqual(terms);
});

describe('a year', () => {
  test.each([
    ['metallica 1991', 1991, ['metallica']],
    ['2001 space (1968)', 1968, ['2001', 'space']],
    ['"1984" orwell', undefined, ['1984', 'orwell']],
    ['blink 182', undefined, ['blink', '182']],
    ['1984', undefined, ['1984']],
  ])('of %j is %j', (text, year, otherWords) => {
    const split = splitYear(termsOf(text));
    expect([split.year, split.otherTerms.map(({ forms }) => forms[0])]).toEqual([year, otherWords]);
  });

  test('stands alone', () => {
    expect(['1984', '1984 big', '984', '"1984"'].map((text) => yearOf(termsOf(text)))).toEqual([
      1984,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

test('half a surrogate pair is accepted', () => {
  expect(termsOf('a\ud83d b')).toHaveLength(2);
});

test('only the first sixteen words count', () => {
  expect(termsOf(Array.from({ length: 100 }, (_, n) => `w${n}`).join(' '))).toHaveLength(16);
});

test('words longer than any name are truncated', () => {
  expect(formsOfTerms('x'.repeat(10_000))).toEqual(['x'.repeat(200)]);
});

const [trigrams, grams] = ['search_trigrams', 'search_grams'] as const;

test.each([
  [[], []],
  [['abc'], [{ table: trigrams, match: '"abc"' }]],
  [['ab'], [{ table: grams, match: '"ab"' }]],
  [['acdc|ac dc'], [{ table: trigrams, match: '("acdc" OR "ac dc")' }]],
  [['ab|a b'], [{ table: grams, match: '"ab"' }]],
  [['夜', '🎵', '🎵🎵'], [{ table: grams, match: '"夜" AND "🎵🎵"' }]],
  [
    ['kalo', 'a', 'lo', 'e', 'kalokairi'],
    [
      { table: trigrams, match: '"kalokairi"' },
      { table: grams, match: '"e"' },
    ],
  ], // this word is part of a longer one
  [['rem|r e m', 'rem live'], [{ table: trigrams, match: '"rem live"' }]],
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
  const terms = words.map((word) => ({ forms: word.split('|') }));
  expect(matchesOf(terms).map(({ table, match }) => ({ table, match }))).toEqual(matches);
});
