import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { RowAs } from '../db/rows.ts';
import type { tracks } from '../db/schema.ts';

/** The columns needed to send a track's audio. */
export type StreamedTrack = RowAs<
  typeof tracks,
  | 'title'
  | 'artistName'
  | 'format'
  | 'codec'
  | 'bitrateKbps'
  | 'sampleRateHz'
  | 'bitDepth'
  | 'channels'
  | 'durationMs'
  | 'storageUri'
  | 'contentHash'
  | 'sizeBytes'
  | 'availability'
  | 'sectionStart'
  | 'sectionEnd'
>;

/** Prepares finding a track. The statement is prepared once, since players request every range of every track. */
export function prepareFindStreamed(db: MainDb): (id: TrackId) => StreamedTrack | undefined {
  const statement = db.$client.prepare<[number], StreamedTrack>(`
    SELECT title, artist_name AS artistName, format, codec, bitrate_kbps AS bitrateKbps, sample_rate_hz AS
      sampleRateHz, bit_depth AS bitDepth, channels, duration_ms AS durationMs, storage_uri AS storageUri,
      content_hash AS contentHash, size_bytes AS sizeBytes, availability,
      section_start AS sectionStart, section_end AS sectionEnd
    FROM tracks WHERE id = ?`);
  return (id) => statement.get(id);
}
