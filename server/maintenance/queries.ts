import { eq } from 'drizzle-orm';
import type { ArtistId } from '../db/ids.ts';
import type { Db, MainDb } from '../db/client.ts';
import type { RowAs, RowOf } from '../db/rows.ts';
import { fileSums, verifyRuns, type albums, type tracks } from '../db/schema.ts';
import { emptyReport, type VerifyReport } from './verify-report.ts';
import { FILE_SCHEME } from '../storage/uri.ts';

export interface KeptTrack extends RowAs<typeof tracks, 'id' | 'title' | 'contentHash' | 'audioHash' | 'availability'> {
  uri: string;
  sizeBytes: number;
  /** Of the file in the music folder, as of the last scan. */
  fileSize: number | null;
  fileMtimeUs: number | null;
}

/** Tracks with audio by id, each with one of its files, if any. */
export function prepareListKept(db: MainDb) {
  const list = db.$client.prepare<[number, number], KeptTrack>(`
    SELECT t.id, t.title, t.storage_uri AS uri, t.content_hash AS contentHash, t.audio_hash AS audioHash,
    t.availability, coalesce(t.size_bytes, 0) AS sizeBytes,
      (SELECT f.size_bytes FROM source_files f WHERE f.track_id = t.id LIMIT 1) AS fileSize,
      (SELECT f.mtime_us FROM source_files f WHERE f.track_id = t.id LIMIT 1) AS fileMtimeUs
    FROM tracks t WHERE t.id > ? AND t.storage_uri IS NOT NULL ORDER BY t.id LIMIT ?`);
  return (after: number, most: number): KeptTrack[] => list.all(after, most);
}

export function prepareFindKept(db: MainDb) {
  const list = prepareListKept(db);
  return (id: number): KeptTrack | undefined => list(id - 1, 1).find((track) => track.id === id);
}

/** The hash that a verify found for this version of a file; `sum` is kept when there is none. */
export function knownSum(db: Db, { id, fileSize, fileMtimeUs }: KeptTrack, sum: string): string {
  const found = db.select().from(fileSums).where(eq(fileSums.trackId, id)).get();
  if (found && found.sizeBytes === fileSize && found.mtimeUs === fileMtimeUs) return found.sha256;
  const set = { sizeBytes: fileSize ?? 0, mtimeUs: fileMtimeUs ?? 0, sha256: sum };
  db.insert(fileSums)
    .values({ trackId: id, ...set })
    .onConflictDoUpdate({ target: fileSums.trackId, set })
    .run();
  return sum;
}

type CoveredAlbum = RowOf<typeof albums, 'id' | 'title'>;
/** `artistId` is null for an artist without tracks, whom a person gave a picture. */
interface PicturedArtist {
  id: number;
  title: string;
  artistId: ArtistId | null;
}

/** Albums with a stored cover, by id. */
export function prepareListCovered(db: MainDb) {
  const list = db.$client.prepare<[number, number], CoveredAlbum>(
    'SELECT a.id, a.title FROM album_covers c JOIN albums a ON a.id = c.album_id WHERE c.album_id > ? ' +
      'AND c.key IS NOT NULL ORDER BY c.album_id LIMIT ?',
  );
  return (after: number, most: number): CoveredAlbum[] => list.all(after, most);
}

export const countCovered = (db: MainDb): number =>
  db.$client.prepare<[], number>('SELECT count(*) FROM album_covers WHERE key IS NOT NULL').pluck().get() ?? 0;

/** Stored pictures of artists, also those that a change can be taken back to, by id. */
export function prepareListPictured(db: MainDb) {
  const list = db.$client.prepare<[number, number], PicturedArtist>(
    `SELECT p.id, coalesce(x.name, p.artist_key) AS title, x.id AS artistId FROM artist_pictures p
      LEFT JOIN artists x ON x.name_key = p.artist_key WHERE p.id > ? AND p.key IS NOT NULL ORDER BY p.id LIMIT ?`,
  );
  return (after: number, most: number): PicturedArtist[] => list.all(after, most);
}

export const countPictured = (db: MainDb): number =>
  db.$client.prepare<[], number>('SELECT count(*) FROM artist_pictures WHERE key IS NOT NULL').pluck().get() ?? 0;

export const countKept = (db: MainDb): number =>
  db.$client.prepare<[], number>('SELECT count(*) FROM tracks').pluck().get() ?? 0;

export type VerifyRun = Omit<typeof verifyRuns.$inferSelect, 'tally'> & { tally: VerifyReport };

export function findRun(db: Db, scope: VerifyRun['scope']): VerifyRun | undefined {
  const row = db.select().from(verifyRuns).where(eq(verifyRuns.scope, scope)).get();
  return row && { ...row, tally: { ...emptyReport(), ...(row.tally as VerifyReport) } };
}

export function saveRun(db: Db, run: VerifyRun): void {
  const { scope: _, ...set } = run;
  db.insert(verifyRuns).values(run).onConflictDoUpdate({ target: verifyRuns.scope, set }).run();
}

/** Whether a track uses the object with that hash and key, in any storage: during a migration it may be in both. */
export function prepareIsUsed(db: MainDb) {
  const find = db.$client
    .prepare<[string, string], number>(
      `SELECT 1 FROM stored_audio WHERE content_hash = ? AND storage_uri NOT LIKE '${FILE_SCHEME}:%'
         AND substr(storage_uri, instr(storage_uri, ':') + 1) = ? LIMIT 1`,
    )
    .pluck();
  return (hash: string, key: string): boolean => find.get(hash, key) !== undefined;
}

/** Whether a picture is that of an album or an artist, or of an album that may come back. */
export function prepareIsCover(db: MainDb) {
  const find = db.$client.prepare<[number, string, string, string, string]>(
    `SELECT 1 FROM album_covers WHERE album_id = ? AND key = ?
    UNION ALL SELECT 1 FROM trashed_tracks WHERE cover_key = ?
    UNION ALL SELECT 1 FROM former_covers WHERE key = ?
    UNION ALL SELECT 1 FROM artist_pictures WHERE key = ? LIMIT 1`,
  );
  return (albumId: number, key: string): boolean => find.get(albumId, key, key, key, key) !== undefined;
}
