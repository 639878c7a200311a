import { and, eq, isNull, sql } from 'drizzle-orm';
import type { Db, MainDb } from '../db/client.ts';
import type { AlbumId, ArtistId, TrackId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import { notFound } from '../errors.ts';
import { albumCovers, albums, type sourceFolders } from '../db/schema.ts';
import { MAX_CREDITS_FOR_COVER } from '../library/lists/artist-rows.ts';
import { FORMATS } from '../media/audio-formats.ts';
import { isNamed, UNNAMED_KEYS } from '../db/unknown-names.ts';

/** Formats of which a scan does not know, or in DSF once did not know, whether the file has a picture. */
const PICTURES_UNKNOWN = FORMATS.filter(([format, { reader }]) => reader !== 'own' || format === 'dsf')
  .map(([format]) => `'${format}'`)
  .join(', ');

export type CoverRow = typeof albumCovers.$inferSelect;
export interface StoredPicture {
  key: string;
  etag: string;
}
/** A row with a cover. */
export type StoredCover = RowAs<typeof albumCovers, 'albumId'> & StoredPicture;

export const findCoverRow = (db: Db, albumId: AlbumId): CoverRow | undefined =>
  db.select().from(albumCovers).where(eq(albumCovers.albumId, albumId)).get();

export const hasAlbum = (db: Db, albumId: AlbumId): boolean =>
  db.select({ id: albums.id }).from(albums).where(eq(albums.id, albumId)).get() !== undefined;

/** The release group of an album, if it was identified. Throws `not_found`. */
export function albumRelease(db: Db, albumId: AlbumId): string | null {
  const row = db.select({ mbid: albums.releaseGroupMbid }).from(albums).where(eq(albums.id, albumId)).get();
  if (!row) throw notFound('album', albumId);
  return row.mbid;
}

/** Tracks without an album show their own pictures. */
export const isUnnamed = (db: Db, albumId: AlbumId): boolean =>
  db
    .select({ id: albums.id })
    .from(albums)
    .where(and(eq(albums.id, albumId), eq(albums.titleSort, UNNAMED_KEYS.album)))
    .get() !== undefined;

/** There is a cover, a person removed it, or there can be none: no other is looked for. */
export function hasCoverOrNone(db: Db, albumId: AlbumId): boolean {
  if (isUnnamed(db, albumId)) return true;
  const row = findCoverRow(db, albumId);
  return row !== undefined && (row.key !== null || row.origin === 'manual');
}

/** Writes what was found; false when there already is a cover, or a person removed it. */
export function insertFound(db: Db, row: CoverRow): boolean {
  const { albumId: _, ...found } = row;
  return (
    db
      .insert(albumCovers)
      .values(row)
      .onConflictDoUpdate({
        target: albumCovers.albumId,
        set: found,
        setWhere: sql`${albumCovers.key} IS NULL AND ${albumCovers.origin} IS NOT 'manual'`,
      })
      .run().changes > 0
  );
}

/** Writes what a person chose, whatever was there. */
export function upsertCover(db: Db, row: CoverRow): void {
  const { albumId: _, ...set } = row;
  db.insert(albumCovers).values(row).onConflictDoUpdate({ target: albumCovers.albumId, set }).run();
}

/** Deletes the row of an album without a cover, so that one is looked for again. */
export const deleteNone = (db: Db, albumId: AlbumId): void =>
  void db
    .delete(albumCovers)
    .where(and(eq(albumCovers.albumId, albumId), isNull(albumCovers.key)))
    .run();

/** Deletes the row of a cover from the archive; false when the album has another cover. */
export const deleteCover = (db: Db, albumId: AlbumId, key: string): boolean =>
  db
    .delete(albumCovers)
    .where(and(eq(albumCovers.albumId, albumId), eq(albumCovers.key, key), eq(albumCovers.origin, 'archive')))
    .run().changes > 0;

/** Prepared text, because a page requests sixty covers at a time. */
export function prepareFindCovers(db: MainDb) {
  const columns = 'c.album_id AS albumId, c.key, c.etag';
  const ofAlbum = db.$client.prepare<[number], StoredCover>(
    `SELECT ${columns} FROM album_covers c WHERE c.album_id = ? AND c.key IS NOT NULL`,
  );
  const ofTrack = db.$client.prepare<[number], StoredCover>(`
    SELECT ${columns} FROM tracks t JOIN album_covers c ON c.album_id = t.album_id WHERE t.id = ?
    AND c.key IS NOT NULL`);
  const artistPicture = db.$client.prepare<[number], StoredPicture>(`
    SELECT p.key, p.etag FROM artists x JOIN artist_pictures p ON p.artist_key = x.name_key AND p.is_current = 1
    WHERE x.id = ? AND p.key IS NOT NULL`);
  const ownIn = (years: string) =>
    db.$client.prepare<[number, number], StoredCover>(`
    SELECT ${columns} FROM albums a JOIN album_covers c ON c.album_id = a.id
    WHERE a.artist_id = ? AND a.year ${years} AND c.key IS NOT NULL ORDER BY a.year, a.id LIMIT ?`);
  const [dated, undated] = [ownIn('IS NOT NULL'), ownIn('IS NULL')];
  const credited = db.$client.prepare<[number, number], StoredCover>(`
    SELECT DISTINCT ${columns} FROM (SELECT track_id FROM track_artists WHERE artist_id = ?
    LIMIT ${MAX_CREDITS_FOR_COVER}) ta
    CROSS JOIN tracks t ON t.id = ta.track_id CROSS JOIN album_covers c ON c.album_id = t.album_id
    WHERE c.key IS NOT NULL LIMIT ?`);
  return {
    ofAlbum: (id: AlbumId) => ofAlbum.get(id),
    ofTrack: (id: TrackId) => ofTrack.get(id),
    /** The picture of the artist, not a cover. */
    pictureOfArtist: (id: ArtistId) => artistPicture.get(id),
    /** At most `most` covers: of the artist's own albums by year, then of albums with a track of theirs. */
    listOfArtist(id: ArtistId, most: number): StoredCover[] {
      const own = dated.all(id, most);
      if (own.length < most) own.push(...undated.all(id, most - own.length));
      if (own.length === most) return own;
      const others = credited
        .all(id, most + own.length)
        .filter(({ albumId }) => !own.some((cover) => cover.albumId === albumId));
      return [...own, ...others].slice(0, most);
    },
  };
}

/** A track with audio in which a picture may be. */
export interface WithPicture {
  id: TrackId;
  title: string;
  storageUri: string;
  /** Milliseconds. */
  updatedAt: number;
}

export type CoverSources = ReturnType<typeof prepareCoverSources>;

/** Local files that may have the picture of an album, and albums that are pending. */
export function prepareCoverSources(db: MainDb) {
  const audio = db.$client.prepare<[number, number], WithPicture>(`
    SELECT id, title, storage_uri AS storageUri, updated_at AS updatedAt FROM tracks
    WHERE album_id = ? AND (has_picture = 1 OR format IN (${PICTURES_UNKNOWN})) AND availability = 'available'
    AND storage_uri IS NOT NULL
    ORDER BY disc_number IS NULL, disc_number, track_number IS NULL, track_number, id LIMIT ?`);
  const folders = db.$client.prepare<[number], RowAs<typeof sourceFolders, 'path' | 'imageName'>>(`
    SELECT f.path, f.image_name AS imageName FROM tracks t
    JOIN source_files s ON s.track_id = t.id JOIN source_folders f ON f.id = s.folder_id
    WHERE t.album_id = ? GROUP BY f.id ORDER BY min(coalesce(t.disc_number, 1)), f.path`);
  const folder = db.$client.prepare<[string], RowAs<typeof sourceFolders, 'imageName'>>(
    `SELECT image_name AS imageName FROM source_folders WHERE source = 'local_folder' AND path = ?`,
  );
  const pending = db.$client.prepare<[number, number], RowAs<typeof albums, 'id'>>(`
    SELECT a.id FROM albums a LEFT JOIN album_covers c ON c.album_id = a.id
    WHERE a.id > ? AND a.id <= ? AND ${isNamed('a')}
    AND (c.album_id IS NULL OR (c.key IS NULL AND c.origin IS NOT 'manual'
    AND a.updated_at >= c.checked_at))`);
  const lookedAt = db.$client.prepare<[number], object>(
    'SELECT 1 FROM albums a JOIN album_covers c ON c.album_id = a.id WHERE a.id = ? AND a.updated_at < c.checked_at',
  );
  const highest = db.$client.prepare<[], { id: number | null }>('SELECT max(id) AS id FROM albums');
  return {
    /** The first tracks that have or may have a picture, in the order of the album. */
    audioWithPicture: (id: AlbumId, limit: number) => audio.all(id, limit),
    foldersOf: (id: AlbumId) => folders.all(id),
    imageIn: (path: string) => folder.get(path)?.imageName ?? null,
    /** New albums, and albums without a cover that changed since the last look; ids in (above, upTo]. */
    pendingBetween: (above: number, upTo: number) => pending.all(above, upTo).map((row) => row.id),
    /** The album has not changed since the last look. */
    isLookedAt: (id: AlbumId) => lookedAt.get(id) !== undefined,
    highestAlbumId: () => highest.get()?.id ?? 0,
  };
}
