// Names of tracks are resolved to artists and albums; counts and search follow every change of tracks.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ArtistId, TrackId } from '../../server/db/ids.ts';
import { searchFold } from '../../server/library/tracks/sort-and-identity-keys.ts';
import { gramOf } from '../../server/library/search-index/search-grams.ts';
import { searchBase } from '../../server/library/search-index/search-index.ts';
import type { TrackIdentity } from '../../server/library/tracks/track-values.ts';
import { createTrackWriter, type TrackWriter } from '../../server/library/tracks/track-writer.ts';
import { openLibraryServices } from '../support/library-services.ts';
import { seededRandom } from '../support/test-random.ts';
import { silence } from '../support/silence.ts';
import { openMigrated, openTempDatabase, type TempDatabase } from '../support/temp-database.ts';
import { quickImports } from '../support/product.ts';

interface GivenTrack extends Partial<TrackIdentity> {
  folder?: number;
}

let temp: TempDatabase;
let deleteTrack: ReturnType<typeof openLibraryServices>['deleteTrack'];
let tracks: TrackWriter;
let addedFiles: number;

beforeEach(() => {
  temp = openTempDatabase();
  ({ deleteTrack, tracks } = openLibraryServices(temp.db));
  addedFiles = 0;
});
afterEach(() => temp.close());

const writing = <T>(write: () => T): T => temp.db.transaction(() => tracks.batch(write), { behavior: 'immediate' });

/** Adds a subfolder of the music folder with this number as its name; returns its id. */
function folderRow(number: number | undefined): number | undefined {
  if (number === undefined) return undefined;
  temp.db.$client
    .prepare("INSERT OR IGNORE INTO source_folders (id, source, path) VALUES (?, 'local_folder', ?)")
    .run(number, String(number));
  return number;
}

const pathOf = (folder: number): string =>
  rows<{ path: string }>('SELECT path FROM source_folders WHERE id = ?', folder)[0]?.path ?? '';

function insert({ folder, ...identity }: GivenTrack): TrackId {
  addedFiles++;
  return tracks.insert({
    ...(folderRow(folder) === undefined
      ? { source: 'test', sourceId: String(addedFiles) }
      : { source: 'local_folder', sourceId: `${pathOf(folder as number)}/${addedFiles}.mp3` }),
    folder,
    audio: silence,
    identity: {
      title: `Track ${addedFiles}`,
      artists: ['Band'],
      album: 'Album',
      genres: [],
      ...identity,
      ...(identity.releaseMbid !== undefined && { more: { releaseMbid: identity.releaseMbid } }),
    },
  });
}
const add = (...givenTracks: GivenTrack[]): TrackId[] => givenTracks.map((track) => writing(() => insert(track)));
const retag = (id: TrackId | undefined, { folder, ...identity }: GivenTrack): void =>
  writing(() =>
    tracks.setIdentity(
      id as TrackId,
      { title: 'Track', artists: ['Band'], album: 'Album', genres: [], ...identity },
      folder,
    ),
  );

const rows = <T = Record<string, unknown>>(sql: string, ...params: unknown[]): T[] =>
  temp.db.$client.prepare<unknown[], T>(sql).all(...params);
const albums = (): string[] =>
  rows<{
    line: string;
  }>(`SELECT coalesce(r.name, '-') || ' / ' || a.title || ' / ' || coalesce(a.year, '-') || ' / ' || a.track_count AS line
  FROM albums a LEFT JOIN artists r ON r.id = a.artist_id ORDER BY a.id`).map((row) => row.line);
const artists = (): string[] => rows<{ name: string }>('SELECT name FROM artists ORDER BY id').map((row) => row.name);

const RG = '11111111-1111-1111-1111-111111111111';
const RELEASE = '33333333-3333-3333-3333-333333333333';
const OTHER_RELEASE = '44444444-4444-4444-4444-444444444444';
const OTHER_RG = '22222222-2222-2222-2222-222222222222';
const discs = (...numbers: number[]): GivenTrack[] =>
  numbers.map((discNumber) => ({ discNumber, folder: 10 + discNumber, year: 2000 }));

