// The path of each file in an export. The paths are stored in a temporary database: they must be unique in the whole
// export, and playlists look them up later. The same library gets the same paths, so that an interrupted export can be
// resumed.
import { setImmediate as nextTurn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { albumPlace } from '../db/album-place.ts';
import type { Sqlite } from '../db/client.ts';
import type { RowAs } from '../db/rows.ts';
import type { albums, artists, tracks } from '../db/schema.ts';
import { albumFolder, nameKey, numbered, safeName, trackName } from '../media/readable-names.ts';
import { FILE_SCHEME, splitUri } from '../storage/uri.ts';
import { isNamed } from '../db/unknown-names.ts';

const ROWS_PER_QUERY = 50;
const IDS_PER_QUERY = 2_000;

type AlbumRow = RowAs<typeof albums, 'id' | 'title' | 'year' | 'discCount'> & {
  artist: RowAs<typeof artists, 'name'>['name'] | null;
};
type TrackRow = RowAs<
  typeof tracks,
  'id' | 'title' | 'artistName' | 'trackNumber' | 'discNumber' | 'storageUri' | 'format' | 'sectionStart'
> & { storageUri: string };
interface PlacedTrack {
  id: number;
  uri: string;
  path: string;
}

/** A file of an export that is written completely. `key` is the key under which an import stores it. */
interface ExportedFile {
  key: string;
  path: string;
  /** SHA-256 of the file; for a cover only the beginning, as in the database. */
  hash: string;
  size: number;
}

/** `stored`: an object of the storage, by its key · `own`: a file of a music folder, by its path. */
export type FileRef = `stored:${string}` | `own:${string}`;
export const toFileRef = (uri: string): FileRef => {
  const { scheme, path } = splitUri(uri);
  return `${scheme === FILE_SCHEME ? 'own' : 'stored'}:${path}`;
};

export type ExportPaths = ReturnType<typeof createExportPaths>;

/** `databasePath` is where the temporary database will be created. */
export function createExportPaths(library: Sqlite, databasePath: string) {
  const db = new Database(databasePath);
  db.pragma('journal_mode = OFF');
  db.pragma('synchronous = OFF');
  db.exec(
    'CREATE TABLE places (track_id INTEGER PRIMARY KEY, uri TEXT NOT NULL, path TEXT NOT NULL, ' +
      'is_first INTEGER NOT NULL); CREATE TABLE ' +
      'taken (key TEXT PRIMARY KEY) WITHOUT ROWID; CREATE TABLE folders (album_id INTEGER PRIMARY KEY, ' +
      'path TEXT NOT NULL); CREATE TABLE files (ref TEXT PRIMARY KEY, key TEXT NOT NULL, path TEXT NOT NULL, ' +
      'hash TEXT NOT NULL, size INTEGER NOT NULL) WITHOUT ROWID',
  );
  const addFolder = db.prepare('INSERT INTO folders (album_id, path) VALUES (?, ?)');
  const findFolder = db.prepare<[number], string>('SELECT path FROM folders WHERE album_id = ?').pluck();
  const insertFile = db.prepare('INSERT OR IGNORE INTO files (ref, key, path, hash, size) VALUES (?, ?, ?, ?, ?)');
  const selectFile = db.prepare<[string], ExportedFile>('SELECT key, path, hash, size FROM files WHERE ref = ?');
  const reservePath = db.prepare('INSERT OR IGNORE INTO taken (key) VALUES (?)');
  const insertPlace = db.prepare('INSERT INTO places (track_id, uri, path, is_first) VALUES (?, ?, ?, ?)');
  const findPath = db.prepare<[number], string>('SELECT path FROM places WHERE track_id = ?').pluck();
  const listPlaces = db.prepare<[number], PlacedTrack>(
    `SELECT track_id AS id, uri, path FROM places WHERE track_id > ? AND is_first = 1
      ORDER BY track_id LIMIT ${ROWS_PER_QUERY}`,
  );

  const listAlbums = library.prepare<[number], AlbumRow>(
    `SELECT a.id, a.title, a.year, r.name AS artist, a.disc_count AS discCount FROM albums a LEFT
      JOIN artists r ON r.id = a.artist_id WHERE a.id > ? AND ${isNamed('a')} ORDER BY a.id LIMIT ${ROWS_PER_QUERY}`,
  );
  const columns =
    't.id, t.title, t.artist_name AS artistName, t.track_number AS trackNumber, t.disc_number AS discNumber, ' +
    't.storage_uri AS storageUri, t.format, t.section_start AS sectionStart';
  const listAlbumTracks = library.prepare<[number], TrackRow>(
    `SELECT ${columns} FROM tracks t WHERE t.album_id = ? AND t.storage_uri IS NOT NULL
      ORDER BY ${albumPlace('t')}, t.id`,
  );
  const listTracksWithoutAlbum = library.prepare<[number, number], TrackRow>(
    `SELECT ${columns} FROM tracks t WHERE t.id > ? AND t.id <= ? AND +t.album_sort = '' AND t.storage_uri IS NOT NULL
      ORDER BY t.id`,
  );
  const findLastTrackId = library.prepare<[], number | null>('SELECT max(id) FROM tracks').pluck();

  function reserveFreePath(toPath: (n: number) => string): string {
    for (let n = 1; ; n++) {
      const path = toPath(n);
      if (reservePath.run(nameKey(path)).changes > 0) return path;
    }
  }

  /** Chooses the path of a file that contains several tracks; the file is written once. */
  function placeSections(folder: string, name: string, sections: TrackRow[]): void {
    for (const [uri, tracks] of Map.groupBy(sections, ({ storageUri }) => storageUri)) {
      const [firstTrack] = tracks;
      const path =
        firstTrack &&
        reserveFreePath((n) => `${folder}/${numbered(safeName(name, 'Album'), n)}.${extensionOf(firstTrack)}`);
      for (const track of tracks) insertPlace.run(track.id, uri, path, Number(track === firstTrack));
    }
  }

  function placeTrack(folder: string, discCount: number, track: TrackRow): void {
    const [name, extension] = [trackName({ ...track, discCount }), extensionOf(track)];
    insertPlace.run(
      track.id,
      track.storageUri,
      reserveFreePath((n) => `${folder}/${numbered(name, n)}.${extension}`),
      1,
    );
  }

  return {
    /** Computes all paths. Must be called once, before the other methods. */
    async plan(signal: AbortSignal): Promise<void> {
      for (let lastId = 0; ;) {
        signal.throwIfAborted();
        const rows = listAlbums.all(lastId);
        db.transaction(() => {
          for (const { id, title, year, artist, discCount } of rows) {
            const folder = reserveFreePath((n) => numbered(albumFolder(artist, year, title), n));
            addFolder.run(id, folder);
            const [sections, files] = splitSections(listAlbumTracks.all(id));
            placeSections(folder, title, sections);
            for (const track of files) placeTrack(folder, discCount, track);
          }
        })();
        const lastRow = rows.at(-1);
        if (!lastRow) break;
        lastId = lastRow.id;
        await nextTurn();
      }
      const lastTrackId = findLastTrackId.get() ?? 0;
      for (let lastId = 0; lastId < lastTrackId; lastId += IDS_PER_QUERY) {
        signal.throwIfAborted();
        db.transaction(() => {
          const folderOf = ({ artistName }: TrackRow): string => safeName(artistName ?? '', 'Unknown Artist');
          const [sections, files] = splitSections(listTracksWithoutAlbum.all(lastId, lastId + IDS_PER_QUERY));
          for (const [folder, folderSections] of Map.groupBy(sections, folderOf))
            placeSections(folder, folder, folderSections);
          for (const track of files) placeTrack(folderOf(track), 1, track);
        })();
        await nextTurn();
      }
    },

    count: (): number => db.prepare<[], number>('SELECT count(*) FROM places WHERE is_first = 1').pluck().get() ?? 0,
    /** Returns the path below Music, separated by `/`; undefined for a track without audio. */
    pathOfTrack: (trackId: number): string | undefined => findPath.get(trackId),
    /** Returns the path of the album's folder below Music. */
    folderOfAlbum: (albumId: number): string | undefined => findFolder.get(albumId),
    addFile: (ref: FileRef, { key, path, hash, size }: ExportedFile): void =>
      void insertFile.run(ref, key, path, hash, size),
    /** Returns undefined for a file that was not written. */
    findFile: (ref: FileRef): ExportedFile | undefined => selectFile.get(ref),
    /** Reserves and returns the first unused path of `toPath(1)`, `toPath(2)`, … */
    reserveFreePath,

    async *listTracks(): AsyncGenerator<PlacedTrack> {
      for (let lastId = 0; ;) {
        const rows = listPlaces.all(lastId);
        yield* rows;
        const lastRow = rows.at(-1);
        if (!lastRow) return;
        lastId = lastRow.id;
      }
    },

    close: (): void => void db.close(),
  };
}

const splitSections = (tracks: TrackRow[]): [sections: TrackRow[], files: TrackRow[]] => [
  tracks.filter(({ sectionStart }) => sectionStart !== null),
  tracks.filter(({ sectionStart }) => sectionStart === null),
];

function extensionOf({ storageUri, format }: TrackRow): string {
  const extension = /\.([A-Za-z0-9]{1,8})$/.exec(storageUri)?.[1] ?? format ?? 'bin';
  return safeName(extension.toLowerCase(), 'bin');
}
