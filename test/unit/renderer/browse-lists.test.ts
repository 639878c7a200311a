import { describe, expect, test } from 'vitest';
import type { TrackOut } from '../../../server/library/wire.ts';
import { changeOf, commonValue } from '../../../renderer/features/browse/tracks/batch-changes.ts';
import {
  inOrder,
  laidOut,
  movedColumn,
  NO_LAYOUT,
  readLayout,
} from '../../../renderer/features/browse/tracks/column-layout.ts';
import { parseTrackSearch, tagsIn, toFilter, toTagsText } from '../../../renderer/features/browse/url-params.ts';
import { findRow } from '../../../renderer/music/type-ahead.ts';

describe('columns', () => {
  const cell = () => null;
  const columns = [
    { id: 'title', label: 'Title', width: '1fr', fixed: true, cell },
    { id: 'artist', label: 'Artist', width: '1fr', cell },
    { id: 'album', label: 'Album', width: '1fr', cell },
    { id: 'plays', label: 'Plays', width: '64px', extra: true, cell },
    { id: 'menu', label: '', width: '36px', fixed: true, cell },
  ];
  const ids = (columnsOfList: readonly { id: string }[]) => columnsOfList.map(({ id }) => id);

  test('have defaults until they are changed', () => {
    expect(ids(laidOut(columns, NO_LAYOUT))).toEqual(['title', 'artist', 'album', 'menu']);
  });
  test('are shown, hidden and sized', () => {
    const layout = laidOut(columns, { order: [], shown: { plays: true, artist: false }, widths: { album: 200 } });
    expect(ids(layout)).toEqual(['title', 'album', 'plays', 'menu']);
    expect(layout[1]?.width).toBe('200px');
  });
  test('can be reordered; the first and the last stay', () => {
    const movedLayout = movedColumn(columns, NO_LAYOUT, 'album', 'artist');
    expect(ids(inOrder(columns, movedLayout))).toEqual(['title', 'album', 'artist', 'plays', 'menu']);
    expect(movedColumn(columns, NO_LAYOUT, 'menu', 'artist')).toBe(NO_LAYOUT);
  });
  test('what means nothing in a stored layout is left out', () => {
    expect(readLayout({ order: 3, shown: { a: 1 }, widths: { a: 'wide', b: -5 } })).toEqual(NO_LAYOUT);
    expect(readLayout([])).toBeUndefined();
  });
});

describe('typing to jump', () => {
  const names = ['Ábaco', 'Beat', 'Beatnik', 'Delta', 'echo', 'Zulu'];
  test.each([
    ['b', 1],
    ['beatn', 2],
    ['C', 3],
    ['ECHO', 4],
    ['zz', 5],
    ['a', 0],
  ])('%s', async (text, row) => {
    expect(await findRow(text, names.length, async (index) => names[index], false)).toBe(row);
  });
  test('also downwards', async () => {
    const reversedNames = [...names].reverse();
    expect(await findRow('d', reversedNames.length, async (index) => reversedNames[index], true)).toBe(2);
  });
  test('reads twenty rows of a million', async () => {
    let readCount = 0;
    const row = await findRow(
      '0765432',
      1_000_000,
      async (index) => ((readCount += 1), String(index).padStart(7, '0')),
      false,
    );
    expect(row).toBe(765_432);
    expect(readCount).toBeLessThanOrEqual(20);
  });
});

describe('editing several tracks', () => {
  const track = {
    id: 4,
    title: 'So What',
    artist_name: 'A feat. B',
    artists: [
      { id: 1, name: 'A' },
      { id: 2, name: 'B' },
    ],
    album_title: 'Blue',
    album_artist_name: null,
    genre: 'Jazz',
    year: 1959,
    disc_number: 1,
  } as TrackOut;

  test('fields that are not touched are kept, and an artist cannot be cleared', () => {
    expect(changeOf(track, {})).toBeUndefined();
    expect(changeOf(track, { artist: ' ' })).toBeUndefined();
  });
  test('an empty field is cleared', () => {
    expect(changeOf(track, { genre: '  ', year: '', composer: 'Davis' })?.body).toEqual({
      genre: null,
      year: null,
      composer: 'Davis',
    });
    expect(changeOf(track, { album: '', bpm: '120,5' })?.body).toMatchObject({ album: null, bpm: 120.5 });
  });
  test('genre and year can change alone', () => {
    expect(changeOf(track, { genre: 'Modal jazz', year: '1960' })).toEqual({
      route: 'PATCH /tracks/{id}',
      id: 4,
      body: { genre: 'Modal jazz', year: 1960 },
    });
  });
  test('a new album keeps the title, the artists and all else', () => {
    expect(changeOf(track, { album: 'Kind of Blue' })).toEqual({
      route: 'PUT /tracks/{id}/metadata',
      id: 4,
      body: { title: 'So What', artist: 'A feat. B', artists: ['A', 'B'], album: 'Kind of Blue' },
    });
  });
  test('a new artist replaces all', () => {
    expect(changeOf(track, { artist: 'C', year: '1961' })?.body).toEqual({
      title: 'So What',
      artist: 'C',
      album: 'Blue',
      year: 1961,
    });
  });
  test('a field shows the common value, and nothing when they differ', () => {
    expect(commonValue([track, track], 'genre')).toBe('Jazz');
    expect(commonValue([track, { ...track, genre: null }], 'genre')).toBeUndefined();
  });
});

describe('values of tags in the address', () => {
  test('come back as they were, and are repeated for the server', () => {
    const tags = toTagsText(['OCCASION:Party, late', 'mood:Calm']);
    expect(tagsIn(tags)).toEqual(['OCCASION:Party, late', 'mood:Calm']);
    expect(toFilter(parseTrackSearch({ tags }))).toMatchObject({ tag: ['OCCASION:Party, late', 'mood:Calm'] });
  });
  test('are left out where they are none', () => {
    expect(parseTrackSearch({ tags: 'OCCASION;:x;mood: ' })).toEqual({});
    expect(parseTrackSearch({ tags: ['mood:Calm'] })).toEqual({});
    expect(toTagsText([])).toBeUndefined();
  });
});
