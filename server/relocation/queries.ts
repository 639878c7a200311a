// Which tracks a missing one may be now, and the file of the one that is chosen. Prepared SQL: each query uses one
// index.
import type { Sqlite } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { tracks } from '../db/schema.ts';
import type { TrackAudio } from '../library/tracks/track-values.ts';
import { SAME_LENGTH_MS, SAME_RECORDING } from '../media/fingerprint-match.ts';

/** What a missing track is known by. */
export type Gone = RowAs<
  typeof tracks,
  | 'id'
  | 'source'
  | 'sourceId'
  | 'title'
  | 'titleSort'
  | 'artistSort'
  | 'durationMs'
  | 'audioHash'
  | 'recordingMbid'
  | 'storageUri'
  | 'availability'
>;

type TrackFile = TrackAudio & RowAs<typeof tracks, 'source' | 'sourceId'>;

export function createRelocationQueries(client: Sqlite) {
  const find = client.prepare<[TrackId], Gone>(
    `SELECT id, source, source_id AS sourceId, title, title_sort AS titleSort, artist_sort AS artistSort,
      duration_ms AS durationMs, audio_hash AS audioHash, recording_mbid AS recordingMbid, storage_uri AS storageUri,
      availability
      FROM tracks WHERE id = ?`,
  );
  const findFile = client.prepare<[TrackId], Omit<TrackFile, 'hasPicture'> & { hasPicture: number }>(
    `SELECT source, source_id AS sourceId, duration_ms AS durationMs, size_bytes AS sizeBytes, format, codec,
      bitrate_kbps AS bitrateKbps, sample_rate_hz AS sampleRateHz, bit_depth AS bitDepth, channels,
      encoder_delay AS encoderDelay, encoder_padding AS encoderPadding, track_gain_db AS trackGainDb,
      track_peak AS trackPeak, album_gain_db AS albumGainDb, album_peak AS albumPeak, has_picture AS hasPicture,
      storage_uri AS storageUri, content_hash AS contentHash, audio_hash AS audioHash, availability,
      section_start AS sectionStart, section_end AS sectionEnd
      FROM tracks WHERE id = ?`,
  );
  const NEAREST = `AND id <> @id AND availability = 'available'
    ORDER BY abs(coalesce(duration_ms, 0) - coalesce(@durationMs, 0)), id LIMIT @limit`;
  const listed = (condition: string) =>
    client.prepare<Gone & { limit: number }, TrackId>(`SELECT id FROM tracks WHERE ${condition} ${NEAREST}`).pluck();
  const NOT_SEPARATED = `NOT EXISTS (SELECT 1 FROM duplicate_dismissals d
    WHERE d.track_id = min(tracks.id, @id) AND d.other_id = max(tracks.id, @id))`;
  const SOUNDS_SAME = `tracks.id IN (
      SELECT other_id FROM duplicate_pairs WHERE track_id = @id AND similarity >= ${SAME_RECORDING}
      UNION SELECT track_id FROM duplicate_pairs WHERE other_id = @id AND similarity >= ${SAME_RECORDING})
    AND abs(duration_ms - @durationMs) <= ${SAME_LENGTH_MS}`;
  const withAudio = listed(`audio_hash = @audioHash AND ${NOT_SEPARATED}`);
  const sounding = listed(SOUNDS_SAME);
  const inPlace = listed('source = @source AND source_id = @sourceId');
  const othersMissing = client
    .prepare<Gone, number>(
      `SELECT count(*) FROM tracks WHERE availability = 'missing' AND id <> @id
        AND (audio_hash = @audioHash OR (${SOUNDS_SAME}))`,
    )
    .pluck();
  const missing = client.prepare<[TrackId, number], { id: TrackId; hasAlike: number }>(
    `SELECT m.id, EXISTS (SELECT 1 FROM tracks o WHERE o.audio_hash = m.audio_hash AND o.id <> m.id
          AND o.availability = 'available')
        OR EXISTS (SELECT 1 FROM duplicate_pairs WHERE track_id = m.id)
        OR EXISTS (SELECT 1 FROM duplicate_pairs WHERE other_id = m.id) AS hasAlike
      FROM tracks m WHERE m.availability = 'missing' AND m.id > ? ORDER BY m.id LIMIT ?`,
  );
  const ofRecording = listed('recording_mbid = @recordingMbid');
  const named = listed(
    `title_sort = @titleSort AND artist_sort = @artistSort AND abs(duration_ms - @durationMs) <= ${SAME_LENGTH_MS}`,
  );
  return {
    find: (id: TrackId): Gone | undefined => find.get(id),
    findFile(id: TrackId): TrackFile | undefined {
      const row = findFile.get(id);
      return row && { ...row, hasPicture: row.hasPicture === 1 };
    },
    withAudio: (track: Gone, limit: number): TrackId[] => withAudio.all({ ...track, limit }),
    sounding: (track: Gone, limit: number): TrackId[] => sounding.all({ ...track, limit }),
    inPlace: (track: Gone, sourceId: string): TrackId[] => inPlace.all({ ...track, sourceId, limit: 1 }),
    /** Missing tracks that have the same audio or sound the same. */
    othersMissing: (track: Gone): number => othersMissing.get(track) ?? 0,
    /** Missing tracks with ids above this one, in their order. */
    missing: (after: TrackId, limit: number) => missing.all(after, limit),
    ofRecording: (track: Gone, limit: number): TrackId[] => ofRecording.all({ ...track, limit }),
    named: (track: Gone, limit: number): TrackId[] => named.all({ ...track, limit }),
  };
}