describe.each<['one by one' | 'in one batch', (givenTracks: GivenTrack[]) => void]>([
  ['one by one', (givenTracks) => void add(...givenTracks)],
  ['in one batch', (givenTracks) => writing(() => givenTracks.forEach(insert))],
])('tracks added %s', (_, arrive) => {
  test.each<[string, GivenTrack[], string[]]>([
    [
      'the same title by two artists is two albums',
      [{}, { artists: ['Other'] }],
      ['Band / Album / - / 1', 'Other / Album / - / 1'],
    ],
    [
      'the same title in two years is one album of tracks without folders',
      [{ year: 1999 }, { year: 2005 }, { year: 1999 }, { year: 2005 }],
      ['Band / Album / 1999 / 4'],
    ],
    [
      'tracks without folders that claim the same places are of two albums',
      [
        { trackNumber: 1, title: 'My Name', year: 1994 },
        { trackNumber: 2, title: 'No One Else', year: 1994 },
        { trackNumber: 1, title: "Don't Let Go", year: 2001 },
        { trackNumber: 2, title: 'Photograph', year: 2001 },
        { trackNumber: 3, title: 'The World', year: 1994 },
        { trackNumber: 3, title: 'Hash Pipe', year: 2001 },
      ],
      ['Band / Album / 1994 / 3', 'Band / Album / 2001 / 3'],
    ],
    [
      'the same track twice is in one album',
      [
        { trackNumber: 1, title: 'My Name' },
        { trackNumber: 1, title: 'MY NAME', year: 1999 },
      ],
      ['Band / Album / 1999 / 2'],
    ],
    [
      'a folder takes in tracks without folders that are of no year together',
      [{ year: 1999 }, { year: 2005 }, { year: 2005, folder: 1 }],
      ['Band / Album / 1999 / 3'],
    ],
    [
      'years of single tracks do not divide a folder',
      [{ year: 1971, folder: 1 }, { year: 1974, folder: 1 }, { folder: 1 }, { year: 1971, folder: 1 }],
      ['Band / Album / 1971 / 4'],
    ],
    [
      'the same title in two years in two folders is two albums',
      [
        { year: 1999, folder: 1 },
        { year: 2005, folder: 2 },
      ],
      ['Band / Album / 1999 / 1', 'Band / Album / 2005 / 1'],
    ],
    [
      'two titles in one folder are two albums',
      [{ folder: 1 }, { folder: 1, album: 'Other' }],
      ['Band / Album / - / 1', 'Band / Other / - / 1'],
    ],
    [
      "a folder's year is known in other folders",
      [
        { year: 1971, folder: 1 },
        { year: 1974, folder: 1 },
        { year: 1974, folder: 2 },
      ],
      ['Band / Album / 1971 / 3'],
    ],

    [
      'a compilation by its mark holds the tracks of all artists and years',
      [
        { artists: ['A'], compilation: true, year: 1980, folder: 1 },
        { artists: ['B'], compilation: true, year: 1990, folder: 2 },
        { artists: ['C'], compilation: true },
      ],
      ['Various Artists / Album / 1980 / 3'],
    ],
    [
      'a compilation by its album artist does too',
      [
        { artists: ['A'], albumArtist: 'Various Artists', year: 1980 },
        { artists: ['B'], albumArtist: 'various artists', year: 1990 },
      ],
      ['Various Artists / Album / 1980 / 2'],
    ],
    [
      'a compilation is one however "various artists" is written',
      ['VA', 'V.A.', 'v/a', 'Various', 'VARIOUS ARTISTS', 'Ｖａｒｉｏｕｓ Artists'].map((albumArtist, n) => ({
        artists: [`A${n}`],
        albumArtist,
        year: 1980 + n,
      })),
      ['Various Artists / Album / 1980 / 6'],
    ],
    [
      "a marked compilation by one artist stays that artist's",
      [
        { albumArtist: 'Band', compilation: true, year: 1980 },
        { albumArtist: 'Band', compilation: true, year: 1990 },
      ],
      ['Band / Album / 1980 / 2'],
    ],

    ['the discs of a set are one album', discs(1, 2, 3, 1), ['Band / Album / 2000 / 4']],

    [
      'a release group joins no titles',
      [
        { releaseGroupMbid: RG, year: 1999 },
        { releaseGroupMbid: RG, year: 2009, album: 'Album (Remastered)' },
      ],
      ['Band / Album / 1999 / 1', 'Band / Album (Remastered) / 2009 / 1'],
    ],
    [
      'files of one folder that name two release groups are one album',
      [
        { releaseGroupMbid: RG, year: 1994, folder: 1 },
        { releaseGroupMbid: OTHER_RG, year: 1994, folder: 1 },
        { releaseGroupMbid: RG, year: 1994 },
        { releaseGroupMbid: OTHER_RG },
      ],
      ['Band / Album / 1994 / 4'],
    ],

    [
      'two releases in two folders are two albums, whatever else they share',
      [
        { releaseMbid: RELEASE, releaseGroupMbid: RG, year: 1999, folder: 1 },
        { releaseMbid: OTHER_RELEASE, releaseGroupMbid: RG, year: 1999, folder: 2 },
        { releaseMbid: RELEASE, releaseGroupMbid: RG, year: 1999, folder: 1 },
        { releaseMbid: OTHER_RELEASE, releaseGroupMbid: RG, year: 1999, folder: 2 },
      ],
      ['Band / Album / 1999 / 2', 'Band / Album / 1999 / 2'],
    ],
    [
      'one release in two folders is one album',
      [
        { releaseMbid: RELEASE, year: 1999, folder: 1 },
        { releaseMbid: RELEASE, year: 2009, folder: 2 },
      ],
      ['Band / Album / 1999 / 2'],
    ],
    [
      'files of one folder that name two releases are one album',
      [{ releaseMbid: RELEASE, folder: 1 }, { releaseMbid: OTHER_RELEASE, folder: 1 }, { folder: 1 }],
      ['Band / Album / - / 3'],
    ],
    [
      'a folder that names no release joins the only one',
      [{ releaseMbid: RELEASE, folder: 1 }, { folder: 2 }, { folder: 2 }],
      ['Band / Album / - / 3'],
    ],
    [
      'a folder that names no release joins none of two',
      [
        { releaseMbid: RELEASE, releaseGroupMbid: RG, folder: 1 },
        { releaseMbid: OTHER_RELEASE, releaseGroupMbid: RG, folder: 2 },
        { releaseGroupMbid: RG, folder: 3 },
        { folder: 3 },
      ],
      ['Band / Album / - / 1', 'Band / Album / - / 1', 'Band / Album / - / 2'],
    ],
    [
      'uploads of two releases are one album as long as no place is claimed twice',
      [
        { releaseMbid: RELEASE, releaseGroupMbid: RG },
        { releaseMbid: OTHER_RELEASE, releaseGroupMbid: RG },
        { releaseMbid: RELEASE, releaseGroupMbid: RG },
        { releaseMbid: OTHER_RELEASE, releaseGroupMbid: RG },
      ],
      ['Band / Album / - / 4'],
    ],

    ['a track without a year joins the only album', [{ year: 1999 }, {}], ['Band / Album / 1999 / 2']],
    [
      'a track without a year joins neither of two',
      [{ year: 1999, folder: 1 }, { year: 2005, folder: 2 }, {}, {}],
      ['Band / Album / 1999 / 1', 'Band / Album / 2005 / 1', 'Band / Album / - / 2'],
    ],
    [
      'an album without a year takes the first that is known',
      [{}, { year: 1999 }, { year: 2005 }, {}],
      ['Band / Album / 1999 / 4'],
    ],
    [
      'an album without a year takes it from its folder too',
      [{ folder: 1 }, { folder: 1, year: 1999 }],
      ['Band / Album / 1999 / 2'],
    ],
    [
      'a title that begins like another does not join it',
      [{ album: 'Wars: Dark', year: 1995 }, { album: 'Wars' }, { album: 'Wars:1995' }],
      ['Band / Wars: Dark / 1995 / 1', 'Band / Wars / - / 1', 'Band / Wars:1995 / - / 1'],
    ],

    [
      'case, width and spaces do not matter',
      [{ album: 'The  Wall' }, { album: 'Ｔｈｅ wall', artists: ['BAND'] }],
      ['Band / The  Wall / - / 2'],
    ],
    [
      'accents are a difference',
      [{ album: 'Café' }, { album: 'Cafe' }],
      ['Band / Café / - / 1', 'Band / Cafe / - / 1'],
    ],
    [
      'a title in capitals gives way to one that is not',
      [{ album: 'THE WALL' }, { album: 'The Wall' }, { album: 'THE WALL' }],
      ['Band / The Wall / - / 3'],
    ],
    [
      'a title not in capitals stays',
      [{ album: 'The Wall' }, { album: 'THE WALL' }, { album: 'the wall' }],
      ['Band / The Wall / - / 3'],
    ],

    [
      "the album artist counts, not the track's",
      [
        { artists: ['Band', 'Guest'], albumArtist: 'Band' },
        { artists: ['Guest'], albumArtist: 'BAND' },
      ],
      ['Band / Album / - / 2'],
    ],
    [
      'the first artist is the default album artist',
      [{ artists: ['Band', 'Guest'] }, { artists: ['Band; Other'] }],
      ['Band / Album / - / 2'],
    ],
    [
      'albums without an artist are identified by their title',
      [{ artists: [] }, { artists: [] }, { artists: [], album: 'Other' }],
      ['- / Album / - / 2', '- / Other / - / 1'],
    ],
    [
      'an empty album is one without a name, of the artist',
      [{ album: undefined }, { album: '' }, { album: ' \u200b' }, { album: '[unknown album]' }],
      ['Band / [Unknown Album] / - / 4'],
    ],
    [
      'without an artist it is that of one without a name',
      [
        { album: '', artists: [], year: 1999 },
        { album: '', artists: ['[Unknown Artist]'] },
      ],
      ['[Unknown Artist] / [Unknown Album] / - / 2'],
    ],
    [
      'an album of signs is one',
      [{ album: '( )' }, { album: '...' }, { album: '( )' }],
      ['Band / ( ) / - / 2', 'Band / ... / - / 1'],
    ],
    [
      'an invisible album artist is no album artist',
      [{ albumArtist: '\u200b' }, { albumArtists: [' '] }],
      ['Band / Album / - / 2'],
    ],
  ])('%s', (_name, givenTracks, expected) => {
    arrive(givenTracks);
    expect(albums()).toEqual(expected);
  });

  test.each<[string, string[], string[]]>([
    ['discs of two years in folders of one album are one', ['A/X/CD1', 'A/X/CD2'], ['Band / Album / 1999 / 2']],
    ['discs with titles too', ['A/X/CD 1 - Jupiter', 'A/X/CD 2 (Mars)'], ['Band / Album / 1999 / 2']],
    [
      'discs below two folders are two albums',
      ['A/X/CD1', 'A/Y/CD1'],
      ['Band / Album / 1999 / 1', 'Band / Album / 2000 / 1'],
    ],
    [
      'folders that are no discs are two albums',
      ['A/First', 'A/Second'],
      ['Band / Album / 1999 / 1', 'Band / Album / 2000 / 1'],
    ],
  ])('%s', (_name, paths, expected) => {
    const givenTracks = paths.map((path, i) => {
      const { lastInsertRowid } = temp.db.$client
        .prepare("INSERT INTO source_folders (source, path) VALUES ('local_folder', ?)")
        .run(path);
      return { folder: Number(lastInsertRowid), discNumber: i + 1, year: 1999 + i };
    });
    arrive(givenTracks);
    expect(albums()).toEqual(expected);
  });

  test('an album counts its discs', () => {
    arrive(discs(1, 3, 2));
    expect(rows('SELECT disc_count FROM albums')).toEqual([{ disc_count: 3 }]);
  });

  test('a compilation is marked', () => {
    arrive([
      { album: 'A', compilation: true },
      { album: 'B', albumArtist: 'VA' },
      { album: 'C', artists: ['Various Artists'] },
      { album: 'D' },
    ]);
    expect(rows('SELECT title, is_compilation AS compilation FROM albums ORDER BY title')).toEqual(
      [
        ['A', 1],
        ['B', 1],
        ['C', 1],
        ['D', 0],
      ].map(([title, compilation]) => ({ title, compilation })),
    );
  });

  const spellings = ['BJÖRK', 'Björk', 'Björk', 'björk', 'Ｂjörk', 'Björk'];
  test.each([0, 1, 2, 3, 4, 5])(
    "the spelling that most tracks use is the artist's, whichever comes first (%i)",
    (first) => {
      arrive([...spellings.slice(first), ...spellings.slice(0, first)].map((name) => ({ artists: [name] })));
      expect(rows('SELECT name, sort_name, track_count FROM artists')).toEqual([
        { name: 'Björk', sort_name: 'Björk', track_count: 6 },
      ]);
    },
  );

  test.each([[['КИНО', 'Кино']], [['Кино', 'КИНО']], [['THE QUAYS', 'The Quays']], [['The Quays', 'THE QUAYS']]])(
    'of equally frequent spellings, capitals lose: %j',
    (names) => {
      arrive(names.map((name) => ({ artists: [name] })));
      const [usualName] = names.toSorted().toReversed();
      expect(rows('SELECT name, sort_name FROM artists')).toEqual([
        { name: usualName, sort_name: usualName?.startsWith('The') ? 'Quays, The' : usualName },
      ]);
    },
  );

  test('a sort name that the tags give stays when the name is respelled', () => {
    arrive([{ artists: ['SADE ADU'], artistSort: 'Adu, Sade' }, { artists: ['Sade Adu'] }, { artists: ['Sade Adu'] }]);
    expect(rows('SELECT name, sort_name, sort_key FROM artists')).toEqual([
      { name: 'Sade Adu', sort_name: 'Adu, Sade', sort_key: 'adu, sade' },
    ]);
  });

  test('an artist gets its mbid from the first track with one; lists of another length are ignored', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((letter) => letter.repeat(8));
    arrive([
      { artists: ['A'] },
      { artists: ['A', 'B'], artistMbids: [a ?? '', b ?? ''] },
      { artists: ['A'], artistMbids: [c ?? ''] },
      { artists: ['C', 'c', 'D'], artistMbids: [c ?? '', c ?? '', b ?? ''] },
      { artists: ['E'], albumArtist: 'E & F', albumArtistMbids: [a ?? '', b ?? ''] },
    ]);
    expect(rows('SELECT name, artist_mbid AS mbid FROM artists ORDER BY name')).toEqual([
      { name: 'A', mbid: a },
      { name: 'B', mbid: b },
      { name: 'C', mbid: null },
      { name: 'D', mbid: null },
      { name: 'E', mbid: null },
      { name: 'E & F', mbid: null },
    ]);
  });

  test('names in one tag are several artists unless the name is never split', () => {
    arrive([{ artists: ['Smith; Kotzen'], album: undefined }]);
    expect(artists()).toEqual(['Smith', 'Kotzen']);
    rows(
      `INSERT INTO artists (name, name_key, sort_name, sort_key, never_split, created_at, updated_at) VALUES ('A; B', 'a; b', 'A; B', 'a; b', 1, 0, 0) RETURNING id`,
    );
    arrive([{ artists: ['a; B'], album: undefined }]);
    expect(artists()).toEqual(['Smith', 'Kotzen', 'a; B']);
    expect(rows('SELECT artist_name FROM tracks ORDER BY id')).toEqual([
      { artist_name: 'Smith, Kotzen' },
      { artist_name: 'a; B' },
    ]);
  });

  test("genres are the same in any case, and the first is the track's", () => {
    arrive([{ genres: ['Hip-Hop', 'HIP-HOP', ' ', 'Jazz'] }, { genres: ['hip‐hop'] }]);
    expect(rows('SELECT name FROM genres ORDER BY id')).toEqual([{ name: 'Hip-Hop' }, { name: 'Jazz' }]);
    expect(rows('SELECT track_id, position FROM track_genres ORDER BY 1, 2')).toEqual([
      { track_id: 1, position: 0 },
      { track_id: 1, position: 1 },
      { track_id: 2, position: 0 },
    ]);
  });
});

