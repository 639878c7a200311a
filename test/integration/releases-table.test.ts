// Which files are one album: every case of test/data/releases.txt, in several orders.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AlbumId, TrackId } from '../../server/db/ids.ts';
import { storeFingerprint } from '../../server/enrichment/fingerprints.ts';
import { fingerprintFrom } from '../../server/media/fingerprint-match.ts';
import { createManualEdits } from '../../server/library/edits/replace-metadata.ts';
import type { TrackIdentity } from '../../server/library/tracks/track-values.ts';
import { openLibraryServices } from '../support/library-services.ts';
import {
  readReleasesTable,
  writeAlbums,
  type CaseAlbum,
  type GroupTrack,
  type ReleaseCase,
} from '../support/releases-table.ts';
import { silence } from '../support/silence.ts';
import { openTempDatabase, type TempDatabase } from '../support/temp-database.ts';
import { seededRandom } from '../support/test-random.ts';

const cases = readReleasesTable();
const SOURCE = 'local_folder';
/** The album in the tags of files whose tracks were edited. */
const FORMER_ALBUM = 'Unsorted';
/** Number of values in a fingerprint of 11 s, which is long enough to be compared. */
const FINGERPRINT_VALUES = 90;

let temp: TempDatabase;
beforeAll(() => {
  temp = openTempDatabase();
});
afterAll(() => temp.close());

test('the titles of the cases differ', () => {
  const titles = cases.map(({ title }) => title);
  expect(titles.filter((title, i) => titles.indexOf(title) !== i)).toEqual([]);
});

const namedCases = cases.map((releaseCase): [string, ReleaseCase] => [
  `line ${releaseCase.line}: ${releaseCase.title}`,
  releaseCase,
]);

describe.each(namedCases)('%s', (_name, { groups, albums }) => {
  const namesArtists = albums.some(({ artist }) => artist !== undefined);
  const describeAlbums = (caseAlbums: CaseAlbum[]): string =>
    writeAlbums(groups, namesArtists ? caseAlbums : caseAlbums.map(({ tracks }) => ({ tracks, artist: undefined })));

  test.each([
    ['all in one batch', { isOneBatch: true }],
    ['one by one', { isOneBatch: false }],
  ])('%s', (_, options) => {
    const orders = Object.entries(ordersOf(groups));
    const outcomes = orders.map(([order, tracks]) => [order, describeAlbums(albumsOf(tracks, options))]);
    const expectedAlbums = orders.map(([order]) => [order, describeAlbums(albums)]);
    expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(expectedAlbums));
  });
});

function ordersOf(groups: ReleaseCase['groups']): Record<string, GroupTrack[]> {
  const longest = Math.max(...groups.map((group) => group.length));
  const interleavedTracks = Array.from({ length: longest }, (_, i) => groups.flatMap((group) => group[i] ?? [])).flat();
  const random = seededRandom(1);
  const shuffledTracks = groups
    .flat()
    .map((track) => ({ track, rank: random() }))
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ track }) => track);
  return {
    forward: groups.flat(),
    backward: groups.toReversed().flat(),
    interleaved: interleavedTracks,
    shuffled: shuffledTracks,
  };
}

/** Returns the albums of an empty library after these tracks were added in this order. */
function albumsOf(order: readonly GroupTrack[], options: { isOneBatch: boolean }): CaseAlbum[] {
  const { $client } = temp.db;
  $client.exec('BEGIN IMMEDIATE'); // a rollback takes a fraction of the time of a new database
  try {
    return fill(openLibrary(), order, options).albums();
  } finally {
    $client.exec('ROLLBACK');
  }
}

function fill(library: Library, order: readonly GroupTrack[], { isOneBatch }: { isOneBatch: boolean }): Library {
  if (isOneBatch) {
    library.write(() => order.forEach(library.insert));
    order.forEach(library.edit);
    order.forEach(library.hearTrack);
  } else {
    for (const track of order) {
      library.write(() => library.insert(track));
      library.edit(track);
    }
    library.endScan();
    order.forEach(library.hearTrack); // fingerprints are stored after the first scan
  }
  library.endScan();
  return library;
}

type Library = ReturnType<typeof openLibrary>;

