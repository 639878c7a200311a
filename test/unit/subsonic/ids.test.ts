import { describe, expect, it } from 'vitest';
import type { AlbumId, TrackId } from '../../../server/db/ids.ts';
import { displayPath } from '../../../server/subsonic/display-path.ts';
import { idOf, parseId, toCoverId, toId } from '../../../server/subsonic/ids.ts';
import { groupByLetter } from '../../../server/subsonic/indexes.ts';

describe('ids', () => {
  it('are parsed to what they were', () => {
    expect(parseId(toId('track', 12 as TrackId))).toEqual({ kind: 'track', id: 12 });
    expect(parseId(toCoverId('album', 3 as AlbumId, '9F3C2AB41177'))).toEqual({ kind: 'album', id: 3 });
    expect(toCoverId('album', 3 as AlbumId, '9F3C2AB41177')).toBe('al-3-9f3c2ab4');
    expect(toCoverId('album', 3 as AlbumId, null)).toBe('al-3');
  });

  it.each([
    '',
    '12',
    'tr-',
    'tr-x',
    'tr--1',
    'tr-1.5',
    'xx-1',
    'tr-1-',
    'tr-9999999999999999',
    "tr-1' OR 1",
    'toString-1',
  ])('%j is not one', (text) => {
    expect(parseId(text)).toBeUndefined();
  });

  it('of another kind are not found', () => {
    expect(() => idOf('album', 'tr-1')).toThrow('There is no album tr-1.');
    expect(() => idOf('track', '\u0000<script>')).toThrow('There is no song ?<script>.');
  });

  it('survive changes by clients', () => {
    for (const id of [toId('track', 123 as TrackId), toCoverId('album', 3 as AlbumId, 'abcdef01')]) {
      expect(id).toMatch(/^[A-Za-z0-9-]+$/);
      expect(id).not.toMatch(/^\d+$|_[0-9a-f]+$/);
      expect(encodeURIComponent(id)).toBe(id);
    }
  });
});

describe('display paths', () => {
  const song = {
    title: 'So',
    artistName: 'A',
    albumArtistName: 'B',
    albumTitle: 'Blue',
    trackNumber: 1,
    discNumber: 1,
    format: 'flac',
  };
  it.each([
    [{}, 'B/Blue/01 - So.flac'],
    [{ discNumber: 2 }, 'B/Blue/2-01 - So.flac'],
    [{ trackNumber: null, albumArtistName: null }, 'A/Blue/So.flac'],
    [
      { albumArtistName: null, artistName: null, albumTitle: null, format: null },
      'Unknown Artist/Unknown Album/01 - So.mp3',
    ],
    [{ albumArtistName: '../..', title: 'a/b\\c:d*e?"<>|' }, '_/Blue/01 - a_b_c_d_e_____.flac'],
    [{ albumArtistName: '...', title: ' . ' }, '_/Blue/01 - _.flac'],
    [{ title: 'x'.repeat(500) }, `B/Blue/01 - ${'x'.repeat(100)}.flac`],
  ])('%j is %s', (change, path) => {
    expect(displayPath({ ...song, ...change })).toBe(path);
  });
});

describe('an index', () => {
  it('has a group for each letter, ignoring accents, and # for the rest', () => {
    const groups = groupByLetter(['Äther', 'abba', '2Pac', 'Beta', '(live)', '東京'], (name) => name);
    expect(groups.map(({ name, items }) => [name, ...items])).toEqual([
      ['A', 'Äther', 'abba'],
      ['B', 'Beta'],
      ['東', '東京'],
      ['#', '2Pac', '(live)'],
    ]);
  });
});