describe('a track that is renamed', () => {
  test('leaves no empty album, no empty artist and no search results', () => {
    const [id] = add({
      artists: ['Old Band', 'Old Guest'],
      album: 'Old Album',
      albumArtist: 'Old Ensemble',
      title: 'Old Title',
      lyrics: { synced: false, lines: [{ text: 'la' }] },
    });
    retag(id, { artists: ['New Band'], album: 'New Album', title: 'New Title', lyrics: null });
    expect(albums()).toEqual(['New Band / New Album / - / 1']);
    expect(artists()).toEqual(['New Band']);
    expect(searchTrigrams('old')).toEqual([]);
    expect(searchTrigrams('new')).toHaveLength(3);
    for (const table of ['lyrics', "album_keys WHERE key LIKE '%old%'"])
      expect(rows(`SELECT * FROM ${table}`)).toEqual([]);
  });

  test('keeps what other tracks use', () => {
    const [id] = add({}, {});
    retag(id, { album: 'New Album', artists: ['New Band'] });
    expect(albums()).toEqual(['Band / Album / - / 1', 'New Band / New Album / - / 1']);
    expect(artists()).toEqual(['Band', 'New Band']);
  });

  test('keeps an artist that is never to be split', () => {
    const [id] = add({ artists: ['A'] });
    rows('UPDATE artists SET never_split = 1 RETURNING id');
    retag(id, { artists: ['B'] });
    expect(artists()).toEqual(['A', 'B']);
  });

  test('to the same names keeps its album and artist', () => {
    const [id] = add({});
    const rowsBefore = rows('SELECT album_id, artist_id FROM tracks');
    retag(id, {});
    expect(rows('SELECT album_id, artist_id FROM tracks')).toEqual(rowsBefore);
  });

  test('and was alone in its album creates the album again under its old name', () => {
    const [id] = add({ year: 1999 });
    retag(id, { album: 'Other' });
    retag(id, { year: 2005 });
    expect(albums()).toEqual(['Band / Album / 2005 / 1']);
  });

  test('gives its album a new spelling, but not one in capitals', () => {
    const [id] = add({ album: 'the wall', releaseGroupMbid: RG }, { album: 'the wall', releaseGroupMbid: RG });
    retag(id, { album: 'The Wall', releaseGroupMbid: RG });
    expect(albums()).toEqual(['Band / The Wall / - / 2']);
    retag(id, { album: 'THE WALL', releaseGroupMbid: RG });
    expect(albums()).toEqual(['Band / The Wall / - / 2']);
  });

  test('gives its album the common year of its tracks', () => {
    const [firstId, secondId, thirdId] = add({ year: 1999, folder: 1 }, { year: 1999, folder: 1 }, { folder: 1 });
    retag(firstId, { year: 2001, folder: 1 });
    expect(albums()).toEqual(['Band / Album / 1999 / 3']);
    retag(secondId, { year: 2001, folder: 1 });
    retag(thirdId, { year: 2003, folder: 1 });
    expect(albums()).toEqual(['Band / Album / 2001 / 3']);
  });

  test('moves its year and its genre', () => {
    const [a] = add(
      { year: 1999, folder: 1, trackNumber: 1, genres: ['Rock'] },
      { year: 2004, folder: 1, trackNumber: 2, genres: ['Jazz'] },
    );
    retag(a, { album: 'Other', year: 1999, folder: 1 });
    expect(albums()).toEqual(['Band / Album / 2004 / 1', 'Band / Other / 1999 / 1']);
    expect(rows('SELECT genre FROM albums ORDER BY id')).toEqual([{ genre: 'Jazz' }, { genre: null }]);
  });

  test('moves its spelling of the artist', () => {
    const ids = add({ artists: ['BAND'] }, { artists: ['BAND'] }, { artists: ['Band'] });
    expect(artists()).toEqual(['BAND']);
    for (const id of ids.slice(0, 2)) retag(id, { artists: ['Other'] });
    expect(artists()).toEqual(['Band', 'Other']);
  });
});