function openLibrary() {
  const { db } = temp;
  const { tracks } = openLibraryServices(db);
  const edits = createManualEdits({ db, tracks, now: () => new Date() });
  const ids = new Map<string, TrackId>();
  const idOf = ({ name }: GroupTrack): TrackId => ids.get(name) as TrackId;

  const insertFolder = db.$client.prepare('INSERT OR IGNORE INTO source_folders (source, path) VALUES (?, ?)');
  const findFolder = db.$client
    .prepare<[string, string], number>('SELECT id FROM source_folders WHERE source = ? AND path = ?')
    .pluck();
  const insertFile = db.$client.prepare(
    `INSERT INTO source_files (folder_id, name, size_bytes, mtime_us, dev, ino, state, track_id)
      VALUES (?, ?, 100, 1, 1, ?, 'track', ?)`,
  );
  const listAlbums = db.$client.prepare<[], { albumId: AlbumId; trackId: TrackId; artist: string | null }>(
    `SELECT t.album_id AS albumId, t.id AS trackId, r.name AS artist FROM tracks t JOIN albums a ON a.id = t.album_id
      LEFT JOIN artists r ON r.id = a.artist_id`,
  );

  const write = (change: () => void): void => db.transaction(() => tracks.batch(change), { behavior: 'immediate' });

  /** Inserts the row of a folder and of the folders above it, as a scan does. */
  function folderOf(path: string): number {
    const parts = path.split('/');
    parts.forEach((_, i) => insertFolder.run(SOURCE, parts.slice(0, i + 1).join('/')));
    return findFolder.get(SOURCE, path) as number;
  }

  return {
    write,

    insert(track: GroupTrack): void {
      const folder = track.folder === undefined ? undefined : folderOf(track.folder);
      const file = `${track.name}.${track.format}`;
      const id = tracks.insert({
        source: folder === undefined ? 'upload' : SOURCE,
        sourceId: folder === undefined ? file : `${track.folder}/${file}`,
        folder,
        identity: identityOf(track),
        audio: { ...silence, format: track.format, codec: track.format, durationMs: track.durationMs },
      });
      if (folder !== undefined) insertFile.run(folder, file, id, id);
      ids.set(track.name, id);
    },

    /** Edits a track as `PUT /tracks/{id}/metadata` does. */
    edit(track: GroupTrack): void {
      if (!track.isEdited) return;
      const typedTags = { album: track.album, albumArtist: track.albumArtist };
      edits.setMetadata(idOf(track), typedTags, { keepsStatus: false });
    },

    hearTrack(track: GroupTrack): void {
      if (track.sound === undefined) return;
      storeFingerprint(
        db,
        idOf(track),
        { raw: fingerprintFrom(fingerprintOf(track.sound)), durationMs: track.durationMs },
        new Date(),
      );
    },

    /** Runs the steps of a scan after it has seen all files. */
    endScan(): void {
      db.transaction(
        () => {
          tracks.folderAlbums.list().forEach((folder) => tracks.folderAlbums.gather(folder));
          tracks.releases.listNotedNames().forEach(tracks.releases.regroupAlbums);
        },
        { behavior: 'immediate' },
      );
    },

    albums(): CaseAlbum[] {
      const nameOf = new Map([...ids].map(([name, id]) => [id, name]));
      const byAlbum = Map.groupBy(listAlbums.all(), ({ albumId }) => albumId);
      return [...byAlbum.values()].map((rows) => ({
        tracks: rows.map(({ trackId }) => nameOf.get(trackId) as string),
        artist: rows[0]?.artist ?? 'nobody',
      }));
    },
  };
}

/** Builds an identity as server/files/track-draft.ts does from a file's tags. */
function identityOf(track: GroupTrack): TrackIdentity {
  const { releaseMbid, edition } = track;
  return {
    title: track.title,
    artists: [track.artist],
    artist: track.artist,
    albumArtist: track.albumArtist,
    album: track.isEdited ? FORMER_ALBUM : track.album,
    genres: [],
    year: track.year,
    discNumber: track.discNumber,
    trackNumber: track.trackNumber,
    compilation: track.isCompilation || undefined,
    releaseGroupMbid: track.releaseGroupMbid,
    releaseMbid,
    lyrics: null,
    chapters: null,
    more:
      releaseMbid === undefined && edition === undefined
        ? null
        : { ...(releaseMbid !== undefined && { releaseMbid }), ...(edition !== undefined && { edition: [edition] }) },
  };
}

/** Returns equal fingerprints for equal texts; those of different texts share about half of their bits. */
function fingerprintOf(sound: string): Buffer {
  const seed = [...sound].reduce((sum, letter) => Math.imul(sum, 31) + letter.charCodeAt(0), 7);
  const random = seededRandom(seed);
  const raw = Buffer.alloc(FINGERPRINT_VALUES * 4);
  for (let i = 0; i < FINGERPRINT_VALUES; i++) raw.writeUInt32LE(Math.floor(random() * 2 ** 32), i * 4);
  return raw;
}
