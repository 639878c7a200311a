import { expect, test } from 'vitest';
import { termsOf } from '../../../server/library/search-index/search-words.ts';
import { rankCandidates, rankedQuery, rankOf, rankTypoCandidates } from '../../../server/search/rank.ts';

const queryOf = (text: string) => rankedQuery(text, termsOf(text));

test.each([
  ['moon', '', 'moon', 0],
  ["don't stop", '', 'dont stop', 1],
  ['p!nk', '', 'pink', 1],
  ['blink-182', '', 'blink 182', 1],
  ['the beatles', '', 'beatles', 1],
  ['simon & garfunkel', '', 'simon and garfunkel', 1],
  ['moonlight', '', 'moon', 2],
  ["don't stop me now", '', 'dont stop', 2],
  ['moon safari', 'air', 'moon', 2],
  ['dark side of the moon', '', 'dark side', 2],
  ['full moon', '', 'moon', 3],
  ['live (moon)', '', 'moon', 3],
  ['safari', 'moon, the', 'moon', 3],
  ['side of darkness', '', 'dark side', 3],
  ['ac/dc', '', 'dc', 3],
  ['honeymoon', '', 'moon', 4],
  ['darkroom', 'inside', 'dark side', 4],
  ['acdc', '', 'dc', 4],
  ['東京の夜', '', '夜', 4],
  ['time', 'pink floyd', 'floyd dark', 5],
  ['time', 'pink floyd', 'moon dark', 6],
] as const)('%j by %j ranks for %j as %d', (name, artist, query, rank) => {
  expect(rankOf({ name, artist }, queryOf(query))).toBe(rank);
});

test('results come by rank, then by name, then by age', () => {
  const candidates = ['honeymoon', 'new moon', 'moon', 'moonlight', 'blue moon', 'moon', 'a full moon'].map(
    (name, id) => ({ id, name, artist: '' }),
  );
  expect(rankCandidates([], candidates, queryOf('moon'))).toEqual([2, 5, 3, 1, 4, 6, 0]);
});

test('names that start with the query keep their order, behind those that are it', () => {
  const prefixMatches = ['help', 'help a day', 'help!'].map((key, id) => ({ id, key }));
  expect(rankCandidates(prefixMatches, [{ id: 9, name: '"help"', artist: '' }], queryOf('help'))).toEqual([0, 9, 2, 1]);
});

test('mistyped words count where they begin a word, those with fewer edits first', () => {
  const terms = [{ forms: ['beleive', 'believe', 'relieve'], edits: [0, 1, 2] }];
  const candidates = ['disbelieve', 'relieve', 'i believe', 'believe'].map((name, id) => ({
    id,
    name,
    artist: '',
    text: name,
  }));
  expect(rankTypoCandidates(candidates, terms)).toEqual([3, 2, 1]);
});
