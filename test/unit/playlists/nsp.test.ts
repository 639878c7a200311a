// Rules of Navidrome's smart playlists and the rules that they become.
import { expect, test } from 'vitest';
import { parseNsp } from '../../../server/playlists/nsp.ts';

const rulesOf = (file: object) => parseNsp(JSON.stringify(file)).rules;
const conditionOf = (rule: object) => rulesOf({ all: [rule] }).all?.[0];

test.each([
  [{ is: { loved: true } }, { field: 'liked', op: 'is', value: true }],
  [{ is: { artist: 'Björk' } }, { field: 'artist', op: 'is', value: 'Björk' }],
  [{ isNot: { albumArtist: 'Various' } }, { field: 'album_artist', op: 'is_not', value: 'Various' }],
  [{ contains: { title: 'love' } }, { field: 'title', op: 'contains', value: 'love' }],
  [{ notContains: { genre: 'Pop' } }, { field: 'genre', op: 'does_not_contain', value: 'Pop' }],
  [{ startsWith: { album: 'Live' } }, { field: 'album', op: 'starts_with', value: 'Live' }],
  [{ gt: { rating: 3 } }, { field: 'rating', op: 'greater_than', value: 3 }],
  [{ lt: { playCount: '5' } }, { field: 'play_count', op: 'less_than', value: 5 }],
  [{ gt: { duration: 300 } }, { field: 'duration_ms', op: 'greater_than', value: 300_000 }],
  [{ inTheRange: { year: [1981, 1990] } }, { field: 'year', op: 'between', value: [1981, 1990] }],
  [{ before: { year: 1990 } }, { field: 'year', op: 'less_than', value: 1990 }],
  [{ inTheLast: { lastPlayed: 30 } }, { field: 'last_played_at', op: 'in_the_last', value: 30 }],
  [{ notInTheLast: { dateAdded: '7' } }, { field: 'created_at', op: 'not_in_the_last', value: 7 }],
  [{ after: { dateAdded: '2024-01-31' } }, { field: 'created_at', op: 'after', value: '2024-01-31' }],
  [{ gt: { dateLoved: '2024-01-31' } }, { field: 'liked_at', op: 'after', value: '2024-01-31' }],
  [{ is: { fileType: 'flac' } }, { field: 'format', op: 'is', value: 'flac' }],
  [{ isMissing: { genre: true } }, { field: 'genre', op: 'is_not_set', value: undefined }],
  [{ is: { mood: 'Calm' } }, { field: 'tag', tag: 'mood', op: 'is', value: 'Calm' }],
  [{ isMissing: { Grouping: true } }, { field: 'tag', tag: 'grouping', op: 'is_not_set', value: undefined }],
  [{ isPresent: { lyrics: true } }, { field: 'has_lyrics', op: 'is', value: true }],
])('%j', (rule, condition) => {
  expect(conditionOf(rule)).toEqual(condition);
});

test('groups, order and limit', () => {
  const { rules, name, description, omittedRules } = parseNsp(`{
    // the eighties
    "name": "80's", /* from the documentation */ "comment": "Top // songs",
    "all": [{ "any": [{ "is": { "loved": true } }, { "gt": { "rating": 3 } }] }, { "lt": { "year": 1990 } }],
    "sort": "-rating,title", "order": "desc", "limit": 25
  }`);
  expect([name, description, omittedRules]).toEqual(["80's", 'Top // songs', []]);
  expect(rules).toMatchObject({
    all: [{ any: [{ field: 'liked' }, { field: 'rating' }] }, { field: 'year' }],
    sort: [
      { field: 'rating', order: 'asc' },
      { field: 'title', order: 'desc' },
    ],
    limit: 25,
  });
});

test('what has no counterpart is left out and named', () => {
  const file = {
    all: [{ is: { genre: 'Jazz' } }, { is: { library_id: 1 } }, { inPlaylist: { id: 'abc' } }, { gt: { title: 3 } }],
    sort: 'dateLoved',
    limitPercent: 10,
  };
  const { rules, omittedRules } = parseNsp(JSON.stringify(file));
  expect(rules.all).toHaveLength(1);
  expect(omittedRules).toEqual([
    '{"is":{"library_id":1}}',
    '{"inPlaylist":{"id":"abc"}}',
    '{"gt":{"title":3}}',
    'sort dateLoved',
    'limitPercent',
  ]);
});

test.each(['', '[]', '{', '{"all":[]}', '{"rules":[]}', '{"any":[{"is":{"unknown":1}}]}', 'null'])(
  '%s is refused',
  (text) => {
    expect(() => parseNsp(text)).toThrow(SyntaxError);
  },
);
