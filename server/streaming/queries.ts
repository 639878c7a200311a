import type { MainDb } from '../db/client.ts';
import type { TrackId } from '../db/ids.ts';
import type { Availability } from '../db/schema.ts';

/** What is needed of a track to send its audio. */
export interface StreamedTrack {
  title: string;
  artistName: string | null;
  format: string | null;
  codec: string | null;
  bitrateKbps: number | null;
  sampleRateHz: number | null;
  bitDepth: number | null;
  channels: number | null;
  durationMs: number | null;
  storageUri: string | null;
  contentHash: string | null;
  availability: Availability;
}

/** Prepared once, since players ask for every range of every track. */
export function prepareFindStreamed(db: MainDb): (id: TrackId) => StreamedTrack | undefined {
  const statement = db.$client.prepare<[number], StreamedTrack>(`
    SELECT title, artist_name AS artistName, format, codec, bitrate_kbps AS bitrateKbps, sample_rate_hz AS
      sampleRateHz, bit_depth AS bitDepth, channels, duration_ms AS durationMs, storage_uri AS storageUri,
      content_hash AS contentHash, availability
    FROM tracks WHERE id = ?`);
  return (id) => statement.get(id);
}
