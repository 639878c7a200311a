import { expect, test } from 'vitest';
import { artistNames, songKey, titleKey } from '../../../server/history/song-names.ts';

test.each([
  ['Björk', 'Jóga', 'bjork', 'JOGA'],
  ['The Quays feat. Ida Lund', 'Harbour', 'The Quays', 'Harbour (feat. Ida Lund)'],
  ['The Quays ft. Ida', 'Harbour', 'the quays', 'Harbour [Ft. Ida]'],
  ['The Quays feat. Ida (of Lund)', 'Harbour', 'The Quays', 'Harbour (feat. Ida [of Lund])'],
  ['ＡＢＣ', 'Full width', 'abc', 'full  width'],
  ['Don’t', 'It’s “on”', "Don't", 'It\'s "on"'],
  ['Кино', 'Ночь', 'КИНО', 'НОЧЬ'],
])('%s – %s is %s – %s', (artist, title, otherArtist, otherTitle) => {
  expect(songKey(artist, title)).toBe(songKey(otherArtist, otherTitle));
});

test.each([
  ['A', 'Song', 'B', 'Song'],
  ['A', 'Song', 'A', 'Song (live)'],
  ['A', 'Song', 'A', 'Song 2'],
  [null, 'A Song', 'A', 'Song'],
  ['Defeat', 'Aloft', 'De', 'Aloft'],
  ['A', '!', 'A', '?'],
])('%s – %s is not %s – %s', (artist, title, otherArtist, otherTitle) => {
  expect(songKey(artist, title)).not.toBe(songKey(otherArtist, otherTitle));
});

test('a title that consists only of guests is kept', () => {
  expect(titleKey('(feat. Nobody)')).not.toBe('');
});

test('an artist is searched as written first, then without guests', () => {
  expect(artistNames('A feat. B')).toEqual(['A feat. B', 'A']);
  expect(artistNames('Simon & Garfunkel')).toEqual(['Simon & Garfunkel']);
});
