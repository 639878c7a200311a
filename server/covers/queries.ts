import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Db, MainDb } from '../db/client.ts';
import type { AlbumId, ArtistId, TrackId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import { notFound } from '../errors.ts';
import { albumCovers, albums, type sourceFolders } from '../db/schema.ts';
import { MAX_CREDITS_FOR_COVER } from '../library/lists/artist-rows.ts';
import { FORMATS } from '../media/audio-formats.ts';
import { isNamed, UNNAMED_KEYS } from '../db/unknown-names.ts';

/**
 * Formats for which the database does not reliably say whether a file has a picture: a scan does not tell, or for DSF
 * did not always tell.
 */
const UNCERTAIN_FORMATS = FORMATS.filter(([format, { reader }]) => reader !== 'own' || format === 'dsf')
  .map(([format]) => `'${format}'`)
  .join(', ');

export type CoverRow = typeof albumCovers.$inferSelect;
export interface StoredPicture {
  key: string;
  etag: string;
}
/** The row of an album that has a cover. */
export type StoredCover = RowAs<typeof albumCovers, 'albumId'> & StoredPicture;

export const findCoverRow = (db: Db, albumId: AlbumId): CoverRow | undefined =>
  db.select().from(albumCovers).where(eq(albumCovers.albumId, albumId)).get();

export const hasAlbum = (db: Db, albumId: AlbumId): boolean =>
  db.select({ id: albums.id }).from(albums).where(eq(albums.id, albumId)).get() !== undefined;

/** Returns the release group of an album, if it was identified. Throws `not_found`. */
export function findReleaseGroup(db: Db, albumId: AlbumId): string | null {
  const row = db.select({ mbid: albums.releaseGroupMbid }).from(albums).where(eq(albums.id, albumId)).get();
  if (!row) throw notFound('album', albumId);
  return row.mbid;
}

/** Returns whether the album stands for tracks without an album, which show their own pictures. */
export const isUnnamed = (db: Db, albumId: AlbumId): boolean =>
  db
    .select({ id: albums.id })
    .from(albums)
    .where(and(eq(albums.id, albumId), eq(albums.titleSort, UNNAMED_KEYS.album)))
    .get() !== undefined;

/** Returns whether no cover is looked for: the album has one, a person removed it, or it can have none. */
export function needsNoCover(db: Db, albumId: AlbumId): boolean {
  if (isUnnamed(db, albumId)) return true;
  const row = findCoverRow(db, albumId);
  return row !== undefined && (row.key !== null || row.origin === 'manual');
}

/** Writes a found cover. Returns false when the album already has a cover, or a person removed it. */
export function insertFoundCover(db: Db, row: CoverRow): boolean {
  const { albumId: _, ...values } = row;
  return (
    db
      .insert(albumCovers)
      .values(row)
      .onConflictDoUpdate({
        target: albumCovers.albumId,
        set: values,
        setWhere: sql`${albumCovers.key} IS NULL AND ${albumCovers.origin} IS NOT 'manual'`,
      })
      .run().changes > 0
  );
}

/** Writes the row of an album's cover, also of a removed or repaired one, and replaces any earlier row. */
export function upsertCover(db: Db, row: CoverRow): void {
  const { albumId: _, ...values } = row;
  db.insert(albumCovers).values(row).onConflictDoUpdate({ target: albumCovers.albumId, set: values }).run();
}

/** Deletes the row of an album without a cover, so that a cover is looked for again. */
export const deleteRowWithoutCover = (db: Db, albumId: AlbumId): void =>
  void db
    .delete(albumCovers)
    .where(and(eq(albumCovers.albumId, albumId), isNull(albumCovers.key)))
    .run();

/** Deletes the row of a cover from the archive; returns false when the album has another cover. */
export const deleteCover = (db: Db, albumId: AlbumId, key: string): boolean =>
  db
    .delete(albumCovers)
    .where(and(eq(albumCovers.albumId, albumId), eq(albumCovers.key, key), eq(albumCovers.origin, 'archive')))
    .run().changes > 0;

/** Prepares the statements that find covers once, because a page requests sixty covers at a time. */
export function prepareFindCovers(db: MainDb) {
  const columns = 'c.album_id AS albumId, c.key, c.etag';
  const findByAlbum = db.$client.prepare<[number], StoredCover>(
    `SELECT ${columns} FROM album_covers c WHERE c.album_id = ? AND c.key IS NOT NULL`,
  );
  const findByTrack = db.$client.prepare<[number], StoredCover>(`
    SELECT ${columns} FROM tracks t JOIN album_covers c ON c.album_id = t.album_id WHERE t.id = ?
    AND c.key IS NOT NULL`);
  const findArtistPicture = db.$client.prepare<[number], StoredPicture>(`
    SELECT p.key, p.etag FROM artists x JOIN artist_pictures p ON p.artist_key = x.name_key AND p.is_current = 1
    WHERE x.id = ? AND p.key IS NOT NULL`);
  const prepareOwnCovers = (years: string) =>
    db.$client.prepare<[number, number], StoredCover>(`
    SELECT ${columns} FROM albums a JOIN album_covers c ON c.album_id = a.id
    WHERE a.artist_id = ? AND a.year ${years} AND c.key IS NOT NULL ORDER BY a.year, a.id LIMIT ?`);
  const [listDated, listUndated] = [prepareOwnCovers('IS NOT NULL'), prepareOwnCovers('IS NULL')];
  const listCredited = db.$client.prepare<[number, number], StoredCover>(`
    SELECT DISTINCT ${columns} FROM (SELECT track_id FROM track_artists WHERE artist_id = ?
    LIMIT ${MAX_CREDITS_FOR_COVER}) ta
    CROSS JOIN tracks t ON t.id = ta.track_id CROSS JOIN album_covers c ON c.album_id = t.album_id
    WHERE c.key IS NOT NULL LIMIT ?`);
  return {
    ofAlbum: (id: AlbumId) => findByAlbum.get(id),
    ofTrack: (id: TrackId) => findByTrack.get(id),
    /** Returns the artist's own picture, which is not a cover. */
    pictureOfArtist: (id: ArtistId) => findArtistPicture.get(id),
    /**
     * Lists at most `limit` covers: first of the artist's own albums by year, then of albums that contain a track by
     * the artist.
     */
    listOfArtist(id: ArtistId, limit: number): StoredCover[] {
      const ownCovers = listDated.all(id, limit);
      if (ownCovers.length < limit) ownCovers.push(...listUndated.all(id, limit - ownCovers.length));
      if (ownCovers.length === limit) return ownCovers;
      const otherCovers = listCredited
        .all(id, limit + ownCovers.length)
        .filter(({ albumId }) => !ownCovers.some((cover) => cover.albumId === albumId));
      return [...ownCovers, ...otherCovers].slice(0, limit);
    },
  };
}

/** A track whose audio has or may have a picture. */
export interface TrackWithPicture {
  id: TrackId;
  title: string;
  storageUri: string;
  /** Milliseconds since 1970. */
  updatedAt: number;
}

export type CoverSources = ReturnType<typeof prepareCoverSources>;

/** Prepares the statements that find local files with pictures of an album, and albums that are pending. */
export function prepareCoverSources(db: MainDb) {
  const listAudio = db.$client.prepare<[number, number], TrackWithPicture>(`
    SELECT id, title, storage_uri AS storageUri, updated_at AS updatedAt FROM tracks
    WHERE album_id = ? AND (has_picture = 1 OR format IN (${UNCERTAIN_FORMATS})) AND availability = 'available'
    AND storage_uri IS NOT NULL
    ORDER BY disc_number IS NULL, disc_number, track_number IS NULL, track_number, id LIMIT ?`);
  const listFolders = db.$client.prepare<[number], RowAs<typeof sourceFolders, 'path' | 'imageName'>>(`
    SELECT f.path, f.image_name AS imageName FROM tracks t
    JOIN source_files s ON s.track_id = t.id JOIN source_folders f ON f.id = s.folder_id
    WHERE t.album_id = ? GROUP BY f.id ORDER BY min(coalesce(t.disc_number, 1)), f.path`);
  const findFolder = db.$client.prepare<[string], RowAs<typeof sourceFolders, 'imageName'>>(
    `SELECT image_name AS imageName FROM source_folders WHERE source = 'local_folder' AND path = ?`,
  );
  const listPending = db.$client.prepare<[number, number], RowAs<typeof albums, 'id'>>(`
    SELECT a.id FROM albums a LEFT JOIN album_covers c ON c.album_id = a.id
    WHERE a.id > ? AND a.id <= ? AND ${isNamed('a')}
    AND (c.album_id IS NULL OR (c.key IS NULL AND c.origin IS NOT 'manual'
    AND a.updated_at >= c.checked_at))`);
  const findChecked = db.$client.prepare<[number], object>(
    'SELECT 1 FROM albums a JOIN album_covers c ON c.album_id = a.id WHERE a.id = ? AND a.updated_at < c.checked_at',
  );
  const findHighest = db.$client.prepare<[], { id: number | null }>('SELECT max(id) AS id FROM albums');
  return {
    /** Lists the first tracks that have or may have a picture, in the order of the album. */
    audioWithPicture: (id: AlbumId, limit: number) => listAudio.all(id, limit),
    foldersOf: (id: AlbumId) => listFolders.all(id),
    imageIn: (path: string) => findFolder.get(path)?.imageName ?? null,
    /**
     * Lists new albums, and albums without a cover that changed since the last search, with ids above `afterId` up to
     * `upToId`.
     */
    pendingBetween: (afterId: number, upToId: number) => listPending.all(afterId, upToId).map((row) => row.id),
    /** Returns whether the album has not changed since the last search. */
    isChecked: (id: AlbumId) => findChecked.get(id) !== undefined,
    highestAlbumId: () => findHighest.get()?.id ?? 0,
  };
}
