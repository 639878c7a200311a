import { expect, test } from 'vitest';
import { findSimilarWords } from '../../../server/search/typos.ts';
import { seededRandom } from '../../support/test-random.ts';

const findIn = (words: readonly string[]) => {
  const sortedWords = words.toSorted();
  return (from: string): string | undefined => sortedWords.find((word) => word >= from);
};
const similarWords = (word: string, maxEdits: number, words: readonly string[]): string[] =>
  findSimilarWords(word, maxEdits, findIn(words)).map(({ word: similarWord, edits }) => `${similarWord} ${edits}`);

test.each([
  ['beleive', 1, ['believe', 'receive'], ['believe 1']],
  ['metalica', 1, ['metal', 'metallica'], ['metallica 1']],
  ['nirvanna', 1, ['nirvana'], ['nirvana 1']],
  ['pinl', 1, ['ping', 'pink', 'pint'], ['ping 1', 'pink 1', 'pint 1']],
  ['ueen', 1, ['queen'], ['queen 1']],
  ['wueen', 1, ['queen'], ['queen 1']],
  ['believe', 1, ['believe'], []],
  ['bohemain', 1, ['bohemians'], ['bohemian 1']],
  ['beleiv', 1, ['believer'], ['believ 1']],
  ['shostakovitch', 2, ['shostakovich'], ['shostakovich 1']],
  ['morissete', 2, ['morrissette'], ['morrissette 2']],
  ['alanisss', 1, ['alanis'], []],
  ['xorissete', 2, ['morissette'], []],
  ['шостаковч', 1, ['шостакович'], ['шостакович 1']],
  ['word', 1, [], []],
])('%j with %i edits means, of %j, %j', (word, maxEdits, words, similar) => {
  expect(similarWords(word, maxEdits, words)).toEqual(similar);
});

/** Returns the distance with swapped neighbours as one edit, from the whole table. */
function distance(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) => [i, ...Array.from({ length: b.length }, () => 0)]);
  for (let j = 0; j <= b.length; j++) (table[0] as number[])[j] = j;
  const at = (i: number, j: number): number => table[i]?.[j] as number;
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      (table[i] as number[])[j] = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
        isSwapped ? at(i - 2, j - 2) + 1 : Infinity,
      );
    }
  return at(a.length, b.length);
}

test('exactly the words within the distance are met, whatever the words', () => {
  const random = seededRandom(3);
  const randomWord = (length: number): string =>
    Array.from({ length }, () => 'abcd'.charAt(Math.floor(random() * 4))).join('');
  for (let round = 0; round < 60; round++) {
    const words = [...new Set(Array.from({ length: 150 }, () => randomWord(3 + Math.floor(random() * 6))))];
    const word = randomWord(4 + Math.floor(random() * 4));
    for (const maxEdits of [1, 2]) {
      const expectedWords = words
        .filter((other) => maxEdits === 1 || other.startsWith(word.charAt(0)))
        .filter((other) => distance(word, other) >= 1 && distance(word, other) <= maxEdits)
        .map((other) => `${other} ${distance(word, other)}`);
      const metWords = similarWords(word, maxEdits, words).filter((met) => words.includes(met.split(' ')[0] as string));
      expect([...new Set(metWords)].toSorted(), `${word} ${maxEdits}`).toEqual(expect.arrayContaining(expectedWords));
    }
  }
});
