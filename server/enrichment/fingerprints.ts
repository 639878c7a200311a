// The fingerprints of tracks, and the index that finds similar ones.
import { and, eq, sql } from 'drizzle-orm';
import { type Db, type MainDb, type Sqlite, withRelaxedCommit } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import { trackFingerprints, tracks } from '../db/schema.ts';
import {
  bytesOfFingerprint,
  fingerprintFrom,
  LENGTH_TOLERANCE_MS,
  SAME_RECORDING,
  soundPieces,
  soundSimilarity,
} from '../media/fingerprint-match.ts';
import type { Fingerprint } from '../media/fingerprint.ts';
import { pairWithSimilar } from './duplicate-pairs.ts';

/**
 * The version of fingerprints. It must change with Chromaprint's algorithm, the analyzed length, and the way in which
 * pieces are picked.
 */
export const FINGERPRINT_VERSION = 'cp1';
/** A piece that more tracks of the same length share than this is ignored as too common. */
const MAX_TRACKS_PER_PIECE = 64;
/** Maximum number of tracks that are compared bit by bit, beginning with those that share most pieces. */
const MAX_COMPARED_TRACKS = 32;

export type StoredFingerprint = Pick<Fingerprint, 'raw' | 'durationMs'>;

export function findFingerprint(db: Db, trackId: TrackId): StoredFingerprint | undefined {
  const row = db
    .select()
    .from(trackFingerprints)
    .where(and(eq(trackFingerprints.trackId, trackId), eq(trackFingerprints.version, FINGERPRINT_VERSION)))
    .get();
  return row && { raw: fingerprintFrom(row.raw), durationMs: row.durationMs };
}

/** Stores or replaces a fingerprint and finds the track's duplicates. Returns false if the track has been deleted. */
export function storeFingerprint(
  db: MainDb,
  trackId: TrackId,
  { raw, durationMs }: StoredFingerprint,
  createdAt: Date,
): boolean {
  const duration = Math.round(durationMs);
  return withRelaxedCommit(db.$client, () =>
    db.transaction(
      (tx) => {
        // this also deletes the pieces and pairs of the old fingerprint
        tx.delete(trackFingerprints).where(eq(trackFingerprints.trackId, trackId)).run();
        if (!tx.select({ id: tracks.id }).from(tracks).where(eq(tracks.id, trackId)).get()) return false;
        tx.insert(trackFingerprints)
          .values({
            trackId,
            version: FINGERPRINT_VERSION,
            durationMs: duration,
            raw: bytesOfFingerprint(raw),
            createdAt,
          })
          .run();
        const pieces = soundPieces(raw);
        const similarTracks = findSimilar(db.$client, pieces, duration);
        db.$client
          .prepare('INSERT INTO fingerprint_pieces (piece, duration_ms, track_id) SELECT value, ?, ? FROM json_each(?)')
          .run(duration, trackId, JSON.stringify(pieces));
        pairWithSimilar(
          tx,
          { trackId, raw, durationMs: duration },
          similarTracks.flatMap((id) => {
            const candidate = findFingerprint(tx, id);
            return candidate ? [{ trackId: id, ...candidate }] : [];
          }),
        );
        tx.run(markAlbumUnsettled(trackId));
        return true;
      },
      { behavior: 'immediate' },
    ),
  );
}

/**
 * Marks the track's album for another check of its grouping: the fingerprint may show that the track differs from the
 * track at the same position of the same or a like-named album.
 */
const markAlbumUnsettled = (trackId: TrackId) => sql`INSERT OR IGNORE INTO unsettled_albums (name)
  SELECT '#' || a.id FROM tracks t JOIN albums a ON a.id = t.album_id AND t.album_sort <> '' WHERE t.id = ${trackId}
    AND (EXISTS (SELECT 1 FROM albums o
        WHERE o.artist_id IS a.artist_id AND o.title_sort = a.title_sort AND o.id <> a.id)
      OR EXISTS (SELECT 1 FROM album_keys k WHERE k.album_id = a.id AND k.key >= 'l:' AND k.key < 'l;')
      OR (SELECT count(*) FROM album_keys k WHERE k.album_id = a.id AND k.key >= 'd:' AND k.key < 'd;') > 1)`;

/** Returns the tracks that sound like the fingerprint, with the share of equal bits. */
export const findSimilarTracks = (
  db: MainDb,
  { raw, durationMs }: StoredFingerprint,
): { id: TrackId; similarity: number }[] =>
  findSimilar(db.$client, soundPieces(raw), Math.round(durationMs)).flatMap((id) => {
    const candidate = findFingerprint(db, id);
    return candidate ? [{ id, similarity: soundSimilarity(raw, candidate.raw) }] : [];
  });

/** Returns whether a track in the trash sounds like the fingerprint. Its own fingerprint is part of its snapshot. */
export function soundsLikeDeletedTrack(db: MainDb, { raw, durationMs }: StoredFingerprint): boolean {
  const deleted = db.$client
    .prepare<[string, number, number], string>(
      `SELECT row.value ->> '$.raw."$blob"'
        FROM trashed_tracks d, json_each(d.snapshot, '$.rows') one, json_each(one.value, '$.rows') row
        WHERE one.value ->> 'table' = 'track_fingerprints' AND row.value ->> 'version' = ?
          AND d.merged_into IS NULL AND json_valid(d.snapshot)
          AND d.snapshot ->> '$.track.duration_ms' BETWEEN ? AND ?`,
    )
    .pluck()
    .iterate(FINGERPRINT_VERSION, durationMs - LENGTH_TOLERANCE_MS, durationMs + LENGTH_TOLERANCE_MS);
  for (const deletedFingerprint of deleted)
    if (soundSimilarity(raw, fingerprintFrom(Buffer.from(deletedFingerprint, 'base64'))) >= SAME_RECORDING) return true;
  return false;
}

/** Returns tracks of about this length that share pieces, beginning with those that share most. */
function findSimilar(client: Sqlite, pieces: readonly number[], durationMs: number): TrackId[] {
  const holdersOf = client
    .prepare<[number, number, number, number], TrackId>(
      'SELECT track_id FROM fingerprint_pieces WHERE piece = ? AND duration_ms BETWEEN ? AND ? LIMIT ?',
    )
    .pluck();
  const sharedPieceCounts = new Map<TrackId, number>();
  for (const piece of pieces) {
    const holders = holdersOf.all(
      piece,
      durationMs - LENGTH_TOLERANCE_MS,
      durationMs + LENGTH_TOLERANCE_MS,
      MAX_TRACKS_PER_PIECE + 1,
    );
    if (holders.length > MAX_TRACKS_PER_PIECE) continue;
    for (const id of holders) sharedPieceCounts.set(id, (sharedPieceCounts.get(id) ?? 0) + 1);
  }
  return [...sharedPieceCounts]
    .sort(([a, n], [b, m]) => m - n || a - b)
    .slice(0, MAX_COMPARED_TRACKS)
    .map(([id]) => id);
}
