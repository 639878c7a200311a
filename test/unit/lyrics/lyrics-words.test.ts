// How lyrics, and searches in them, are split into words, and which line a search shows.
import { describe, expect, test } from 'vitest';
import { findMatchingLine, matchesOf, parseWordQuery, wordsOfText } from '../../../server/lyrics/lyrics-words.ts';

test.each([
  ['Hello, is it me?', ['hello', 'is', 'it', 'me']],
  ["Don’t don't dont", ['dont', 'dont', 'dont']],
  ['Für Élise, ÅÆØ', ['fur', 'elise', 'aaeo']],
  ['君の名は', ['君', 'の', '名', 'は']],
  ['ฉันรักเธอ', ['ฉั', 'น', 'รั', 'ก', 'เ', 'ธ', 'อ']],
  ['Подмосковные вечера', ['подмосковные', 'вечера']],
  ['사랑해 너를', ['사랑해', '너를']],
  ['क्या हुआ', ['क्या', 'हुआ']],
  ['…—!?', []],
  ['x'.repeat(100), ['x'.repeat(64)]],
])('%j', (text, words) => expect(wordsOfText(text)).toEqual(words));

describe('a search', () => {
  test.each([
    ['', undefined],
    ['?!', undefined],
    ['hello dark', { words: ['hello', 'dark'], isOpen: true }],
    ['hello dark ', { words: ['hello', 'dark'], isOpen: true }],
    ['hello dark.', { words: ['hello', 'dark'], isOpen: false }],
    ['is it', { words: ['is', 'it'], isOpen: false }],
  ])('%j', (text, query) => expect(parseWordQuery(text)).toEqual(query));

  test('has at most 24 words', () =>
    expect(parseWordQuery(Array.from({ length: 99 }, (_, i) => `w${i}`).join(' '))?.words).toHaveLength(24));

  test('is a phrase, and all words that are not a phrase', () => {
    expect(matchesOf({ words: ['hello', 'dark'], isOpen: true })).toEqual({
      phrase: '"hello dark" *',
      scattered: '("hello" AND "dark" *) NOT ("hello dark" *)',
    });
    expect(matchesOf({ words: ['hello'], isOpen: false })).toEqual({ phrase: '"hello"', scattered: undefined });
  });
});

describe('the matching line', () => {
  const lines = ['Hello there', 'Hello darkness, my old friend', "I've come to talk", '', 'with you again'].map(
    (text) => ({ text }),
  );
  const find = (q: string) => findMatchingLine(lines, parseWordQuery(q) ?? { words: [], isOpen: false });

  test.each([
    ['hello dark', 1, 'Hello darkness, my old friend'],
    ['hello', 0, 'Hello there'],
    ['old friend ive come', 1, "Hello darkness, my old friend / I've come to talk"],
    ['talk with you', 2, "I've come to talk / with you again"],
    ['friend darkness nobody', 1, 'Hello darkness, my old friend'],
  ])('of %j', (q, index, text) => expect(find(q)).toEqual({ index, text }));

  test('of other words does not exist', () => expect(find('goodbye')).toBeUndefined());
});