describe('two writers', () => {
  test('that add the same new album at once create one', async () => {
    temp.db.$client.pragma('wal_checkpoint(TRUNCATE)');
    const path = join(temp.dir, 'tonearm.db');
    const writers = ['one', 'two', 'three'].map(async (writer) => {
      const child = spawn(
        process.execPath,
        ['--import', quickImports, join(import.meta.dirname, 'resolve-child.ts'), path, writer, '120'],
        {
          stdio: ['ignore', 'inherit', 'inherit'],
        },
      );
      const [code] = (await once(child, 'exit')) as [number | null];
      return code;
    });
    expect(await Promise.all(writers)).toEqual([0, 0, 0]);
    expect(rows('SELECT count(*) AS albums, min(track_count) AS least, max(track_count) AS most FROM albums')).toEqual([
      { albums: 60, least: 6, most: 6 },
    ]);
    expect(rows('SELECT count(*) AS n FROM artists')).toEqual([{ n: 180 }]);
    expect(rows('SELECT count(*) AS n FROM genres')).toEqual([{ n: 120 }]);
  });

  test('on two connections wait for each other, and the second finds the album of the first', () => {
    const otherConnection = openMigrated(join(temp.dir, 'tonearm.db'));
    otherConnection.$client.pragma('busy_timeout = 0');
    const secondWriter = createTrackWriter({ db: otherConnection, now: () => new Date() });
    const identity = { title: 'T', artists: ['Band'], album: 'Album', genres: [] };
    const write = (): TrackId =>
      otherConnection.transaction(
        () => secondWriter.insert({ source: 'other', sourceId: '1', identity, audio: silence }),
        {
          behavior: 'immediate',
        },
      );
    writing(() => {
      insert({});
      expect(write).toThrow(/locked/);
    });
    write();
    otherConnection.$client.close();
    expect(albums()).toEqual(['Band / Album / - / 2']);
  });

  test('see nothing of an album whose transaction failed', () => {
    expect(() =>
      writing(() => {
        insert({ artists: ['Ghost'] });
        throw new Error('no room');
      }),
    ).toThrow('no room');
    add({ artists: ['Ghost'] });
    expect(albums()).toEqual(['Ghost / Album / - / 1']);
    expect(searchTrigrams('ghost')).toHaveLength(3); // one row each of a track, an album and an artist
  });
});

