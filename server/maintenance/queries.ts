import { eq } from 'drizzle-orm';
import type { ArtistId } from '../db/ids.ts';
import type { Db, MainDb } from '../db/client.ts';
import type { RowAs, RowOf } from '../db/rows.ts';
import { fileSums, verifyRuns, type albums, type tracks } from '../db/schema.ts';
import { emptyReport, type VerifyReport } from './verify-report.ts';
import { FILE_SCHEME } from '../storage/uri.ts';

export interface StoredTrack extends RowAs<
  typeof tracks,
  'id' | 'title' | 'contentHash' | 'audioHash' | 'availability'
> {
  uri: string;
  sizeBytes: number;
  /** Size of the file in the music folder at the last scan. */
  fileSize: number | null;
  fileMtimeUs: number | null;
}

/** Lists tracks with audio by id, each with one of its files, if any. */
export function prepareListTracks(db: MainDb) {
  const list = db.$client.prepare<[number, number], StoredTrack>(`
    SELECT t.id, t.title, t.storage_uri AS uri, t.content_hash AS contentHash, t.audio_hash AS audioHash,
    t.availability, coalesce(t.size_bytes, 0) AS sizeBytes,
      (SELECT f.size_bytes FROM source_files f WHERE f.track_id = t.id LIMIT 1) AS fileSize,
      (SELECT f.mtime_us FROM source_files f WHERE f.track_id = t.id LIMIT 1) AS fileMtimeUs
    FROM tracks t WHERE t.id > ? AND t.storage_uri IS NOT NULL ORDER BY t.id LIMIT ?`);
  return (afterId: number, limit: number): StoredTrack[] => list.all(afterId, limit);
}

export function prepareFindTrack(db: MainDb) {
  const list = prepareListTracks(db);
  return (id: number): StoredTrack | undefined => list(id - 1, 1).find((track) => track.id === id);
}

/**
 * Returns the hash that an earlier verification saved for this version of a file; saves `sum` when there is no hash.
 */
export function findOrSaveSum(db: Db, { id, fileSize, fileMtimeUs }: StoredTrack, sum: string): string {
  const savedSum = db.select().from(fileSums).where(eq(fileSums.trackId, id)).get();
  if (savedSum && savedSum.sizeBytes === fileSize && savedSum.mtimeUs === fileMtimeUs) return savedSum.sha256;
  const values = { sizeBytes: fileSize ?? 0, mtimeUs: fileMtimeUs ?? 0, sha256: sum };
  db.insert(fileSums)
    .values({ trackId: id, ...values })
    .onConflictDoUpdate({ target: fileSums.trackId, set: values })
    .run();
  return sum;
}

type CoveredAlbum = RowOf<typeof albums, 'id' | 'title'>;
/** A stored picture; `artistId` is null for an artist without tracks, whom a person gave a picture. */
interface ArtistPicture {
  id: number;
  title: string;
  artistId: ArtistId | null;
}

/** Lists albums with a stored cover, by id. */
export function prepareListCovers(db: MainDb) {
  const list = db.$client.prepare<[number, number], CoveredAlbum>(
    'SELECT a.id, a.title FROM album_covers c JOIN albums a ON a.id = c.album_id WHERE c.album_id > ? ' +
      'AND c.key IS NOT NULL ORDER BY c.album_id LIMIT ?',
  );
  return (afterId: number, limit: number): CoveredAlbum[] => list.all(afterId, limit);
}

export const countCovers = (db: MainDb): number =>
  db.$client.prepare<[], number>('SELECT count(*) FROM album_covers WHERE key IS NOT NULL').pluck().get() ?? 0;

/** Lists stored pictures of artists by id, including earlier ones that can be chosen again. */
export function prepareListArtistPictures(db: MainDb) {
  const list = db.$client.prepare<[number, number], ArtistPicture>(
    `SELECT p.id, coalesce(x.name, p.artist_key) AS title, x.id AS artistId FROM artist_pictures p
      LEFT JOIN artists x ON x.name_key = p.artist_key WHERE p.id > ? AND p.key IS NOT NULL ORDER BY p.id LIMIT ?`,
  );
  return (afterId: number, limit: number): ArtistPicture[] => list.all(afterId, limit);
}

export const countArtistPictures = (db: MainDb): number =>
  db.$client.prepare<[], number>('SELECT count(*) FROM artist_pictures WHERE key IS NOT NULL').pluck().get() ?? 0;

export const countTracks = (db: MainDb): number =>
  db.$client.prepare<[], number>('SELECT count(*) FROM tracks').pluck().get() ?? 0;

export type VerifyRun = Omit<typeof verifyRuns.$inferSelect, 'tally'> & { tally: VerifyReport };

export function findRun(db: Db, scope: VerifyRun['scope']): VerifyRun | undefined {
  const row = db.select().from(verifyRuns).where(eq(verifyRuns.scope, scope)).get();
  return row && { ...row, tally: { ...emptyReport(), ...(row.tally as VerifyReport) } };
}

export function saveRun(db: Db, verifyRun: VerifyRun): void {
  const { scope: _, ...columns } = verifyRun;
  db.insert(verifyRuns).values(verifyRun).onConflictDoUpdate({ target: verifyRuns.scope, set: columns }).run();
}

/**
 * Prepares a query that tells whether a track uses the object with that hash and key, in any storage: a migration
 * copies it to both.
 */
export function prepareIsUsed(db: MainDb) {
  const findUse = db.$client
    .prepare<[string, string], number>(
      `SELECT 1 FROM stored_audio WHERE content_hash = ? AND storage_uri NOT LIKE '${FILE_SCHEME}:%'
         AND substr(storage_uri, instr(storage_uri, ':') + 1) = ? LIMIT 1`,
    )
    .pluck();
  return (hash: string, key: string): boolean => findUse.get(hash, key) !== undefined;
}

/**
 * Prepares a query that tells whether a picture belongs to an album, to an artist, or to an album that may be restored.
 */
export function prepareIsCover(db: MainDb) {
  const findCover = db.$client.prepare<[number, string, string, string, string]>(
    `SELECT 1 FROM album_covers WHERE album_id = ? AND key = ?
    UNION ALL SELECT 1 FROM trashed_tracks WHERE cover_key = ?
    UNION ALL SELECT 1 FROM former_covers WHERE key = ?
    UNION ALL SELECT 1 FROM artist_pictures WHERE key = ? LIMIT 1`,
  );
  return (albumId: number, key: string): boolean => findCover.get(albumId, key, key, key, key) !== undefined;
}
