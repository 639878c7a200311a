// The path of each file in an export, kept in a temporary database: paths must be unique in the whole export, and
// playlists look them up later. The same library gives the same paths, so that an interrupted export can be resumed.
import { setImmediate as nextTurn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { albumPlace } from '../db/album-place.ts';
import type { Sqlite } from '../db/client.ts';
import type { RowAs } from '../db/rows.ts';
import type { albums, artists, tracks } from '../db/schema.ts';
import { albumFolder, nameKey, numbered, safeName, trackName } from '../media/readable-names.ts';
import { FILE_SCHEME, splitUri } from '../storage/uri.ts';
import { isNamed } from '../db/unnamed.ts';

const ROWS = 50;
const IDS = 2_000;

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

/** A file that was written whole, and what an import stores it as. */
interface ExportedFile {
  key: string;
  path: string;
  /** SHA-256, or as much of it as the row of a cover has. */
  hash: string;
  size: number;
}

/** `stored`: an object of the storage, by its key · `own`: a file of a music folder, by its path. */
export type FileRef = `stored:${string}` | `own:${string}`;
export const refOf = (uri: string): FileRef => {
  const { scheme, path } = splitUri(uri);
  return `${scheme === FILE_SCHEME ? 'own' : 'stored'}:${path}`;
};

export type ExportPaths = ReturnType<typeof createExportPaths>;

/** `scratch` is the path of the temporary database, which does not exist yet. */
export function createExportPaths(library: Sqlite, scratch: string) {
  const db = new Database(scratch);
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
  const addFile = db.prepare('INSERT OR IGNORE INTO files (ref, key, path, hash, size) VALUES (?, ?, ?, ?, ?)');
  const findFile = db.prepare<[string], ExportedFile>('SELECT key, path, hash, size FROM files WHERE ref = ?');
  const take = db.prepare('INSERT OR IGNORE INTO taken (key) VALUES (?)');
  const place = db.prepare('INSERT INTO places (track_id, uri, path, is_first) VALUES (?, ?, ?, ?)');
  const find = db.prepare<[number], string>('SELECT path FROM places WHERE track_id = ?').pluck();
  const page = db.prepare<[number], PlacedTrack>(
    `SELECT track_id AS id, uri, path FROM places WHERE track_id > ? AND is_first = 1 ORDER BY track_id LIMIT ${ROWS}`,
  );

  const albumPage = library.prepare<[number], AlbumRow>(
    `SELECT a.id, a.title, a.year, r.name AS artist, a.disc_count AS discCount FROM albums a LEFT
      JOIN artists r ON r.id = a.artist_id WHERE a.id > ? AND ${isNamed('a')} ORDER BY a.id LIMIT ${ROWS}`,
  );
  const columns =
    't.id, t.title, t.artist_name AS artistName, t.track_number AS trackNumber, t.disc_number AS discNumber, ' +
    't.storage_uri AS storageUri, t.format, t.section_start AS sectionStart';
  const ofAlbum = library.prepare<[number], TrackRow>(
    `SELECT ${columns} FROM tracks t WHERE t.album_id = ? AND t.storage_uri IS NOT NULL
      ORDER BY ${albumPlace('t')}, t.id`,
  );
  const withoutAlbum = library.prepare<[number, number], TrackRow>(
    `SELECT ${columns} FROM tracks t WHERE t.id > ? AND t.id <= ? AND +t.album_sort = '' AND t.storage_uri IS NOT NULL
      ORDER BY t.id`,
  );
  const lastTrack = library.prepare<[], number | null>('SELECT max(id) FROM tracks').pluck();

  function free(toPath: (n: number) => string): string {
    for (let n = 1; ; n++) {
      const path = toPath(n);
      if (take.run(nameKey(path)).changes > 0) return path;
    }
  }

  /** The file of several tracks is written once. */
  function placeSections(folder: string, name: string, sections: TrackRow[]): void {
    for (const [uri, tracks] of Map.groupBy(sections, ({ storageUri }) => storageUri)) {
      const [first] = tracks;
      const path = first && free((n) => `${folder}/${numbered(safeName(name, 'Album'), n)}.${extensionOf(first)}`);
      for (const track of tracks) place.run(track.id, uri, path, Number(track === first));
    }
  }

  function placeTrack(folder: string, discCount: number, track: TrackRow): void {
    const [name, extension] = [trackName({ ...track, discCount }), extensionOf(track)];
    place.run(
      track.id,
      track.storageUri,
      free((n) => `${folder}/${numbered(name, n)}.${extension}`),
      1,
    );
  }

  return {
    /** Computes all paths. Once, before the others. */
    async plan(signal: AbortSignal): Promise<void> {
      for (let after = 0; ;) {
        signal.throwIfAborted();
        const rows = albumPage.all(after);
        db.transaction(() => {
          for (const { id, title, year, artist, discCount } of rows) {
            const folder = free((n) => numbered(albumFolder(artist, year, title), n));
            addFolder.run(id, folder);
            const [sections, files] = parted(ofAlbum.all(id));
            placeSections(folder, title, sections);
            for (const track of files) placeTrack(folder, discCount, track);
          }
        })();
        const last = rows.at(-1);
        if (!last) break;
        after = last.id;
        await nextTurn();
      }
      const most = lastTrack.get() ?? 0;
      for (let after = 0; after < most; after += IDS) {
        signal.throwIfAborted();
        db.transaction(() => {
          const folderOf = ({ artistName }: TrackRow): string => safeName(artistName ?? '', 'Unknown Artist');
          const [sections, files] = parted(withoutAlbum.all(after, after + IDS));
          for (const [folder, some] of Map.groupBy(sections, folderOf)) placeSections(folder, folder, some);
          for (const track of files) placeTrack(folderOf(track), 1, track);
        })();
        await nextTurn();
      }
    },

    count: (): number => db.prepare<[], number>('SELECT count(*) FROM places WHERE is_first = 1').pluck().get() ?? 0,
    /** Below Music, separated by `/`; undefined for a track without audio. */
    of: (trackId: number): string | undefined => find.get(trackId),
    /** Below Music. */
    ofAlbum: (albumId: number): string | undefined => findFolder.get(albumId),
    note: (ref: FileRef, { key, path, hash, size }: ExportedFile): void => void addFile.run(ref, key, path, hash, size),
    /** Undefined when it was not written. */
    file: (ref: FileRef): ExportedFile | undefined => findFile.get(ref),
    /** Reserves the first unused path of `toPath(1)`, `toPath(2)`, … */
    free,

    async *all(): AsyncGenerator<PlacedTrack> {
      for (let after = 0; ;) {
        const rows = page.all(after);
        yield* rows;
        const last = rows.at(-1);
        if (!last) return;
        after = last.id;
      }
    },

    close: (): void => void db.close(),
  };
}

const parted = (tracks: TrackRow[]): [sections: TrackRow[], files: TrackRow[]] => [
  tracks.filter(({ sectionStart }) => sectionStart !== null),
  tracks.filter(({ sectionStart }) => sectionStart === null),
];

function extensionOf({ storageUri, format }: TrackRow): string {
  const found = /\.([A-Za-z0-9]{1,8})$/.exec(storageUri)?.[1] ?? format ?? 'bin';
  return safeName(found.toLowerCase(), 'bin');
}
