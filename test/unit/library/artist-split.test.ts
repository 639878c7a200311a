import { expect, test } from 'vitest';
import { identityKey } from '../../../server/library/tracks/sort-and-identity-keys.ts';
import { splitArtists } from '../../../server/library/albums/artist-split.ts';

const isNeverSplit = (): boolean => false;

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
  expect(splitArtists([value], isNeverSplit)).toEqual(names);
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
  expect(splitArtists([name], isNeverSplit)).toEqual([name]);
});

test('several values are kept as they are, in order', () => {
  expect(splitArtists(['B', 'A; C', 'D / E'], isNeverSplit)).toEqual(['B', 'A; C', 'D / E']);
});

test('a repeated name counts once, in its first spelling', () => {
  expect(splitArtists(['Björk', 'BJÖRK ', 'Ｂｊöｒｋ', 'Bjork'], isNeverSplit)).toEqual(['Björk', 'Bjork']);
});

test.each([[[]], [['']], [[' ', '\t']], [['\u200b']], [['\u3164', '']]])('%j has no names', (values) => {
  expect(splitArtists(values, isNeverSplit)).toEqual([]);
});

test('spaces around names are removed', () => {
  expect(splitArtists(['  A ', '\u3000B'], isNeverSplit)).toEqual(['A', 'B']);
});

test('a name that is never split stays whole in any spelling', () => {
  const isNeverSplitName = (key: string): boolean => key === identityKey('Smith; Kotzen');
  expect(splitArtists(['SMITH;  Kotzen'], isNeverSplitName)).toEqual(['SMITH;  Kotzen']);
  expect(splitArtists(['Smith; Kotzen; Gale'], isNeverSplitName)).toEqual(['Smith', 'Kotzen', 'Gale']);
});
