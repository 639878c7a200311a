import { expect, test } from 'vitest';
import { identityKey } from '../../../server/library/tracks/sort-and-identity-keys.ts';
import { DEFAULT_SPLITTING, splitArtists } from '../../../server/library/albums/artist-split.ts';

test.each([
  ['A; B', ['A', 'B']],
  ['A;B ;C', ['A', 'B', 'C']],
  ['A / B', ['A', 'B']],
  ['米津玄師；菅田将暉', ['米津玄師', '菅田将暉']],
  ['A　／　B', ['A', 'B']],
  ['AC/DC; Sum 41', ['AC/DC', 'Sum 41']],
  ['A; b; a ;Ａ', ['A', 'b']],
  ['A;; ; B;', ['A', 'B']],
  ['A; \u200b; B', ['A', 'B']],
])('%j is several artists', (value, names) => {
  expect(splitArtists([value])).toEqual(names);
});

test.each([
  'AC/DC',
  'Smith/Kotzen',
  'A /B',
  'A/ B',
  'Simon & Garfunkel',
  'Earth, Wind & Fire',
  'Tyler, The Creator',
  'Florence + The Machine',
  'Hall and Oates',
  'Nick Cave feat. Kylie',
  'A vs. B',
  'A x B',
  '+/-',
  ';',
  '; ;',
])('%j is one artist', (name) => {
  expect(splitArtists([name])).toEqual([name]);
});

test('several values are kept as they are, in order', () => {
  expect(splitArtists(['B', 'A; C', 'D / E'])).toEqual(['B', 'A; C', 'D / E']);
});

test('a repeated name counts once, in its first spelling', () => {
  expect(splitArtists(['Björk', 'BJÖRK ', 'Ｂｊöｒｋ', 'Bjork'])).toEqual(['Björk', 'Bjork']);
});

test.each([[[]], [['']], [[' ', '\t']], [['\u200b']], [['\u3164', '']]])('%j has no names', (values) => {
  expect(splitArtists(values)).toEqual([]);
});

test('spaces around names are removed', () => {
  expect(splitArtists(['  A ', '\u3000B'])).toEqual(['A', 'B']);
});

test('a name that is never split stays whole in any spelling', () => {
  const splitting = { ...DEFAULT_SPLITTING, isNeverSplit: (key: string) => key === identityKey('Smith; Kotzen') };
  expect(splitArtists(['SMITH;  Kotzen'], splitting)).toEqual(['SMITH;  Kotzen']);
  expect(splitArtists(['Smith; Kotzen; Gale'], splitting)).toEqual(['Smith', 'Kotzen', 'Gale']);
});

test('separators of a setting split, but no name of the library', () => {
  const names = ['Earth, Wind & Fire', 'Tyler, The Creator'].map(identityKey);
  const splitting = {
    ...DEFAULT_SPLITTING,
    separators: [', ', ' & ', ' feat. ', ';'],
    isOneArtist: (name: string) => names.includes(identityKey(name)),
  };
  const split = (value: string) => splitArtists([value], splitting);
  expect(split('Nick Cave Feat. Kylie & Blixa')).toEqual(['Nick Cave', 'Kylie', 'Blixa']);
  expect(split('Earth, Wind & Fire, Ramsey Lewis')).toEqual(['Earth, Wind & Fire', 'Ramsey Lewis']);
  expect(split('Kali Uchis feat. tyler, the creator')).toEqual(['Kali Uchis', 'tyler, the creator']);
  expect(split('Earth; Wind')).toEqual(['Earth', 'Wind']);
  expect(split('A / B')).toEqual(['A / B']);
});
