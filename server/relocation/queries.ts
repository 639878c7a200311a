// Finds candidates for a missing track, and reads the file of the chosen candidate. Each prepared query uses one index.
import type { Sqlite } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { tracks } from '../db/schema.ts';
import type { TrackAudio } from '../library/tracks/track-values.ts';
import { SAME_LENGTH_MS, SAME_RECORDING } from '../media/fingerprint-match.ts';

/** The fields by which candidates for a missing track are found. */
export type MissingTrack = RowAs<
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
  const findMissing = client.prepare<[TrackId], MissingTrack>(
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
  const prepareList = (condition: string) =>
    client
      .prepare<MissingTrack & { limit: number }, TrackId>(`SELECT id FROM tracks WHERE ${condition} ${NEAREST}`)
      .pluck();
  const NOT_SEPARATED = `NOT EXISTS (SELECT 1 FROM duplicate_dismissals d
    WHERE d.track_id = min(tracks.id, @id) AND d.other_id = max(tracks.id, @id))`;
  const SOUNDS_SAME = `tracks.id IN (
      SELECT other_id FROM duplicate_pairs WHERE track_id = @id AND similarity >= ${SAME_RECORDING}
      UNION SELECT track_id FROM duplicate_pairs WHERE other_id = @id AND similarity >= ${SAME_RECORDING})
    AND abs(duration_ms - @durationMs) <= ${SAME_LENGTH_MS}`;
  const listByAudio = prepareList(`audio_hash = @audioHash AND ${NOT_SEPARATED}`);
  const listBySound = prepareList(SOUNDS_SAME);
  const listBySourceId = prepareList('source = @source AND source_id = @sourceId');
  const countOtherMissing = client
    .prepare<MissingTrack, number>(
      `SELECT count(*) FROM tracks WHERE availability = 'missing' AND id <> @id
        AND (audio_hash = @audioHash OR (${SOUNDS_SAME}))`,
    )
    .pluck();
  const listMissing = client.prepare<[TrackId, number], { id: TrackId; hasAlike: number }>(
    `SELECT m.id, EXISTS (SELECT 1 FROM tracks o WHERE o.audio_hash = m.audio_hash AND o.id <> m.id
          AND o.availability = 'available')
        OR EXISTS (SELECT 1 FROM duplicate_pairs WHERE track_id = m.id)
        OR EXISTS (SELECT 1 FROM duplicate_pairs WHERE other_id = m.id) AS hasAlike
      FROM tracks m WHERE m.availability = 'missing' AND m.id > ? ORDER BY m.id LIMIT ?`,
  );
  const listByRecording = prepareList('recording_mbid = @recordingMbid');
  const listByName = prepareList(
    `title_sort = @titleSort AND artist_sort = @artistSort AND abs(duration_ms - @durationMs) <= ${SAME_LENGTH_MS}`,
  );
  const setSource = client.prepare<[string, string, number, TrackId]>(
    'UPDATE tracks SET source = ?, source_id = ?, updated_at = ? WHERE id = ?',
  );
  const forgetFormerAudio = client.prepare<[TrackId, string | null]>(
    'DELETE FROM former_audio WHERE track_id = ? AND audio_hash = ?',
  );

  return {
    setSource: (source: string, sourceId: string, updatedAt: number, id: TrackId): void =>
      void setSource.run(source, sourceId, updatedAt, id),
    forgetFormerAudio: (id: TrackId, audioHash: string | null): void => void forgetFormerAudio.run(id, audioHash),
    find: (id: TrackId): MissingTrack | undefined => findMissing.get(id),
    findFile(id: TrackId): TrackFile | undefined {
      const row = findFile.get(id);
      return row && { ...row, hasPicture: row.hasPicture === 1 };
    },
    listByAudio: (track: MissingTrack, limit: number): TrackId[] => listByAudio.all({ ...track, limit }),
    listBySound: (track: MissingTrack, limit: number): TrackId[] => listBySound.all({ ...track, limit }),
    listBySourceId: (track: MissingTrack, sourceId: string): TrackId[] =>
      listBySourceId.all({ ...track, sourceId, limit: 1 }),
    /** Counts other missing tracks that have the same audio or sound the same. */
    countOtherMissing: (track: MissingTrack): number => countOtherMissing.get(track) ?? 0,
    /** Lists missing tracks with ids above `afterId`, by id. */
    listMissing: (afterId: TrackId, limit: number) => listMissing.all(afterId, limit),
    listByRecording: (track: MissingTrack, limit: number): TrackId[] => listByRecording.all({ ...track, limit }),
    listByName: (track: MissingTrack, limit: number): TrackId[] => listByName.all({ ...track, limit }),
  };
}