/** Returns the rows of the search index with a word of at least three characters. */
const searchTrigrams = (word: string): number[] =>
  rows<{ rowid: number }>(
    'SELECT rowid FROM search_trigrams WHERE search_trigrams MATCH ? ORDER BY rowid',
    `"${word}"`,
  ).map((row) => row.rowid);

/** Returns the rows of the search index with a word of one or two characters. */
const searchGrams = (word: string): number[] =>
  rows<{ rowid: number }>(
    'SELECT rowid FROM search_grams WHERE search_grams MATCH ? ORDER BY rowid',
    `"${gramOf(word)}"`,
  ).map((row) => row.rowid);

/** Returns the expected content of the index, from the tables. */
const searchable = (): Map<number, string> =>
  new Map(
    rows<{ rowid: number; text: string }>(`
  SELECT t.id + ${searchBase('track')} AS rowid, t.title || char(10) || coalesce(t.artist_name, '') || char(10) || coalesce(a.title, '') || char(10) || coalesce(r.name, '') || char(10) ||
    coalesce((SELECT group_concat(x.name, char(10)) FROM track_artists ta JOIN artists x ON x.id = ta.artist_id WHERE ta.track_id = t.id), '') AS text
    FROM tracks t LEFT JOIN albums a ON a.id = t.album_id AND t.album_sort <> '' LEFT JOIN artists r ON r.id = a.artist_id
  UNION ALL SELECT a.id + ${searchBase('album')}, a.title || char(10) || coalesce(r.name, '') || char(10) || coalesce(r.sort_name, '') FROM albums a LEFT JOIN artists r ON r.id = a.artist_id WHERE a.title <> '[Unknown Album]'
  UNION ALL SELECT id + ${searchBase('artist')}, name || char(10) || sort_name FROM artists WHERE name <> '[Unknown Artist]'`).map(
      ({ rowid, text }) => [rowid, searchFold(text)],
    ),
  );

