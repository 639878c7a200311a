import { expect, test } from 'vitest';
import { rankCandidates, rankOf } from '../../../server/search/rank.ts';

test.each([
  ['moon', '', 'moon', 0],
  ['moonlight', '', 'moon', 1],
  ['moon safari', 'air', 'moon', 1],
  ['dark side of the moon', '', 'dark side', 1],
  ['full moon', '', 'moon', 2],
  ['live (moon)', '', 'moon', 2],
  ['safari', 'moon, the', 'moon', 2],
  ['side of darkness', '', 'dark side', 2],
  ['honeymoon', '', 'moon', 3],
  ['darkroom', 'inside', 'dark side', 3],
  ['ac/dc', '', 'dc', 2],
  ['acdc', '', 'dc', 3],
  ['what (live)', '', '(live', 2],
  ['東京の夜', '', '夜', 3],
] as const)('%j by %j ranks for %j as %d', (name, artist, query, rank) => {
  expect(rankOf({ id: 1, name, artist }, query, query.split(' '))).toBe(rank);
});

test('results come by rank, then by name, then by age', () => {
  const candidates = ['honeymoon', 'new moon', 'moon', 'moonlight', 'blue moon', 'moon'].map((name, id) => ({
    id,
    name,
    artist: '',
  }));
  expect(rankCandidates(candidates, 'moon', ['moon'])).toEqual([2, 5, 3, 4, 1, 0]);
});
