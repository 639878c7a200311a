// The files of a library, read from a copy of its database a few hundred rows at a time.
import { setImmediate as nextTurn } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { RowAs } from '../db/rows.ts';
import type { albumCovers, tracks } from '../db/schema.ts';
import { hashInKey } from '../storage/local-paths.ts';

const ROWS_PER_QUERY = 500;
const IDS_PER_LIST = 2_000;

/**
 * A file of the library. `list` names the list in the backup that contains it. The name is stable, whatever is added to
 * or removed from other lists.
 */
export type LibraryFile = { list: string } & (
  | { kind: 'stored'; fileType: 'audio' | 'cover'; key: string; hash: string; size: number | null }
  | { kind: 'own'; path: string; hash: string | null; size: number | null }
);

type TrackRow = RowAs<typeof tracks, 'id' | 'storageUri' | 'contentHash' | 'sizeBytes'> & { storageUri: string };
type CoverRow = { id: number } & RowAs<typeof albumCovers, 'key' | 'etag'> & { key: string; etag: string };

/** Covers of albums, of albums in the trash (each as last deleted), and former covers of albums that may come back. */
const COVERS_QUERY = `SELECT album_id AS id, key, etag FROM album_covers WHERE key IS NOT NULL AND etag IS NOT NULL
  UNION ALL SELECT id, key, etag FROM (
    SELECT c.value ->> 'album_id' AS id, t.cover_key AS key, c.value ->> 'etag' AS etag, max(t.deleted_at)
    FROM trashed_tracks t JOIN json_each(t.snapshot, '$.parents.albumCovers') c
    WHERE t.cover_key = c.value ->> 'key' GROUP BY c.value ->> 'album_id'
  ) WHERE etag IS NOT NULL AND id NOT IN (SELECT album_id FROM album_covers)
  UNION ALL SELECT album_id, key, etag FROM former_covers f WHERE key IS NOT NULL AND etag IS NOT NULL
    AND id = (SELECT max(id) FROM former_covers WHERE album_id = f.album_id)
    AND album_id NOT IN (SELECT album_id FROM album_covers)
    AND key NOT IN (SELECT cover_key FROM trashed_tracks WHERE cover_key IS NOT NULL)`;

/**
 * Yields the files of a library, in the order of ids. An object that several tracks share is yielded once per track.
 */
export async function* listLibraryFiles(databasePath: string): AsyncGenerator<LibraryFile> {
  const db = new Database(databasePath, { readonly: true });
  try {
    const tracks = db.prepare<[number], TrackRow>(
      `SELECT id, storage_uri AS storageUri, content_hash AS contentHash, size_bytes AS sizeBytes FROM stored_audio
        WHERE id > ? AND storage_uri IS NOT NULL ORDER BY id LIMIT ${ROWS_PER_QUERY}`,
    );
    for await (const row of listRows(tracks)) {
      const file = fileOfTrack(row);
      if (file) yield file;
    }
    const covers = db.prepare<[number], CoverRow>(
      `SELECT id, key, etag FROM (${COVERS_QUERY}) WHERE id > ? ORDER BY id LIMIT ${ROWS_PER_QUERY}`,
    );
    const artists = db.prepare<[number], CoverRow>(
      `SELECT id, key, etag FROM artist_pictures WHERE key IS NOT NULL AND id > ? ORDER BY id LIMIT ${ROWS_PER_QUERY}`,
    );
    for await (const { id, key, etag } of listRows(artists))
      yield { list: listName('artists', id), kind: 'stored', fileType: 'cover', key, hash: etag, size: null };
    for await (const { id, key, etag } of listRows(covers))
      yield { list: listName('covers', id), kind: 'stored', fileType: 'cover', key, hash: etag, size: null };
  } finally {
    db.close();
  }
}

/**
 * Counts the tracks and files of a library. `audio` and `covers` count the files of listLibraryFiles, including those
 * in the trash.
 */
export function countLibraryFiles(databasePath: string): { tracks: number; audio: number; covers: number } {
  const db = new Database(databasePath, { readonly: true });
  try {
    const count = (sql: string): number =>
      db.prepare<[], { n: number }>(`SELECT count(*) AS n FROM ${sql}`).get()?.n ?? 0;
    return {
      tracks: count('tracks'),
      audio: count('stored_audio'),
      covers: count(`(${COVERS_QUERY})`) + count('artist_pictures WHERE key IS NOT NULL'),
    };
  } finally {
    db.close();
  }
}

const listName = (fileType: string, id: number): string => `${fileType} ${Math.floor(id / IDS_PER_LIST)}`;

function fileOfTrack({ id, storageUri, contentHash: hash, sizeBytes: size }: TrackRow): LibraryFile | undefined {
  const list = listName('tracks', id);
  const colon = storageUri.indexOf(':');
  const [scheme, path] = [storageUri.slice(0, colon), storageUri.slice(colon + 1)];
  if (scheme === 'file') return { list, kind: 'own', path, hash, size };
  const sha256 = hashInKey(path);
  return /^[0-9a-f]{64}$/.test(sha256)
    ? { list, kind: 'stored', fileType: 'audio', key: path, hash: sha256, size }
    : undefined;
}

async function* listRows<R extends { id: number }>(statement: Database.Statement<[number], R>): AsyncGenerator<R> {
  for (let lastId = 0; ;) {
    const rows = statement.all(lastId);
    yield* rows;
    const lastRow = rows.at(-1);
    if (!lastRow || rows.length < ROWS_PER_QUERY) return;
    lastId = lastRow.id;
    await nextTurn();
  }
}