test.each([1, 2, 3])('counts and search rows equal a recount after 500 random changes (seed %i)', async (seed) => {
  const random = seededRandom(seed);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const searchWords = ['alpha', 'BRAVO', 'Bravo', 'Çharlie', 'delta', 'Δέλτα', 'ＥＣＨＯ', 'Various Artists'];
  const identity = (): GivenTrack => ({
    title: `${pick(searchWords)} ${pick(searchWords)}`,
    artists: pick([
      [],
      [pick(searchWords)],
      [pick(searchWords), pick(searchWords)],
      [`${pick(searchWords)}; ${pick(searchWords)}`],
    ]),
    album: pick([undefined, pick(searchWords), pick(searchWords)]),
    albumArtist: pick([undefined, undefined, pick(searchWords)]),
    compilation: pick([undefined, undefined, true]),
    year: pick([undefined, 1999, 2005]),
    discNumber: pick([undefined, 1, 2, 3]),
    releaseGroupMbid: pick([undefined, undefined, RG, OTHER_RG]),
    genres: pick([[], [pick(searchWords)]]),
    ...pick([{}, { folder: 1 }, { folder: 2 }]),
  });
  const ids: TrackId[] = [];
  /** Makes some changes in one batch, like those of a scan: a change that fails is rolled back alone. */
  const changeSeveral = (): void =>
    writing(() => {
      for (let remainingTracks = pick([2, 5, 9]); remainingTracks > 0; remainingTracks--) {
        const fails = random() < 0.3;
        const addedIds: TrackId[] = [];
        const save = temp.db.$client.transaction(() => {
          const dice = random();
          if (ids.length === 0 || dice < 0.5) addedIds.push(insert(identity()));
          else if (dice < 0.8) {
            const { folder, ...names } = identity();
            tracks.setIdentity(pick(ids), { title: '', artists: [], genres: [], ...names }, folder);
          } else tracks.setAudio(pick(ids), { ...silence, durationMs: pick([null, 7, 90_000]), sizeBytes: 11 });
          if (fails) throw new Error('refused');
        });
        try {
          save();
          ids.push(...addedIds);
        } catch {
          tracks.forget();
        }
      }
    });
  const change = async (): Promise<void> => {
    const id = pick(ids);
    const dice = random();
    if (dice < 0.15) changeSeveral();
    else if (ids.length === 0 || dice < 0.4) ids.push(...add(identity()));
    else if (dice < 0.65) retag(id, identity());
    else if (dice < 0.75)
      tracks.setAudio(id, { ...silence, durationMs: pick([null, 5, 70_000]), sizeBytes: pick([null, 9]) });
    else await deleteTrack(ids.splice(ids.indexOf(id), 1)[0] as TrackId);
  };
  for (let step = 0; step < 500; step++) await change();

  expect(ids.length).toBeGreaterThan(20);
  expect(rows('SELECT id, track_count, disc_count, duration_ms, size_bytes FROM albums ORDER BY id')).toEqual(
    rows(`SELECT album_id AS id, count(*) AS track_count, max(coalesce(disc_number, 1)) AS disc_count, sum(coalesce(duration_ms, 0)) AS duration_ms,
      sum(coalesce(size_bytes, 0)) AS size_bytes FROM tracks WHERE album_id IS NOT NULL GROUP BY album_id ORDER BY album_id`),
  );
  expect(rows('SELECT * FROM album_genres ORDER BY genre_id, album_id')).toEqual(
    rows(`SELECT tg.genre_id, t.album_id, count(*) AS track_count FROM track_genres tg JOIN tracks t ON t.id = tg.track_id WHERE t.album_id IS NOT NULL
      GROUP BY tg.genre_id, t.album_id ORDER BY 1, 2`),
  );
  expect(rows('SELECT id, track_count FROM genres ORDER BY id')).toEqual(
    rows(
      'SELECT id, (SELECT count(*) FROM track_genres WHERE genre_id = genres.id) AS track_count FROM genres ORDER BY id',
    ),
  );
  const totals = ['tracks', 'size_bytes', 'duration_ms'].map((column) => `sum(${column}) AS ${column}`).join();
  expect(rows(`SELECT ${totals} FROM library_totals`)).toEqual(
    rows(`SELECT count(*) AS tracks, sum(coalesce(size_bytes, 0)) AS size_bytes,
      sum(coalesce(duration_ms, 0)) AS duration_ms FROM tracks`),
  );
  expect(rows('SELECT up_to FROM counted_tracks')).toEqual([{ up_to: Number.MAX_SAFE_INTEGER }]);
  expect(rows('SELECT id, first_year FROM artists ORDER BY id')).toEqual(
    rows(
      'SELECT id, (SELECT min(year) FROM albums WHERE artist_id = artists.id) AS first_year FROM artists ORDER BY id',
    ),
  );
  expect(rows('SELECT id, track_count, album_count FROM artists ORDER BY id')).toEqual(
    rows(`SELECT id, (SELECT count(*) FROM track_artists WHERE artist_id = artists.id) AS track_count, (SELECT count(*) FROM albums WHERE artist_id = artists.id) AS album_count
      FROM artists WHERE id IN (SELECT artist_id FROM track_artists UNION SELECT artist_id FROM albums) ORDER BY id`),
  );

  const texts = searchable();
  for (const table of ['search_trigrams', 'search_grams'])
    expect(rows<{ id: number }>(`SELECT id FROM ${table}_docsize ORDER BY id`).map((row) => row.id)).toEqual(
      [...texts.keys()].toSorted((a, b) => a - b),
    );
  for (const word of new Set(searchWords.map(searchFold))) {
    for (const gram of [word.slice(0, 1), word.slice(0, 2)]) {
      expect(searchGrams(gram), gram).toEqual(
        [...texts]
          .filter(([, text]) => text.includes(gram))
          .map(([rowid]) => rowid)
          .toSorted((a, b) => a - b),
      );
    }
    expect(searchTrigrams(word), word).toEqual(
      [...texts]
        .filter(([, text]) => text.includes(word))
        .map(([rowid]) => rowid)
        .toSorted((a, b) => a - b),
    );
  }

  for (const id of ids) await deleteTrack(id);
  for (const table of [
    'albums',
    'artists',
    'album_keys',
    'track_artists',
    'track_genres',
    'album_genres',
    'search_trigrams_docsize',
    'search_grams_docsize',
  ]) {
    expect(rows(`SELECT count(*) AS n FROM ${table}`), table).toEqual([{ n: 0 }]);
  }
});

test('copied sort keys follow the artist and the album of every track', () => {
  add(
    { artists: ['The Quays'], album: 'Émile' },
    { artists: ['THE QUAYS'], album: 'ÉMILE' },
    { artists: ['Other'], albumArtist: 'The Quays', album: 'Émile' },
  );
  expect(rows('SELECT DISTINCT artist_sort, album_sort FROM tracks ORDER BY 1')).toEqual([
    { artist_sort: 'other', album_sort: 'emile' },
    { artist_sort: 'quays, the', album_sort: 'emile' },
  ]);
  expect(rows('SELECT artist_sort, title_sort FROM albums')).toEqual([
    { artist_sort: 'quays, the', title_sort: 'emile' },
  ]);
  expect(rows<{ id: ArtistId }>('SELECT id FROM artists')).toHaveLength(2);
});
