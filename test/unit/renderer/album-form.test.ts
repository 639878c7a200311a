import { describe, expect, test } from 'vitest';
import {
  faultsOf,
  formOf,
  patchOf,
  renumbered,
  titlesIn,
  withPrimaryType,
  withTitles,
  type TrackTexts,
} from '../../../renderer/features/browse/albums/album-form.ts';
import { discForMerge } from '../../../renderer/features/browse/albums/merge-disc.ts';
import { differences, patchOfMatch } from '../../../renderer/features/browse/albums/match-fields.ts';
import type { AlbumMatchDetails, AlbumOut, TrackOut } from '../../../renderer/api/routes.ts';

const album = {
  title: 'Mill',
  artists: [
    { id: 1, name: 'Ann' },
    { id: 2, name: 'Bob' },
  ],
  edition: null,
  sort_title: null,
  release_types: ['album', 'live'],
  is_compilation: false,
} as unknown as AlbumOut;
const track = (id: number, fields: Partial<TrackOut> = {}): TrackOut =>
  ({
    id,
    title: `Song ${id}`,
    artist_name: 'Ann',
    track_number: id,
    disc_number: null,
    year: 2013,
    original_year: null,
    genres: ['Rock'],
    label: null,
    catalog_number: null,
    barcode: null,
    ...fields,
  }) as TrackOut;
const row = (id: number, texts: Partial<TrackTexts> = {}): TrackTexts => ({
  id,
  disc: '',
  number: '',
  title: `Song ${id}`,
  artist: '',
  ...texts,
});

describe('the form of an album', () => {
  const form = formOf(album, [track(1), track(2, { year: 2012 })]);

  test('has no value where tracks differ', () => {
    expect([form.texts.year, form.texts.genres, form.texts.artists]).toEqual([undefined, 'Rock', 'Ann; Bob']);
  });

  test('sends only what changed', () => {
    expect(patchOf(form, form)).toBeUndefined();
    const typed = {
      ...form,
      texts: { ...form.texts, year: '1997', genres: 'Folk;  Sea ;', edition: ' ' },
      types: withPrimaryType(form.types, 'ep'),
      tracks: form.tracks.map((one, n) => (n === 0 ? { ...one, number: '7', artist: 'Ann; Bob' } : one)),
    };
    expect(patchOf(typed, form)).toEqual({
      year: 1997,
      genres: ['Folk', 'Sea'],
      edition: null,
      release_types: ['ep', 'live'],
      tracks: [{ id: 1, track_number: 7, artist: 'Ann, Bob', artists: ['Ann', 'Bob'] }],
    });
    expect(patchOf({ ...form, texts: { ...form.texts, year: '' } }, form)).toEqual({ year: null });
  });

  test.each(['19977', '97', 'next year', '-1997'])('refuses the year “%s”', (year) => {
    expect([...faultsOf({ ...form, texts: { ...form.texts, year } })]).toEqual([['year', 'year']]);
  });

  test('refuses numbers with other signs, and empty titles', () => {
    const tracks = [row(1, { disc: 'A' }), row(2, { number: '1.5' }), row(3, { title: ' ' })];
    expect([...faultsOf({ ...form, tracks }).keys()]).toEqual(['disc-1', 'number-2', 'title-3']);
    expect(faultsOf(form).size).toBe(0);
  });
});

test('a pasted list gives titles without numbers and lengths', () => {
  expect(titlesIn('1. First 3:45\r\n 02 - Second\n\nA3) Third (1:02:03)\n4\tFourth\n99 Luftballons\n7.')).toEqual([
    'First',
    'Second',
    'Third',
    'Fourth',
    '99 Luftballons',
  ]);
  expect(withTitles([row(1), row(2)], ['One', 'Two', 'Three']).map(({ title }) => title)).toEqual(['One', 'Two']);
});

test('each disc is numbered from 1', () => {
  const tracks = [row(1, { disc: '1' }), row(2, { disc: '1', number: '9' }), row(3, { disc: '2' })];
  expect(renumbered(tracks).map(({ number }) => number)).toEqual(['1', '2', '1']);
});

test.each([
  ['Ocean, Disc 2', [[null, 1]], [[null, 1]], 2],
  ['Ocean (CD 4)', [[1, 1]], [[1, 1]], 4],
  ['Ocean, Disc 1', [[1, 1]], [[1, 1]], 2],
  [
    'Bay',
    [[1, 2]],
    [
      [1, 2],
      [3, 1],
    ],
    4,
  ],
  ['Bay', [[1, 2]], [[1, 1]], undefined],
  [
    'Bay',
    [
      [1, 1],
      [2, 1],
    ],
    [[1, 1]],
    undefined,
  ],
  ['Bay', [[null, null]], [[null, null]], undefined],
] as const)('“%s” with the places %j joins %j on disc %s', (title, joining, target, disc) => {
  const placesOf = (list: readonly (readonly [number | null, number | null])[]) =>
    list.map(([disc_number, track_number]) => ({ disc_number, track_number }));
  expect(discForMerge(title, placesOf(joining), placesOf(target))).toBe(disc);
});

test('a release differs in some fields, and those that are chosen are taken over', () => {
  const release = {
    title: 'Mill',
    artists: ['Ann', 'Bob'],
    year: 1997,
    original_year: null,
    genres: [],
    release_types: ['album', 'live'],
    edition: 'remaster',
    label: 'Harbour',
    catalog_number: null,
    barcode: null,
    tracks: [
      { disc_number: 1, track_number: 1, title: 'Song One', artist_name: 'Ann', artists: ['Ann'], track_id: 1 },
      { disc_number: 1, track_number: 2, title: 'Song 2', artist_name: 'Bob', artists: ['Bob'], track_id: 2 },
      { disc_number: 1, track_number: 3, title: 'Bonus', artist_name: 'Bob', artists: ['Bob'], track_id: null },
    ],
  } as unknown as AlbumMatchDetails;
  const tracks = [track(1), track(2)];
  expect(differences(album, tracks, release).map(({ field }) => field)).toEqual([
    'year',
    'edition',
    'label',
    'titles',
    'track_artists',
  ]);
  expect(patchOfMatch(new Set(['year', 'titles']), tracks, release)).toEqual({
    year: 1997,
    tracks: [{ id: 1, title: 'Song One' }],
  });
});
